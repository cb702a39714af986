import Cryptography
import JSON
import LinkedData

/// What a proof's signature is made over, and the statements it stands for.
///
/// hash(canonical options) || hash(canonical document), the options first (specs/credentials.md section 3).
struct ProofHashData {
    /// Which context gave the options their meaning.
    enum OptionsContext: Hashable, Sendable, CaseIterable {
        case securityV3, document
    }

    let digest: DigestAlgorithm
    var processor: LinkedDataProcessor
    /// What is left of the document's.
    var work: DocumentWork

    /// - Parameter work: nil for a document that has no other proof.
    init(digest: DigestAlgorithm, processor: LinkedDataProcessor, work: DocumentWork? = nil) {
        self.digest = digest
        self.processor = processor
        self.work = work ?? DocumentWork(limits: processor.limits, store: processor.store)
    }

    mutating func spend(_ steps: Int) throws(LinkedProofError) {
        do throws(LinkedDataError) { try work.steps.spend(steps) } catch { throw Self.reason(error) }
    }

    // MARK: RDFC-1.0

    mutating func document(_ document: UnsecuredDocument) throws(LinkedProofError) -> (canonical: CanonicalDataset, graph: Dataset, journal: Journal) {
        let (graph, journal) = try dataset(document.root, omitting: document.omitted)
        return (try canonical(graph), graph, journal)
    }

    /// The canonical options; throws `optionsUncovered` when their graph does not say what the proof says.
    mutating func options(
        of proof: LinkedProof, of document: UnsecuredDocument, under context: OptionsContext
    ) throws(LinkedProofError) -> [UInt8] {
        // Data Integrity: the document's context and no other (EdDSA Cryptosuites section 3.2.5). A legacy proof's own would be ambiguous.
        if let own = proof.value["@context"] {
            guard proof.suite.isDataIntegrity, try canonicalJSON(own) == canonicalJSON(document.context) else { throw .contextMismatch }
        }
        let (canonical, graph, journal): (CanonicalDataset, Dataset, Journal)
        switch context {
        case .document: (canonical, graph, journal) = try options(proof.value, under: document.context)
        case .securityV3: (canonical, graph, journal) = try options(proof.value)
        }
        // A context's `@direction` says nothing that is signed, and nothing that a proof's texts would mean less without.
        guard journal.dropped.allSatisfy({ $0.reason == .direction }), ProofStatements(proof).areAll(in: graph) else { throw .optionsUncovered }
        return canonical.nquads
    }

    /// The canonical options of a proof that nothing is asked of.
    /// - Parameter context: nil for the terms of security/v3.
    mutating func options(
        _ proof: JSONValue, under context: JSONValue? = nil
    ) throws(LinkedProofError) -> (canonical: CanonicalDataset, graph: Dataset, journal: Journal) {
        let options = try UnsecuredDocument.options(of: proof, under: context).root
        guard let pinned = SecurityTerms.pinned else { throw .contextUnknown }
        let (graph, journal) = try dataset(options, pinned: context == nil ? pinned : nil)
        return (try canonical(graph), graph, journal)
    }

    private mutating func dataset(
        _ value: JSONValue, pinned: PinnedContext? = nil, omitting omitted: String? = nil
    ) throws(LinkedProofError) -> (Dataset, Journal) {
        do throws(LinkedDataError) {
            return try processor.dataset(of: value, pinned: pinned, omitting: omitted, work: &work)
        } catch {
            throw Self.reason(error)
        }
    }

    private mutating func canonical(_ graph: Dataset) throws(LinkedProofError) -> CanonicalDataset {
        do throws(LinkedDataError) {
            return try Canonicalization.canonicalize(graph, algorithm: digest, limits: processor.limits, steps: &work.steps)
        } catch {
            throw Self.reason(error)
        }
    }

    private static func reason(_ error: LinkedDataError) -> LinkedProofError {
        switch error {
        case .loadingDocumentFailed: .contextUnknown
        case .tooComplex: .tooComplex
        case .digestUnavailable: .digestUnavailable
        default: .documentInvalid
        }
    }

    // MARK: RFC 8785

    mutating func canonicalJSON(_ document: UnsecuredDocument) throws(LinkedProofError) -> [UInt8] {
        try canonicalJSON(document.root, omitting: document.omitted)
    }

    mutating func canonicalJSON(_ value: JSONValue, omitting omitted: String? = nil) throws(LinkedProofError) -> [UInt8] {
        do throws(LinkedDataError) {
            return try CanonicalJSON.bytes(of: value, omitting: omitted, steps: &work.steps)
        } catch {
            throw Self.reason(error)
        }
    }

    /// The proof must carry the document's `@context` itself: it is what the signer saw (EdDSA Cryptosuites section 3.3.1).
    mutating func canonicalJSONOptions(of proof: LinkedProof, of document: UnsecuredDocument) throws(LinkedProofError) -> [UInt8] {
        guard let own = proof.value["@context"], try canonicalJSON(own) == canonicalJSON(document.context) else { throw .contextMismatch }
        return try canonicalJSON(try UnsecuredDocument.options(of: proof.value, under: own).root)
    }

    // MARK: Hashes

    func hash(_ octets: [UInt8]) throws(LinkedProofError) -> [UInt8] {
        do throws(CryptographyError) { return try Digest.hash(octets.span, digest) } catch { throw .digestUnavailable }
    }

    func hash(_ canonical: CanonicalDataset) throws(LinkedProofError) -> [UInt8] {
        do throws(LinkedDataError) { return try canonical.hash(digest) } catch { throw .digestUnavailable }
    }

    func toBeSigned(options: [UInt8], document: [UInt8]) throws(LinkedProofError) -> [UInt8] {
        try hash(options) + hash(document)
    }
}
