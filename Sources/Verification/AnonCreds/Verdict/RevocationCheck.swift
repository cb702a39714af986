/// Whether non-revocation is due, and what a proof of it is checked with (anoncreds.md section 6).
struct RevocationCheck {
    /// What there is to compute.
    struct Due {
        let proof: NonRevocationProof
        let key: RevocationKey
        let registry: RevocationRegistry
        let list: RevocationStatusList
    }

    let state: VerifiedPresentation.Revocation
    let due: Due?
    let isStale: Bool

    /// - Parameter overall: the request's own interval, for what has none by its items.
    ///
    /// Throws the reasons of revocation but the one of the algebra.
    init(
        _ credential: KnownCredential, _ answer: SubProofAnswer, overall: PresentationRequest.Interval?, context: AnonCredsContext,
        now: Int64
    ) throws(PresentationReason) {
        let intervals = answer.intervals.isEmpty ? [overall].compactMap { $0 } : answer.intervals
        let stated = credential.subProof.nonRevocation
        guard let key = credential.definition.revocation else {
            // There is nothing to check it with.
            guard stated == nil else { throw .revocationProofInvalid }
            (state, due, isStale) = (.cannotBeRevoked, nil, false)
            return
        }
        // What nobody asked for is verified all the same.
        guard !intervals.isEmpty || stated != nil else {
            (state, due, isStale) = (.notAsked, nil, false)
            return
        }
        guard let stated, let registryID = credential.identifier.registryID, let timestamp = credential.identifier.timestamp else {
            throw .revocationProofMissing
        }
        guard intervals.allSatisfy({ $0.contains(timestamp) }) else { throw .revocationInterval }
        guard let registry = context.registry(registryID), ExactText(registry.definitionID) == credential.identifier.definitionID else {
            throw .revocationRegistryUnknown
        }
        let (list, isStale) = try context.list(registryID, timestamp, now: now)
        state = .notRevoked(at: timestamp)
        due = Due(proof: stated, key: key, registry: registry, list: list)
        self.isStale = isStale
    }
}
