import JSON

/// An issuer's keys for credentials of one schema, checked when they are read (anoncreds.md sections 1 and 8).
public struct CredentialDefinition: Sendable {
    public let id: String, schemaID: String, issuerID: String, tag: String
    /// Seconds since 1970, both included. Nil where it has no such end.
    public let notBefore: Int64?, notAfter: Int64?
    let primary: PrimaryKey
    let revocation: RevocationKey?

    /// - Parameters:
    ///   - schema: whose attributes the keys of `r` have to be.
    ///   - primary: the object `primary`, with `n`, `s`, `rctxt`, `z`, `r`.
    ///   - revocation: the object `revocation` where credentials of it can be revoked.
    ///
    /// Throws what is wrong first, by member. Costs some milliseconds, most of them for points.
    public init(
        id: String, schema: CredentialSchema, issuerID: String, tag: String, notBefore: Int64? = nil, notAfter: Int64? = nil,
        primary: JSONValue, revocation: JSONValue? = nil
    ) throws(ContextFault) {
        self.primary = try PrimaryKey(primary, attributes: schema.bases, of: id)
        self.revocation = try revocation.map { (value) throws(ContextFault) in try RevocationKey(value, of: id) }
        (self.id, self.issuerID, self.tag) = (id, issuerID, tag)
        schemaID = schema.id
        (self.notBefore, self.notAfter) = (notBefore, notAfter)
    }

    /// Bits of n.
    public var modulusBits: Int { primary.n.bitCount }

    public var supportsRevocation: Bool { revocation != nil }

    func isCurrent(at now: Int64) -> Bool { notBefore.map { $0 <= now } ?? true && notAfter.map { now <= $0 } ?? true }
}
