/// What a verifier learned from pinned documents alone. A verdict is the same with and without it, but for the hour that a status list's signature
/// rests (`StatusMemory`); it only comes sooner.
final class VerifierMemory {
    var proofs: LinkedProofVerification
    var lists = StatusMemory()

    init(trust: TrustStore) {
        proofs = LinkedProofVerification(contexts: trust.contexts)
    }
}
