import Cryptography
import Envelopes
import JSON
import LinkedData
import Trust

/// A JSON-LD document that a trusted issuer signed, with one of the keys and suites it is trusted with.
struct IssuerProof {
    let issuer: TrustedIssuer
    let facts: LinkedFacts
    let verified: VerifiedLinkedDocument
    /// The verification method of the proof that decided.
    let keyID: String
    /// Proofs by keys or of kinds that are not known here. Anyone can add one.
    let ignoredProofs: Int

    /// JSON-LD documents are read at most this long: a portrait of a megabyte.
    static let limits = JSONLimits(bytes: LinkedDataLimits.standard.documentBytes)

    /// - Parameters:
    ///   - document: the whole document as received.
    ///   - context: its witness is told why a proof is refused.
    init(_ document: JSONValue, _ context: VerificationContext) throws(RejectReason) {
        // As the sender states it, to choose the keys with. What was signed must agree, see below.
        guard let stated = document["issuer"], let id = stated.kind == .string ? stated : stated["id"], id.kind == .string else {
            throw .issuerMissing
        }
        guard let issuer = context.trust.issuer(id) else { throw .issuerUnknown }
        guard issuer.forms.contains(.ldpVC) else { throw .formNotTrusted }
        self.issuer = issuer
        let (documents, keys, ignored) = try Self.verified(document, KeyRule(issuer: issuer, time: context.time), context)
        for (verified, key) in zip(documents, keys) {
            try KeyRule(issuer: issuer, time: context.time).check(key, signedWith: verified.algorithm)
        }
        guard let first = documents.first, let key = keys.first else { throw .keyUnknown }
        facts = try LinkedFacts(first.content)
        let signed = facts.issuer
        guard issuer.ids.contains(where: { $0.isExactly(signed) }) else { throw .issuerMismatch }
        verified = first
        keyID = key.id
        ignoredProofs = ignored
    }

    /// Every proof by a key of the issuer's, each verified; and how many others there are.
    private static func verified(
        _ document: JSONValue, _ rule: KeyRule, _ context: VerificationContext
    ) throws(RejectReason) -> ([VerifiedLinkedDocument], [TrustedKey], Int) {
        var keys: [TrustedKey] = []
        var refusal: RejectReason?
        do throws(LinkedProofError) {
            let set = try context.proofs.verification.verify(document, at: context.time) { proof in
                do throws(RejectReason) {
                    let key = try rule.key(ofMethod: proof.verificationMethod, proof.suite)
                    keys.append(key)
                    return key.key
                } catch {
                    refusal = refusal ?? error
                    return nil
                }
            }
            return (set.documents, keys, set.ignoredProofs)
        } catch {
            context.witness.proofError = error
            throw error == .keyUnknown ? refusal ?? .keyUnknown : error.rejectReason
        }
    }
}
