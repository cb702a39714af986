import Envelopes

/// `anoncreds` of a trust file: where an issuer's objects are, and what in them says until when a credential holds (anoncreds.md sections 8
/// and 9).
public struct AnonCredsAnchor: Hashable, Sendable {
    /// An attribute that is a day as a number `YYYYMMDD`.
    struct Expiry: Hashable, Sendable {
        /// The schema that has it; nil for every one that has it.
        let schemaID: String?
        let attribute: String
    }

    /// A file of the trust folder.
    public let file: String
    /// SHA-256 of its octets.
    public let digest: [UInt8]
    let expiries: [Expiry]

    /// The one way to write a day that a predicate can compare.
    private static let dayForm = "YYYYMMDD"
    private static let mostExpiries = 16

    init(_ member: TrustMember) throws(TrustError) {
        let found = try member.object(known: ["file", "sha256", "expires"])
        let name = try found.required("file", of: member)
        file = try name.text()
        guard file.utf8.count <= TrustBundle.longestName else { throw name.fault(.tooLarge) }
        let digest = try found.required("sha256", of: member)
        guard let octets = Hexadecimal.decode(Array(try digest.text().utf8)[...]), octets.count == 32 else {
            throw digest.fault(.wrongValue, allowed: "a SHA-256: 64 hexadecimal digits")
        }
        self.digest = octets
        expiries = try found["expires"].map { (member) throws(TrustError) in try Self.expiries(member) } ?? []
    }

    /// One attribute, or several for schemas that differ.
    private static func expiries(_ member: TrustMember) throws(TrustError) -> [Expiry] {
        let elements = try member.list()
        let rows = elements.allSatisfy { $0.value.kind == .string } ? [member] : elements
        guard rows.count <= mostExpiries else { throw member.fault(.tooLarge, allowed: "\(mostExpiries) at most") }
        var expiries: [Expiry] = []
        for row in rows {
            var words: [String] = []
            for element in try row.list() { words.append(try element.text()) }
            guard 2...3 ~= words.count, let form = words.last, form.isExactly(dayForm) else {
                throw row.fault(.wrongValue, allowed: "[attribute, \"\(dayForm)\"] or [schema id, attribute, \"\(dayForm)\"]")
            }
            let expiry = Expiry(schemaID: words.count == 3 ? words[0] : nil, attribute: words[words.count - 2])
            guard !expiries.contains(expiry) else { throw row.fault(.duplicate) }
            expiries.append(expiry)
        }
        return expiries
    }
}
