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

    init(digest: DigestAlgorithm, processor: LinkedDataProcessor) {
        self.digest = digest
        self.processor = processor
    }

    // MARK: RDFC-1.0

    mutating func document(_ document: UnsecuredDocument) throws(LinkedProofError) -> (canonical: [UInt8], graph: Dataset, journal: Journal) {
        let (graph, journal) = try dataset(document.json.root)
        return (try canonical(graph), graph, journal)
    }

    /// The canonical options; throws `optionsUncovered` when their graph does not say what the proof says.
    mutating func options(
        of proof: LinkedProof, of document: UnsecuredDocument, under context: OptionsContext
    ) throws(LinkedProofError) -> [UInt8] {
        // Data Integrity: the document's context and no other (EdDSA Cryptosuites section 3.2.5). A legacy proof's own would be ambiguous.
        if let own = proof.value["@context"] {
            guard proof.suite.isDataIntegrity, try Self.canonicalJSON(own) == Self.canonicalJSON(document.context) else { throw .contextMismatch }
        }
        let given = context == .document ? document.context : SecurityTerms.context
        guard let given else { throw .contextUnknown }
        let (canonical, graph, journal) = try options(proof.value, under: given)
        guard journal.isEmpty, ProofStatements(proof).areAll(in: graph) else { throw .optionsUncovered }
        return canonical
    }

    /// The canonical options of a proof that nothing is asked of.
    mutating func options(
        _ proof: JSONValue, under context: JSONValue
    ) throws(LinkedProofError) -> (canonical: [UInt8], graph: Dataset, journal: Journal) {
        let (graph, journal) = try dataset(try UnsecuredDocument.options(of: proof, under: context).root)
        return (try canonical(graph), graph, journal)
    }

    private mutating func dataset(_ value: JSONValue) throws(LinkedProofError) -> (Dataset, Journal) {
        do throws(LinkedDataError) {
            return try processor.dataset(of: value)
        } catch {
            throw Self.reason(error)
        }
    }

    private func canonical(_ graph: Dataset) throws(LinkedProofError) -> [UInt8] {
        do throws(LinkedDataError) {
            return try Canonicalization.canonicalize(graph, algorithm: digest, limits: processor.limits).nquads
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

    static func canonicalJSON(_ value: JSONValue) throws(LinkedProofError) -> [UInt8] {
        do throws(LinkedDataError) { return try CanonicalJSON.bytes(of: value) } catch { throw reason(error) }
    }

    /// The proof must carry the document's `@context` itself: it is what the signer saw (EdDSA Cryptosuites section 3.3.1).
    static func canonicalJSONOptions(of proof: LinkedProof, of document: UnsecuredDocument) throws(LinkedProofError) -> [UInt8] {
        guard let own = proof.value["@context"], try canonicalJSON(own) == canonicalJSON(document.context) else { throw .contextMismatch }
        return try canonicalJSON(try UnsecuredDocument.options(of: proof.value, under: own).root)
    }

    // MARK: Hashes

    func hash(_ octets: [UInt8]) throws(LinkedProofError) -> [UInt8] {
        do throws(CryptographyError) { return try Digest.hash(octets.span, digest) } catch { throw .digestUnavailable }
    }

    func toBeSigned(options: [UInt8], document: [UInt8]) throws(LinkedProofError) -> [UInt8] {
        try hash(options) + hash(document)
    }
}
