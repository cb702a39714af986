import Bluetooth
import Credentials
import Faces
import Presentation
import Trust
import Tuvali

/// From the opened message to the verdict.
extension Gatekeeper {
    /// The opened message waits no longer: how long it did, and behind what light.
    mutating func noteWait(_ now: Now) {
        guard let opened = visit.times.opened, let now = sinceConnected(now) else { return }
        admission.noteWait(now - min(now, opened), behindNonsense: light.isForNonsense)
    }

    /// The credential against the trusted issuers, then the policy.
    ///
    /// - Parameter hasEnded: as of `verify`.
    mutating func verifyMessage(_ now: Now, _ hasEnded: @escaping () -> Bool) {
        actions.beginVerifying()
        guard visit.isOpened else { return verifyPost(now, hasEnded) }
        noteWait(now)
        if presentations.isByMdoc { return verifyAnswer(now) }
        if presentations.isByAries { return verifyProof(now, hasEnded) }
        if presentations.isByTrustedKey { return verifyTrustedKey(now) }
        var received: ReceivedCredential
        let examination: Examination
        do throws(RejectReason) {
            received = try takeCredential()
            examination = verifier.examine(received, at: now.wall, uptime: now.uptime)
        } catch {
            return judge(.rejected, [.credential(error)], now)
        }
        received.wipe()
        switch examination.verdict {
        case .reject(let reasons):
            judge(.rejected, reasons.map(GateReason.credential), form: received.form, signer: examination.signer, now)
        case .accept(let credential):
            admission.noteGenuine(true)
            compareFaces(BelievedCredential(credential), now)
        }
    }

    /// What was presented. It is not wanted where it came from any more.
    private mutating func takeCredential() throws(RejectReason) -> ReceivedCredential {
        if presentations.isByCode { return try presentations.code.takeCredential() }
        defer { presentations.tuvali.forgetMessage() }
        return try presentations.tuvali.withMessage { (payload) throws(RejectReason) in try ReceivedCredential(message: payload) }
    }

    // MARK: the face

    /// A credential is believed: compares faces, as far as the policy wants.
    mutating func compareFaces(_ credential: BelievedCredential, _ now: Now) {
        let hasPortrait = if case .none = credential.face { false } else { true }
        let isCompared = policy.face == .required || (policy.face == .whenPhoto && hasPortrait)
        // Whoever has seen a code once has a copy of it: without a face it says nothing of who holds it.
        let isCopyInVain = presentations.isByCode && !isCompared && !policy.acceptsCopy(of: credential.type)
        guard isCompared || isCopyInVain else { return judge(.accepted, [], credential: credential, now) }
        // Only for whom it makes a difference: whoever needs no face leaves the key to the next.
        // Nor is it for somebody who may sit anywhere on the gate's network, with an answer that was ready before the key was turned.
        if !presentations.isFromNetwork, supervised.use(by: admission.servedSince, at: now.monotonic) {
            return judge(.accepted, [], credential: credential, isSupervised: true, now)
        }
        guard isCompared else { return judge(.rejected, [.copyNeedsFace], credential: credential, now) }
        guard hasPortrait else { return judge(.rejected, [.face(.noPortrait)], credential: credential, now) }
        // There is one, and it is no text: not the same as none.
        guard credential.portrait != nil else { return judge(.rejected, [.face(.unsupportedPortrait)], credential: credential, now) }
        // Whose visit failed has gone: from now on another one stands there.
        light.endFailure()
        visit.compare(credential, at: now.monotonic)
    }

    /// When the gate stops waiting for the shell.
    var faceDeadline: Instant? {
        if case .comparing(let pending) = visit.state { pending.since.adding(milliseconds: policy.faceTime) } else { nil }
    }

    mutating func closeFaceCheck(_ outcome: FaceOutcome, _ now: Now) {
        guard case .comparing(let pending) = visit.state else { return }
        let taken = now.monotonic.milliseconds(since: pending.since)
        // What the visitor had to wait for; not what somebody spends who stays out of sight.
        admission.noteFace(outcome.isTrial || !outcome.isVisitorsDoing ? taken : 0)
        var reasons = outcome.reason.map { [GateReason.face($0)] } ?? []
        if outcome.isBound {
            // A visitor can look into the camera for longer than a bundle lasts.
            if pending.isOutdated { reasons = [.trustChanged] }
            if let refusal = verifier.trust.terms?.refusal(at: now.wall, uptime: now.uptime) { reasons = [.credential(refusal)] }
        }
        judge(
            outcome.isBound && reasons.isEmpty ? .accepted : .rejected, reasons, credential: pending.credential,
            face: FaceRecord(outcome: outcome, milliseconds: taken), now)
    }

    // MARK: the verdict

    /// A verdict is reached: its record goes to the shell first, and `recordStored` tells the world.
    mutating func judge(
        _ outcome: VisitRecord.Outcome, _ reasons: [GateReason], form: CredentialForm? = nil, signer: String? = nil,
        credential: BelievedCredential? = nil, face: FaceRecord? = nil, isSupervised: Bool = false, _ now: Now
    ) {
        visit.times.decided = sinceConnected(now)
        visit.reason = reasons.first
        let isGenuine = credential != nil || reasons.areOfGenuineCredential
        admission.noteGenuine(isGenuine)
        guard grantsRecord(outcome, isGenuine: isGenuine, now) else { return tell(false, now) }
        var record = makeRecord(outcome)
        record.reasons = reasons
        let form = credential?.form ?? form
        record.form = form
        record.face = face
        record.issuer = credential?.issuer ?? signer
        if form != nil { record.bundle = verifier.trust.terms?.sequence }
        if let credential {
            record.proof = credential.proof
            record.status = credential.status
            record.notes = credential.notes.sorted()
            record.binding = credential.binding
            record.isHolderBound = face?.outcome.isBound ?? false
            if record.isHolderBound != true { record.notes.append("holder-not-bound") }
            if isSupervised { record.notes.append("supervisor") }
        }
        visit.state = .recording(record, accepted: outcome == .accepted)
    }

    /// The verdict goes to the wallet and to the light.
    mutating func tell(_ isAccepted: Bool, _ now: Now) {
        visit.state = .closed
        // Nobody waits for it any more: then no light says it either.
        guard presentations.tell(isAccepted, at: now.monotonic) else { return }
        if isAccepted { admission.welcome() }
        // What did not open says nothing about anybody: noise under the key that is on the air.
        guard admission.hasOpened else { return light.showFailure(for: policy.failureLight, at: now.monotonic) }
        light.show(
            accepted: isAccepted, reason: visit.reason, isNonsense: !isAccepted && !admission.isGenuine, for: policy.verdictLight,
            pause: policy.verdictPause, at: now.monotonic)
        actions.tell(isAccepted)
        // Nobody has to hear it before the next visit may begin.
        if presentations.isWhole { endCode(now) }
    }

    // MARK: the record

    /// Makes the record of a visit that ends without a verdict.
    ///
    /// - Parameter failure: what became of a phone's visit, by its code.
    mutating func close(_ outcome: VisitRecord.Outcome, error: TuvaliError? = nil, failure: String? = nil, _ now: Now) {
        switch visit.state {
        case .waiting, .opened, .comparing:
            // Before the camera the credential is believed already.
            let isGenuine = visit.isWaitingForFace
            visit.state = .closed
            guard grantsRecord(outcome, isGenuine: isGenuine, now) else { return }
            var record = makeRecord(outcome)
            record.error = error
            record.failure = failure
            actions.store(record)
        case .recording(var record, accepted: true):
            // Believed, but nobody was told: a record that is still here must not say that somebody entered.
            record.outcome = outcome
            record.error = error
            actions.store(record)
            visit.state = .closed
        case .storing(_, accepted: true): visit.state = .closed
        case .recording(_, accepted: false), .storing(_, accepted: false), .closed: break
        }
    }

    private mutating func grantsRecord(_ outcome: VisitRecord.Outcome, isGenuine: Bool, _ now: Now) -> Bool {
        admission.grantsRecord(outcome, isCommitted: presentations.isCommitted, isGenuine: isGenuine, at: now.monotonic)
    }

    private mutating func makeRecord(_ outcome: VisitRecord.Outcome) -> VisitRecord {
        let kind: VisitRecord.Presentation =
            switch presentations.current {
            case .code: .code
            case .mdoc: .mdoc
            case .aries: .aries
            case .trustedKey: .trustedkey
            case .none, .tuvali: .tuvali
            }
        var record = visit.record(outcome, by: kind, step: admission.step, presentations.report, drops: host.counters.total)
        if kind == .mdoc { record.mdoc = visit.mdoc ?? MdocRecord(presentations.mdoc.report) }
        if kind == .aries {
            record.proven = AriesRecord(visit.proven, missed: presentations.aries.link.missed, isPosted: presentations.isByPost)
        }
        return record
    }
}

extension [GateReason] {
    /// Whether the issuer's signature held. A document that anybody can fetch, as a status list, may be signed with the issuer's key too;
    /// no entry of the trust bundle has its type.
    var areOfGenuineCredential: Bool { contains(where: \.isOfGenuineCredential) && !contains(.credential(.typeNotTrusted)) }
}
