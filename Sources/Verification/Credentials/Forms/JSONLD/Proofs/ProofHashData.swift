import Cryptography
import JSON
import LinkedData

/// What a proof's signature is made over, and the statements it stands for.
///
/// hash(canonical options) || hash(canonical document), the options first (credentials.md section 3.1).
struct ProofHashData {
    /// Which context gave the options their meaning.
    enum OptionsContext: Hashable, Sendable, CaseIterable {
        case securityV3, document
    }

    let digest: DigestAlgorithm
    var processor: LinkedDataProcessor
    /// Whether a language tag was seen that has another form in lower case.
    private(set) var hasCapitalLanguage = false
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

    mutating func document(_ document: UnsecuredDocument) throws(LinkedProofError) -> (
        canonical: CanonicalDataset, graph: Dataset, journal: Journal
    ) {
        let (graph, journal) = try statements(document)
        return (try canonical(graph), graph, journal)
    }

    /// What the document says, and everything it says that is not signed.
    mutating func statements(_ document: UnsecuredDocument) throws(LinkedProofError) -> (graph: Dataset, journal: Journal) {
        try dataset(document.root, omitting: document.omitted)
    }

    /// The canonical options; throws `optionsUncovered` when their graph does not say what the proof says.
    mutating func options(
        of proof: LinkedProof, of document: UnsecuredDocument, under context: OptionsContext, _ languages: LanguageTags = .asWritten
    ) throws(LinkedProofError) -> [UInt8] {
        // Data Integrity: the document's context and no other (EdDSA Cryptosuites section 3.2.5). A legacy proof's own would be ambiguous;
        // but signers of JsonWebSignature2020 write the suite's, whose terms are those of security/v3, so it is left aside like any other
        // that options are tried under.
        if let own = proof.value["@context"], proof.suite != .jsonWebSignature2020 {
            guard proof.suite.isDataIntegrity, try canonicalJSON(own) == canonicalJSON(document.context) else { throw .contextMismatch }
        }
        let (graph, journal) = try optionStatements(proof.value, under: context == .document ? document.context : nil)
        // A context's `@direction` says nothing that is signed, and nothing that a proof's texts would mean less without.
        guard journal.dropped.allSatisfy({ $0.reason == .direction }), ProofStatements(proof).areAll(in: graph) else {
            throw .optionsUncovered
        }
        return try canonical(graph, languages).nquads
    }

    /// The canonical options of a proof that nothing is asked of.
    /// - Parameter context: nil for the terms of security/v3.
    mutating func options(
        _ proof: JSONValue, under context: JSONValue? = nil
    ) throws(LinkedProofError) -> (canonical: CanonicalDataset, graph: Dataset, journal: Journal) {
        let (graph, journal) = try optionStatements(proof, under: context)
        return (try canonical(graph), graph, journal)
    }

    private mutating func optionStatements(
        _ proof: JSONValue, under context: JSONValue?
    ) throws(LinkedProofError) -> (graph: Dataset, journal: Journal) {
        let options = try UnsecuredDocument.options(of: proof, under: context).root
        guard let pinned = SecurityTerms.pinned else { throw .contextUnknown }
        return try dataset(options, pinned: context == nil ? pinned : nil)
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

    mutating func canonical(_ graph: Dataset, _ languages: LanguageTags = .asWritten) throws(LinkedProofError) -> CanonicalDataset {
        if graph.hasCapitalLanguage { hasCapitalLanguage = true }
        do throws(LinkedDataError) {
            return try Canonicalization.canonicalize(graph.with(languages), algorithm: digest, limits: processor.limits, steps: &work.steps)
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

    /// - Parameter context: what stands as its `@context`; nil: its own.
    mutating func canonicalJSON(_ document: UnsecuredDocument, under context: JSONValue? = nil) throws(LinkedProofError) -> [UInt8] {
        try canonicalJSON(document.root, omitting: document.omitted, context: context)
    }

    mutating func canonicalJSON(
        _ value: JSONValue, omitting omitted: String? = nil, context: JSONValue? = nil
    ) throws(LinkedProofError) -> [UInt8] {
        do throws(LinkedDataError) {
            return try CanonicalJSON.bytes(of: value, omitting: omitted, context: context, steps: &work.steps)
        } catch {
            throw Self.reason(error)
        }
    }

    /// The `@context` the signer saw, where the proof carries it: the document's must begin with it, and what was appended later is
    /// nobody's word (EdDSA Cryptosuites section 3.3.2 step 4, ECDSA Cryptosuites section 3.3.2 step 4). Nil: the document's own was signed
    /// with the rest of it.
    mutating func signedContext(
        of proof: LinkedProof, of document: UnsecuredDocument
    ) throws(LinkedProofError) -> (value: JSONValue, appended: [String])? {
        guard let own = proof.value["@context"] else { return nil }
        let signed = own.elements.map(Array.init) ?? [own], stated = document.context.elements.map(Array.init) ?? [document.context]
        guard !signed.isEmpty, signed.count <= stated.count else { throw .contextMismatch }
        for (mine, theirs) in zip(signed, stated) {
            guard try canonicalJSON(mine) == canonicalJSON(theirs) else { throw .contextMismatch }
        }
        return (own, (signed.count..<stated.count).map { "/@context/\($0)" })
    }

    mutating func canonicalJSONOptions(of proof: LinkedProof) throws(LinkedProofError) -> [UInt8] {
        try canonicalJSON(try UnsecuredDocument.options(of: proof.value, under: proof.value["@context"]).root)
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

/// The statements a proof must make in the graph of its options.
///
/// Options are read as JSON and signed as a graph. A context of the sender's choosing could make `"assertionMethod"` mean what the issuer
/// signed as
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
        let names = objects(Self.security("cryptosuite")).map { term in
            if case .literal(let literal) = term { literal.value } else { Text("") }
        }
        return names == (proof.suite.cryptosuiteName.map { [Text($0)] } ?? [])
    }

    private static func security(_ name: String) -> Text { Text(SecurityTerms.vocabulary + name) }
}
