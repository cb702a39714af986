import LinkedData

/// The statements a proof must make in the graph of its options.
///
/// Options are read as JSON and signed as a graph. A context of the sender's choosing could make `"assertionMethod"` mean what the issuer signed as
/// `authentication`, or make a member mean nothing: so what was read must be found again in what was signed.
struct ProofStatements {
    private let proof: LinkedProof

    init(_ proof: LinkedProof) { self.proof = proof }

    func areAll(in graph: Dataset) -> Bool {
        let type = Term.iri(Self.security(proof.suite.typeName))
        let subjects = graph.quads.filter { $0.predicate == .iri(Vocabulary.type) && $0.object == type && $0.graph == nil }.map(\.subject)
        guard subjects.count == 1, let subject = subjects.first else { return false }
        func objects(_ predicate: Text) -> [Term] {
            graph.quads.filter { $0.subject == subject && $0.predicate == .iri(predicate) && $0.graph == nil }.map(\.object)
        }
        guard objects(Vocabulary.type) == [type], proof.id.map({ subject == .iri(Text($0)) }) ?? true,
              Set(objects(Self.security("previousProof"))) == Set(proof.previous.map { .iri(Text($0)) }),
              objects(Self.security("verificationMethod")) == [.iri(Text(proof.verificationMethod))],
              objects(Self.security("proofPurpose")) == [.iri(Text(proof.purpose.iri))]
        else { return false }
        func literal(_ time: LinkedProof.Time?) -> [Term] {
            time.map { [.literal(Literal(Text($0.text), datatype: Text(SecurityTerms.dateTime)))] } ?? []
        }
        guard objects(Text(SecurityTerms.created)) == literal(proof.created), objects(Self.security("expiration")) == literal(proof.expires)
        else { return false }
        // The datatype of suite names changed between drafts of Data Integrity.
        let names = objects(Self.security("cryptosuite")).map { term in if case .literal(let literal) = term { literal.value } else { Text("") } }
        return names == (proof.suite.cryptosuiteName.map { [Text($0)] } ?? [])
    }

    private static func security(_ name: String) -> Text { Text(SecurityTerms.vocabulary + name) }
}
