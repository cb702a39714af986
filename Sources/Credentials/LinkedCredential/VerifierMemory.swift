/// What a verifier learned from pinned documents alone. A verdict is the same with and without it; it only comes sooner.
final class VerifierMemory {
    var proofs: LinkedProofVerification
    /// Status lists already read, and when that was.
    var lists: [StatusLookup.Key: (read: Result<StatusList, StatusListFault>, at: Seconds)] = [:]

    init(trust: TrustStore) {
        proofs = LinkedProofVerification(contexts: trust.contexts)
    }
}
