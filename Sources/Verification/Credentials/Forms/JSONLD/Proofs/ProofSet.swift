import Cryptography
import Envelopes
import JSON
import LinkedData

/// What the proofs of a document stand for together.
struct VerifiedProofSet: Sendable {
    /// One for each proof whose key is known, in the order of the document; at least one. All are over the same document.
    let documents: [VerifiedLinkedDocument]
    /// Proofs of a kind or by a key that is not known here. Anyone can add such a proof: they count for nothing.
    let ignoredProofs: Int
}

/// The proofs of a document that are looked at, and which of them was made after which (Data Integrity 1.0 sections 2.1.1 and 2.1.2).
struct ProofSet {
    private(set) var proofs: [LinkedProof] = []
    private(set) var ignored = 0

    /// Ids must be unmistakable, on the proofs that are not looked at too.
    init(_ document: JSONValue) throws(LinkedProofError) {
        var ids: [String] = []
        var reason: LinkedProofError?
        for value in try LinkedProof.values(of: document) {
            if let id = value["id"]?.string {
                guard !ids.contains(where: { $0.isExactly(id) }) else { throw .previousProofRefused }
                ids.append(id)
            }
            do throws(LinkedProofError) {
                proofs.append(try LinkedProof(value))
            } catch {
                guard error == .typeRefused || error == .cryptosuiteRefused, value["type"]?.kind == .string else { throw error }
                reason = error
                ignored += 1
            }
        }
        if proofs.isEmpty { throw reason ?? .proofMissing }
    }

    /// The proofs that `proof` names as previous ones, out of `known`.
    static func previous(of proof: LinkedProof, in known: [LinkedProof]) throws(LinkedProofError) -> [LinkedProof] {
        var previous: [LinkedProof] = []
        for id in proof.previous {
            // A chain's signatures are in Data Integrity's notation: a legacy proof's would need terms for another.
            guard let found = known.first(where: { $0.id?.isExactly(id) == true }), found.suite.isDataIntegrity else {
                throw .previousProofRefused
            }
            previous.append(found)
        }
        return previous
    }

    /// Refuses proofs that were each made after the other.
    static func refuseCircles(_ proofs: [LinkedProof]) throws(LinkedProofError) {
        var left = proofs
        while !left.isEmpty {
            let waiting = left.filter { proof in proof.previous.contains { id in left.contains { $0.id?.isExactly(id) == true } } }
            guard waiting.count < left.count else { throw .previousProofRefused }
            left = waiting
        }
    }
}

extension LinkedProofVerification {
    /// All proofs of a document: a single one, a set, or chains.
    ///
    /// Every proof by a known key must verify, and whatever it names as previous must be by a known key too.
    ///
    /// - Parameters:
    ///   - purpose: what the signers must have signed for.
    ///   - time: now, in seconds since 1970.
    ///   - key: the key of exactly the proof's `verificationMethod`; nil for a proof to ignore. Asked once for each proof.
    mutating func verify(
        _ document: JSONValue, purpose: LinkedProof.Purpose = .assertionMethod, at time: Seconds, key: (LinkedProof) -> PublicKey?
    ) throws(LinkedProofError) -> VerifiedProofSet {
        var work = beginWork()
        let set = try ProofSet(document)
        let known = set.proofs.compactMap { proof in key(proof).map { (proof: proof, key: $0) } }
        guard !known.isEmpty else { throw .keyUnknown }
        let proofs = known.map(\.proof)
        try ProofSet.refuseCircles(proofs)
        var documents: [VerifiedLinkedDocument] = []
        for (proof, key) in known {
            let previous = try ProofSet.previous(of: proof, in: proofs)
            documents.append(try verify(document, proof, after: previous, key: key, purpose: purpose, at: time, &work))
        }
        return VerifiedProofSet(documents: documents, ignoredProofs: set.ignored + set.proofs.count - known.count)
    }
}

/// What a proof in a chain is made over: the document with the proofs before it as its `proof` (Data Integrity 1.0, "Verify Proof Sets and
/// Chains").
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
    /// - Parameter plain: what the document states by itself. Claims are read from it, so all of it must be in what was signed, whatever
    ///   the sender's
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
