import Cryptography
import Envelopes
import JSON
import LinkedData

/// What a good proof stands for.
package struct VerifiedLinkedDocument: Sendable {
    /// The signed content. The received JSON must not be read instead of it.
    enum Content: Sendable {
        /// Signed as statements; `coverage` lists what was not.
        case statements(LinkedStatements, LinkedCoverage)
        /// Signed as canonical JSON (RFC 8785), every member; numbers as that form writes them.
        case canonicalJSON(JSONDocument)
    }

    let proof: LinkedProof
    let algorithm: SignatureAlgorithm
    /// Which context the signer had put the options under.
    let optionsContext: ProofHashData.OptionsContext
    /// How the signer had language tags; nil where no tag has a capital letter.
    let languages: LanguageTags?
    /// Contexts of the document that came after those that were signed, as JSON pointers.
    let appendedContexts: [String]
    let content: Content
}

/// Verifies proofs on JSON-LD credentials under pinned contexts; offline.
///
/// Says whether `key` signed and what that covers. Whether the key is the issuer's is the caller's question, as are dates and status.
package struct LinkedProofVerification {
    /// Base IRI nil: relative references are dropped, never resolved against something.
    private var processor: LinkedDataProcessor

    /// Steps that one check of a signature counts for: RSA with 8192 bits and P-384 take about as long.
    private static let signatureSteps = 1_000

    package init(contexts: ContextStore, limits: LinkedDataLimits = .standard) {
        processor = LinkedDataProcessor(store: contexts, limits: limits)
    }

    /// One proof alone, which must not be part of a chain.
    ///
    /// - Parameters:
    ///   - proof: one of `LinkedProof.proofs(of: document)`.
    ///   - key: the key of exactly `proof.verificationMethod`.
    ///   - purpose: what the signer must have signed for.
    ///   - time: now, in seconds since 1970.
    package mutating func verify(
        _ document: JSONValue, _ proof: LinkedProof, key: PublicKey, purpose: LinkedProof.Purpose = .assertionMethod, at time: Seconds
    ) throws(LinkedProofError) -> VerifiedLinkedDocument {
        guard proof.previous.isEmpty else { throw .previousProofRefused }
        var work = beginWork()
        return try verify(document, proof, after: [], key: key, purpose: purpose, at: time, &work)
    }

    /// The work that all proofs of one document may cause together.
    func beginWork() -> DocumentWork { DocumentWork(limits: processor.limits, store: processor.store) }

    /// - Parameter previous: the proofs that `proof` names as previous ones. They are bound here, and verified elsewhere.
    mutating func verify(
        _ document: JSONValue, _ proof: LinkedProof, after previous: [LinkedProof], key: PublicKey, purpose: LinkedProof.Purpose,
        at time: Seconds,
        _ work: inout DocumentWork
    ) throws(LinkedProofError) -> VerifiedLinkedDocument {
        guard proof.purpose == purpose else { throw .purposeRefused }
        if let expires = proof.expires, time >= expires.seconds { throw .expired }
        let signature = try ProofSignature(proof, for: key)
        guard document["credentialSubject"] != nil else { throw .documentMalformed }
        let unsecured = try UnsecuredDocument(document)
        var hashData = ProofHashData(digest: proof.suite.digest(for: key), processor: processor, work: work.take())
        // What was learned about pinned contexts is kept for the next document, and has one owner at a time.
        processor.cache = ContextCache()
        defer {
            processor = hashData.processor
            work = hashData.work
        }
        switch proof.suite.transformation {
        case .canonicalJSON:
            let chained = try ProofChain.document(document, after: previous, &hashData)
            return try verifyJSON(unsecured, chained ?? unsecured, proof, key, signature, &hashData)
        case .dataset:
            let (graph, journal) = try hashData.statements(unsecured)
            let chained = try ProofChain.statements(document, after: previous, stating: graph, &hashData)
            let (context, languages) = try signedForm(unsecured, chained ?? graph, proof, key, signature, &hashData)
            let coverage = try LinkedCoverage(journal)
            // What was signed, in the form that was signed.
            let content = VerifiedLinkedDocument.Content.statements(try LinkedStatements(graph.with(languages), journal), coverage)
            return VerifiedLinkedDocument(
                proof: proof, algorithm: signature.algorithm, optionsContext: context,
                languages: hashData.hasCapitalLanguage ? languages : nil,
                appendedContexts: [], content: content)
        }
    }

    /// The form in which the signature verifies: the context of the options, and the case of language tags. Suites before Data Integrity
    /// are tried in MOSIP's way, then in W3C's; tags as they are written, and in lower case where that is something else.
    private func signedForm(
        _ document: UnsecuredDocument, _ graph: Dataset, _ proof: LinkedProof, _ key: PublicKey, _ signature: ProofSignature,
        _ hashData: inout ProofHashData
    ) throws(LinkedProofError) -> (ProofHashData.OptionsContext, LanguageTags) {
        let contexts: [ProofHashData.OptionsContext] = proof.suite.isDataIntegrity ? [.document] : [.securityV3, .document]
        var reason: LinkedProofError?
        for languages in [LanguageTags.asWritten, .lowerCase] where languages == .asWritten || hashData.hasCapitalLanguage {
            let documentHash = try hashData.hash(try hashData.canonical(graph, languages))
            for context in contexts {
                do throws(LinkedProofError) {
                    let options = try hashData.options(of: proof, of: document, under: context, languages)
                    let message = try hashData.hash(options) + documentHash
                    try hashData.spend(Self.signatureSteps)
                    if signature.isSigned(by: key, over: message) { return (context, languages) }
                    reason = .signatureInvalid
                } catch {
                    guard error != .tooComplex else { throw error }
                    // The document's context often has no terms for a legacy proof: then a wrong signature is the reason to give.
                    reason = reason ?? error
                }
            }
        }
        throw reason ?? .signatureInvalid
    }

    /// - Parameter chained: the document with the previous proofs, if there are any.
    private func verifyJSON(
        _ document: UnsecuredDocument, _ chained: UnsecuredDocument, _ proof: LinkedProof, _ key: PublicKey, _ signature: ProofSignature,
        _ hashData: inout ProofHashData
    ) throws(LinkedProofError) -> VerifiedLinkedDocument {
        let context = try hashData.signedContext(of: proof, of: document)
        let options = try hashData.canonicalJSONOptions(of: proof)
        let canonical = try hashData.canonicalJSON(chained, under: context?.value)
        try hashData.spend(Self.signatureSteps)
        guard signature.isSigned(by: key, over: try hashData.toBeSigned(options: options, document: canonical)) else {
            throw .signatureInvalid
        }
        // Read back from what was signed, without the proofs: two numbers may have one canonical form.
        guard let signed = try? JSONDocument(parsing: hashData.canonicalJSON(document, under: context?.value)) else {
            throw .documentInvalid
        }
        return VerifiedLinkedDocument(
            proof: proof, algorithm: signature.algorithm, optionsContext: .document, languages: nil,
            appendedContexts: context?.appended ?? [],
            content: .canonicalJSON(signed))
    }
}
