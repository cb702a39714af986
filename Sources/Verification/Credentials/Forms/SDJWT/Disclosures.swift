import Cryptography
import Envelopes
import JSON

/// The hash a credential's digests are made with (RFC 9901 section 4.1.1).
struct DisclosureDigest {
    let algorithm: DigestAlgorithm

    /// Of IANA's named information hash algorithms (RFC 6920) those without known weakness that are not cut short.
    private static let names: [(String, DigestAlgorithm)] = [
        ("sha-256", .sha256), ("sha-384", .sha384), ("sha-512", .sha512), ("sha3-256", .sha3_256), ("sha3-384", .sha3_384),
        ("sha3-512", .sha3_512),
    ]

    /// - Parameter name: the payload's `_sd_alg`, or nil for the default.
    init(_ name: JSONValue?) throws(RejectReason) {
        guard let name else {
            algorithm = .sha256
            return
        }
        guard let found = Self.names.first(where: { name.isString($0.0) }) else { throw .digestAlgorithmRefused }
        algorithm = found.1
    }

    /// The base64url digest of text exactly as received.
    func text(of received: ArraySlice<UInt8>) throws(RejectReason) -> [UInt8] {
        do throws(CryptographyError) {
            return Base64.encodeURL(try Digest.hash(received.span, algorithm))
        } catch {
            throw .digestAlgorithmRefused
        }
    }
}

/// One disclosure, decoded: `[salt, value]` or `[salt, name, value]` (RFC 9901 section 4.2).
struct Disclosure {
    /// The claim's name; nil for an array element.
    let name: JSONValue?
    let value: JSONValue

    init(_ text: ArraySlice<UInt8>, limits: JSONLimits) throws(RejectReason) {
        guard var bytes = Base64.decode(text) else { throw .disclosureMalformed }
        defer { wipe(&bytes) }
        let document = try SignedJSON.document(bytes, limits: limits, malformed: .disclosureMalformed)
        guard let elements = document.root.elements else { throw .disclosureMalformed }
        let parts = Array(elements.prefix(4))
        guard parts.count == 2 || parts.count == 3, parts[0].kind == .string else { throw .disclosureMalformed }
        if parts.count == 3 {
            guard parts[1].kind == .string else { throw .disclosureMalformed }
            name = parts[1]
            value = parts[2]
        } else {
            name = nil
            value = parts[1]
        }
    }
}

/// All disclosures of a presentation by their digests, and which have been used.
///
/// They are hashed as they are and decoded only once a signed digest has asked for them: nobody but the issuer gets anything parsed.
struct Disclosures {
    private let texts: [ArraySlice<UInt8>]
    private let limits: JSONLimits
    private var unused: [[UInt8]: Int] = [:]
    /// Every digest met in the payload and the disclosures, decoys too.
    private var met: Set<[UInt8]> = []

    init(_ texts: [ArraySlice<UInt8>], digest: DisclosureDigest, limits: JSONLimits) throws(RejectReason) {
        self.texts = texts
        self.limits = limits
        for (index, text) in texts.enumerated() {
            guard unused.updateValue(index, forKey: try digest.text(of: text)) == nil else { throw .disclosureRepeated }
        }
    }

    /// The disclosure a digest in the payload stands for; nil for a decoy or one the holder keeps back.
    /// A digest is good for one place (RFC 9901 section 7.1 step 4).
    mutating func take(_ digest: JSONValue) throws(RejectReason) -> Disclosure? {
        guard let text = digest.stringBytes else { throw .digestMalformed }
        guard met.insert(text).inserted else { throw .digestRepeated }
        guard let index = unused.removeValue(forKey: text) else { return nil }
        return try Disclosure(texts[index], limits: limits)
    }

    /// Whether every disclosure found its digest (RFC 9901 section 7.1 step 5).
    var areAllReferenced: Bool { unused.isEmpty }

    /// Octets of all disclosures as received: more than their content takes.
    var byteCount: Int { texts.reduce(0) { $0 + $1.count } }
}
