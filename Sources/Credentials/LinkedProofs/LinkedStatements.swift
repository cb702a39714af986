import LinkedData

/// The signed statements of one credential, to be read instead of its JSON: names in the JSON mean what the sender's `@context` makes of them.
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
        guard found.count == 1, let only = found.first, Self.isTopType(journal.pointer(graph.origins[only])) else { throw .credentialAmbiguous }
        let credential = graph.quads[only].subject
        self.credential = credential
        let about = Term.iri(Text(CredentialTerms.vocabulary + "credentialSubject"))
        let subjects = graph.quads.indices.filter { index in
            let quad = graph.quads[index]
            return quad.subject == credential && quad.predicate == about && quad.graph == nil
        }
        // Coverage was judged by the names of members: the subject must be where that name is, and what is said of it there or nearby.
        guard !subjects.isEmpty, subjects.allSatisfy({ journal.topMember(graph.origins[$0]) == "credentialSubject" }) else { throw .claimsUncovered }
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

    /// Every date of the credential. A sender can rename the member that carries one; the statement would have to go, and the signature with it.
    var dates: [LinkedDate] {
        LinkedDate.members.flatMap { member in values(of: credential, CredentialTerms.vocabulary + member.rawValue).map { LinkedDate(member, $0) } }
    }

    /// The status entries of the credential; what is said of each is read with `values`.
    var statuses: [Term] { values(of: credential, CredentialTerms.vocabulary + "credentialStatus") }

    /// Who the credential says issued it. Exactly one, or nobody.
    var issuer: String? {
        let issuers = values(of: credential, CredentialTerms.vocabulary + "issuer")
        return issuers.count == 1 ? issuers[0].iri : nil
    }
}
