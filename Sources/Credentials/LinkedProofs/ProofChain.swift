import Cryptography
import JSON
import LinkedData

/// What a proof in a chain is made over: the document with the proofs before it as its `proof` (Data Integrity 1.0, "Verify Proof Sets and Chains").
enum ProofChain {
    /// Nil where nothing is before.
    static func document(
        _ document: JSONValue, after previous: [LinkedProof], _ hashData: inout ProofHashData
    ) throws(LinkedProofError) -> UnsecuredDocument? {
        guard !previous.isEmpty else { return nil }
        // It is copied and parsed again.
        try hashData.spend(document.sourceRange.count / Self.octetsPerStep)
        return try UnsecuredDocument(document, previous: previous.map(\.value))
    }

    private static let octetsPerStep = 128

    /// The statements of that document; nil where nothing is before.
    ///
    /// - Parameter plain: what the document states by itself. Claims are read from it, so all of it must be in what was signed, whatever the sender's
    ///   `@context` makes of `proof`; and so must the previous signatures, or nothing would bind this proof to those.
    static func statements(
        _ document: JSONValue, after previous: [LinkedProof], stating plain: Dataset, _ hashData: inout ProofHashData
    ) throws(LinkedProofError) -> Dataset? {
        guard let chained = try self.document(document, after: previous, &hashData) else { return nil }
        let (graph, journal) = try hashData.statements(chained)
        guard !journal.dropped.contains(where: { $0.pointer.isEmpty || LinkedCoverage.isWithin($0.pointer, "proof") }),
              Set(graph.quads).isSuperset(of: plain.quads), previous.allSatisfy({ states(graph, the: $0) })
        else { throw .previousProofRefused }
        return graph
    }

    /// Whether the signature of `proof` is in a graph of its own.
    private static func states(_ graph: Dataset, the proof: LinkedProof) -> Bool {
        let value = Text(String(decoding: proof.signature, as: UTF8.self))
        return graph.quads.contains { quad in
            guard case .literal(let literal) = quad.object, quad.graph != nil else { return false }
            return quad.predicate == .iri(Text(SecurityTerms.vocabulary + "proofValue")) && literal.value == value
        }
    }
}
