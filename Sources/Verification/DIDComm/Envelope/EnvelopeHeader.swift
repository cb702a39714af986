import JSON

/// `protected` of an envelope, decoded: how its content is encrypted, and for whom (aries.md section 2).
struct EnvelopeHeader: Sendable {
    /// How the content's key is wrapped.
    enum Algorithm: String, Sendable, CaseIterable {
        /// In the sender's box.
        case authcrypt = "Authcrypt"
        /// In a sealed box, from nobody.
        case anoncrypt = "Anoncrypt"
    }

    static let encryption = "xchacha20poly1305_ietf"
    static let type = "JWM/1.0"

    let algorithm: Algorithm
    private let entries: [JSONValue]

    /// - Parameter text: the octets of `protected`, decoded.
    init(parsing text: [UInt8]) throws(EnvelopeFault) {
        let limits = JSONLimits(bytes: EnvelopeLimits.header, depth: EnvelopeLimits.depth, nodes: EnvelopeLimits.nodes)
        guard let root = try? JSONDocument(parsing: text, limits: limits).root, root.kind == .object else { throw .headerMalformed }
        guard root["enc"]?.isString(Self.encryption) == true else { throw .encryption }
        guard root["typ"]?.isString(Self.type) == true else { throw .type }
        guard let name = root["alg"], let algorithm = Algorithm.allCases.first(where: { name.isString($0.rawValue) }) else {
            throw .algorithm
        }
        guard let elements = root["recipients"]?.elements, (1...EnvelopeLimits.recipients).contains(elements.count) else {
            throw .recipients
        }
        self.algorithm = algorithm
        entries = Array(elements)
    }

    /// The first entry for a key. What those for others hold is theirs to judge.
    func entry(for kid: String) throws(EnvelopeFault) -> EnvelopeEntry {
        guard let entry = entries.first(where: { $0["header"]?["kid"]?.isString(kid) == true }) else { throw .notForUs }
        return try EnvelopeEntry(entry, algorithm)
    }
}
