/// A presentation that answers its request by credentials of the bundle; the algebra alone is left. What fails first throws, in the order
/// of anoncreds.md section 11.
struct PresentationExamination {
    let received: ReceivedPresentation
    let request: PresentationRequest
    let credentials: [KnownCredential]
    private let answers: PresentationAnswers
    let checks: [RevocationCheck]

    init(
        _ presentation: Span<UInt8>, _ request: PresentationRequest, _ context: AnonCredsContext, now: Int64
    ) throws(PresentationReason) {
        let received = try ReceivedPresentation(presentation, nonce: request.nonce)
        let classic: PresentationAnswers?, w3c: W3CAnswers?
        switch received.form {
        case .classic(let proof):
            classic = try ClassicAnswers.read(proof, to: request, subProofs: received.subProofs.count)
            w3c = nil
        case .w3c(let subjects):
            classic = nil
            w3c = try W3CAnswers(subjects, received.subProofs, to: request)
        }

        var credentials: [KnownCredential] = []
        for (subProof, identifier) in zip(received.subProofs, received.identifiers) {
            credentials.append(try KnownCredential(subProof, identifier, in: context, now: now))
        }
        if case .w3c(let subjects) = received.form {
            for (subject, credential) in zip(subjects, credentials) {
                guard subject.issuer == ExactText(credential.definition.issuerID) else { throw .issuerMismatch }
            }
        }
        let shown = classic?.ofSubProofs ?? w3c?.shown ?? []
        guard shown.count == credentials.count else { throw .presentationMalformed }
        for (credential, answer) in zip(credentials, shown) { try credential.checkNames(answer) }

        let restricted = zip(credentials, shown).map { $0.restricted($1) }
        let answers: PresentationAnswers
        if let classic { answers = classic } else if let w3c { answers = try w3c.placed(restricted) } else { throw .presentationMalformed }
        for (answer, credential) in zip(answers.ofSubProofs, restricted) {
            guard answer.restrictions.allSatisfy({ $0.isMet(by: credential) }) else { throw .restrictionUnmet }
        }
        for (credential, answer) in zip(credentials, answers.ofSubProofs) { try credential.checkPredicates(answer) }
        for (credential, answer) in zip(credentials, answers.ofSubProofs) { try credential.checkValues(answer) }
        try Self.checkResponses(credentials, received.aggregated.challenge)

        var checks: [RevocationCheck] = []
        for (credential, answer) in zip(credentials, answers.ofSubProofs) {
            checks.append(try RevocationCheck(credential, answer, overall: request.interval, context: context, now: now))
        }
        (self.received, self.request, self.credentials, self.answers, self.checks) = (received, request, credentials, answers, checks)
    }

    private static func checkResponses(_ credentials: [KnownCredential], _ challenge: ProofNumber) throws(PresentationReason) {
        guard ResponseRanges.allows(challenge: challenge) else { throw .responseOutOfRange }
        for credential in credentials { try credential.checkRanges() }
        for credential in credentials { try credential.checkLinks() }
        guard Set(credentials.map { $0.subProof.equality.m[.linkSecret] }).count == 1 else { throw .linkSecretDiffers }
    }

    /// Rule 9. Throws `presentationMalformed` where it would take too long, `commitmentsMismatch`, `proofInvalid`,
    /// `revocationProofInvalid`, `deadlinePassed`, `unavailable`.
    func checkAlgebra(_ deadline: Deadline) throws(PresentationReason) {
        let challenge = received.aggregated.challenge
        guard received.subProofs.reduce(0, { $0 + PrimaryTaus.exponentBits(of: $1, challenge) }) <= Limits.exponentBits else {
            throw .presentationMalformed
        }
        var transcript = ProofTranscript(credentials, checks, nonce: request.nonceNumber)
        guard received.aggregated.commitments == transcript.allCommitments else { throw .commitmentsMismatch }
        try transcript.compute(credentials, checks, challenge, deadline)
        guard try transcript.challenge() == challenge else {
            throw checks.contains { $0.due != nil } ? .revocationProofInvalid : .proofInvalid
        }
    }

    /// What it says, once `checkAlgebra` did not throw.
    var result: VerifiedPresentation {
        var notes: [VerifiedPresentation.Note] = [.holderBoundLinkSecret, credentials.count > 1 ? .sameHolder : .sameCredential]
        if checks.contains(where: \.isStale) { notes.append(.statusStale) }
        if !answers.selfAttested.isEmpty { notes.append(.selfAttested) }
        var places: [String: Int] = [:], selfAttested: [String: String] = [:]
        for (referent, place) in answers.places { places[referent.string] = place }
        for (referent, text) in answers.selfAttested { selfAttested[referent.string] = text }
        let shown = zip(zip(credentials, answers.ofSubProofs), checks).map { Self.shown($0.0, $0.1, $1.state) }
        return VerifiedPresentation(credentials: shown, places: places, selfAttested: selfAttested, notes: notes)
    }

    private static func shown(
        _ credential: KnownCredential, _ answer: SubProofAnswer, _ revocation: VerifiedPresentation.Revocation
    ) -> VerifiedPresentation.Credential {
        let schema = credential.schema, raw = answer.raw
        let revealed = schema.attributeNames.compactMap { name in
            raw[.view(name)].map { VerifiedPresentation.Revealed(name: name, raw: $0) }
        }
        let statements = answer.predicates.map { predicate in
            VerifiedPresentation.Statement(
                attribute: schema.spellings[predicate.attribute] ?? predicate.attribute.string, relation: predicate.relation.sign,
                value: predicate.value)
        }
        return VerifiedPresentation.Credential(
            issuerID: credential.definition.issuerID, schemaID: schema.id, schemaName: schema.name, schemaVersion: schema.version,
            definitionID: credential.definition.id, revealed: revealed, predicates: statements.sorted { $0.text < $1.text },
            revocation: revocation)
    }
}
