import LinkedData

/// The signed statements of one credential, to be read instead of its JSON: names in the JSON mean what the sender's `@context` makes of them.
struct LinkedStatements: Sendable {
    private static let credentials = "https://www.w3.org/2018/credentials#"

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
        let type = Term.iri(Text(Self.credentials + "VerifiableCredential"))
        let found = graph.quads.indices.filter { index in
            let quad = graph.quads[index]
            return quad.predicate == .iri(Vocabulary.type) && quad.object == type && quad.graph == nil
        }
        // A second credential anywhere in the default graph would leave open whose statements are whose.
        guard found.count == 1, let only = found.first, Self.isTopType(journal.pointer(graph.origins[only])) else { throw .credentialAmbiguous }
        let credential = graph.quads[only].subject
        self.credential = credential
        let about = Term.iri(Text(Self.credentials + "credentialSubject"))
        let subjects = graph.quads.indices.filter { index in
            let quad = graph.quads[index]
            return quad.subject == credential && quad.predicate == about && quad.graph == nil
        }
        // Coverage was judged by the names of members: the subject must be where that name is.
        guard !subjects.isEmpty, subjects.allSatisfy({ LinkedCoverage.isWithin(journal.pointer(graph.origins[$0]), "credentialSubject") }) else { throw .claimsUncovered }
        self.subjects = subjects.map { graph.quads[$0].object }
    }

    /// The JSON pointers to where the quads were written, one for each.
    var pointers: [String] { origins.map(journal.pointer) }

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
}
