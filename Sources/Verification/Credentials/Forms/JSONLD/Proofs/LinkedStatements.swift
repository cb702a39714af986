import LinkedData

/// The signed statements of one credential, to be read instead of its JSON: names in the JSON mean what the sender's `@context` makes of
/// them.
struct LinkedStatements: Sendable {
    let quads: [Quad]
    private let origins: [Origin]
    private let journal: Journal
    /// The credential itself.
    let credential: Term
    /// What the credential is about.
    let subjects: [Term]

    init(_ graph: Dataset, _ journal: Journal) throws(LinkedProofError) {
        quads = graph.quads
        origins = graph.origins
        self.journal = journal
        let type = Term.iri(Text(CredentialTerms.vocabulary + "VerifiableCredential"))
        let found = graph.quads.indices.filter { index in
            let quad = graph.quads[index]
            return quad.predicate == .iri(Vocabulary.type) && quad.object == type && quad.graph == nil
        }
        // A second credential anywhere in the default graph would leave open whose statements are whose.
        guard found.count == 1, let only = found.first, Self.isTopType(journal.pointer(graph.origins[only])) else {
            throw .credentialAmbiguous
        }
        let credential = graph.quads[only].subject
        self.credential = credential
        let about = Term.iri(Text(CredentialTerms.vocabulary + "credentialSubject"))
        let subjects = graph.quads.indices.filter { index in
            let quad = graph.quads[index]
            return quad.subject == credential && quad.predicate == about && quad.graph == nil
        }
        // Coverage was judged by the names of members: the subject must be where that name is, and what is said of it there or nearby.
        guard !subjects.isEmpty, subjects.allSatisfy({ journal.topMember(graph.origins[$0]) == "credentialSubject" }) else {
            throw .claimsUncovered
        }
        self.subjects = subjects.map { graph.quads[$0].object }
        guard areClaimsDecisive() else { throw .claimsUncovered }
    }

    /// Whether all that is said of the subjects, and of the nameless nodes behind them, is written in members that hold nothing uncovered.
    /// (A status list is often its own subject, so the credential's type is among these.)
    private func areClaimsDecisive() -> Bool {
        let places = Dictionary(grouping: quads.indices.filter { quads[$0].graph == nil }) { quads[$0].subject }
        let members = Set((LinkedCoverage.decisive + ["type"]).map(Text.init))
        var waiting = subjects, seen = Set(subjects)
        while let node = waiting.popLast() {
            for place in places[node] ?? [] {
                guard let member = journal.topMember(origins[place]), members.contains(member) else { return false }
                let object = quads[place].object
                if case .blankNode = object, seen.insert(object).inserted { waiting.append(object) }
            }
        }
        return true
    }

    /// Whether the pointer is the document's own `type`, or an element of it.
    private static func isTopType(_ pointer: String) -> Bool {
        let steps = pointer.utf8.split(separator: UInt8(ascii: "/"))
        return steps.count <= 2 && (LinkedCoverage.isWithin(pointer, "type") || LinkedCoverage.isWithin(pointer, "@type"))
    }

    /// What is said of `subject` by the property of that IRI, in the default graph.
    func values(of subject: Term, _ property: String) -> [Term] {
        let predicate = Term.iri(Text(property))
        return quads.filter { $0.subject == subject && $0.predicate == predicate && $0.graph == nil }.map(\.object)
    }

    /// Every date of the credential. A sender can rename the member that carries one; the statement would have to go, and the signature
    /// with it.
    var dates: [LinkedDate] {
        LinkedDate.members.flatMap { member in
            values(of: credential, CredentialTerms.vocabulary + member.rawValue).map { LinkedDate(member, $0) }
        }
    }

    /// The status entries of the credential; what is said of each is read with `values`.
    var statuses: [Term] { values(of: credential, CredentialTerms.vocabulary + "credentialStatus") }

    /// Who the credential says issued it. Exactly one, or nobody.
    var issuer: String? {
        let issuers = values(of: credential, CredentialTerms.vocabulary + "issuer")
        return issuers.count == 1 ? issuers[0].iri : nil
    }
}

/// What of a document its signature covers (credentials.md section 4).
///
/// The signature is over statements, so a member that makes none can be added or changed by anyone. Where decisions rest on a member, that
/// is refused; elsewhere it is reported and must not be used.
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
            // Real MOSIP credentials have a `type` that no context defines. Nothing else about types may get lost, and nothing in a
            // keyword, which can hold claims too.
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
