import Cryptography
import JSON
import LinkedData

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
    ///   - witness: is told why a proof is refused.
    ///   - time: now, in seconds since 1970.
    init(_ document: JSONValue, trust: TrustStore, memory: VerifierMemory, witness: Witness? = nil, at time: Seconds) throws(RejectReason) {
        // As the sender states it, to choose the keys with. What was signed must agree, see below.
        guard let stated = document["issuer"], let id = stated.kind == .string ? stated : stated["id"], id.kind == .string else { throw .issuerMissing }
        guard let issuer = trust.issuer(id) else { throw .issuerUnknown }
        guard issuer.forms.contains(.ldpVC) else { throw .formNotTrusted }
        self.issuer = issuer
        let (documents, keys, ignored) = try Self.verified(document, issuer, memory, witness, time)
        for (verified, key) in zip(documents, keys) {
            guard issuer.algorithms.contains(verified.algorithm) else { throw .algorithmNotTrusted }
            guard key.algorithm == nil || key.algorithm == verified.algorithm else { throw .keyMismatch }
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
        _ document: JSONValue, _ issuer: TrustedIssuer, _ memory: VerifierMemory, _ witness: Witness?, _ time: Seconds
    ) throws(RejectReason) -> ([VerifiedLinkedDocument], [TrustedKey], Int) {
        var keys: [TrustedKey] = []
        var refusal: RejectReason?
        do throws(LinkedProofError) {
            let set = try memory.proofs.verify(document, at: time) { proof in
                do throws(RejectReason) {
                    let key = try key(for: proof, of: issuer, at: time)
                    keys.append(key)
                    return key.key
                } catch {
                    refusal = refusal ?? error
                    return nil
                }
            }
            return (set.documents, keys, set.ignoredProofs)
        } catch {
            witness?.proofError = error
            throw error == .keyUnknown ? refusal ?? .keyUnknown : error.rejectReason
        }
    }

    /// The key of exactly that verification method, if the issuer is trusted with it and with the suite.
    private static func key(for proof: LinkedProof, of issuer: TrustedIssuer, at time: Seconds) throws(RejectReason) -> TrustedKey {
        guard issuer.suites.contains(proof.suite) else { throw .suiteNotTrusted }
        let method = proof.verificationMethod
        if let pinned = issuer.keys.first(where: { $0.id.isExactly(method) }) {
            guard pinned.isCurrent(at: time) else { throw .keyNotCurrent }
            return pinned
        }
        guard let id = LocalDID.controller(ofMethod: method), issuer.ids.contains(where: { $0.isExactly(id) }), let local = LocalDID.publicKey(of: id)
        else { throw .keyUnknown }
        return TrustedKey(id: method, octets: Array(method.utf8), key: local.key, algorithm: local.algorithm, notBefore: nil, notAfter: nil)
    }
}
