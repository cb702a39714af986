import LinkedData

/// What of a document its signature covers (specs/credentials.md section 0, decision 4).
///
/// The signature is over statements, so a member that makes none can be added or changed by anyone. Where decisions rest on a member, that is
/// refused; elsewhere it is reported and must not be used.
struct LinkedCoverage: Sendable {
    /// Everything outside the decisive members that no statement was made of: unsigned.
    let uncovered: [DroppedTerm]

    /// The names of members at the top of a credential that are believed when it is.
    static let decisive = [
        "credentialSubject", "issuer", "issuanceDate", "expirationDate", "validFrom", "validUntil", "credentialStatus", "credentialSchema",
        "evidence", "termsOfUse", "refreshService", "holder",
    ]

    init(_ journal: Journal) throws(LinkedProofError) {
        uncovered = journal.dropped
        for dropped in uncovered {
            // The document as a whole.
            guard !dropped.pointer.isEmpty else { throw .claimsUncovered }
            // RDF has no place for a direction; the text it belongs to is signed, and claims have none.
            let isDirection = dropped.reason == .direction && !dropped.pointer.utf8.starts(with: "/@".utf8)
            if isDirection { continue }
            for name in Self.decisive + ["id"] where Self.isWithin(dropped.pointer, name) { throw .claimsUncovered }
            // Real MOSIP credentials have a `type` that no context defines. Nothing else about types may get lost, and nothing in a keyword, which
            // can hold claims too.
            let isType = Self.isWithin(dropped.pointer, "type") || Self.isWithin(dropped.pointer, "@type")
            guard isType ? dropped.reason == .relativeType : !dropped.pointer.utf8.starts(with: "/@".utf8) else { throw .claimsUncovered }
        }
    }

    /// Whether each element of `type` is signed. Where not, no policy may rest on `type`.
    var isTypeSigned: Bool { !uncovered.contains { $0.reason == .relativeType } }

    /// Whether the pointer is at the member of that name at the top, or inside it (RFC 6901). The names here need no escapes.
    static func isWithin(_ pointer: String, _ name: String) -> Bool {
        guard pointer.utf8.first == UInt8(ascii: "/"), pointer.utf8.dropFirst().starts(with: name.utf8) else { return false }
        let next = pointer.utf8.dropFirst(1 + name.utf8.count).first
        return next == nil || next == UInt8(ascii: "/")
    }
}
