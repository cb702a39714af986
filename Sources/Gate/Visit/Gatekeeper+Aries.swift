import AriesTransport
import Bluetooth
import Credentials
import Cryptography
import DIDComm
import Presentation
import Trust

/// Wallets that are asked for a proof (AnonCreds, aries.md): what they are asked by the code on the screen, and what becomes of the answer.
extension Gatekeeper {
    /// Whether the site offers it and says what is asked.
    var asksForProofs: Bool { offer.settings.kinds.contains(.aries) && policy.proofs != nil }

    /// Why nobody can be asked for a proof, although the site offers it; nil where somebody can.
    public var proofObstacle: ProofObstacle? {
        // Mutating in name only, as `deadline`.
        mutating get { asksForProofs ? presentations.aries.obstacle : nil }
    }

    // MARK: the question

    /// A fresh nonce, key, service and thread; none where nobody can be asked.
    mutating func renewQuestion(_ now: Now) {
        isQuestionOutdated = false
        presentations.renewQuestion(verifier.trust.anoncreds, at: certain(now))
        offer.service = presentations.service
    }

    /// The code of the question takes its turn; where there is no question there is no code.
    mutating func showQuestion() {
        var text = presentations.questionText()
        offer.put(text.span, of: .aries)
        Cryptography.wipe(&text)
    }

    /// Others are believed: nobody is asked any more what was asked in the name of those before. Whoever is there already is judged by what
    /// is believed then.
    ///
    /// So it is where another day has begun: dates are asked by the day.
    mutating func refreshQuestion(_ now: Now) {
        guard !presentations.isCommitted, !presentations.hasPost, !host.isConnected, !isStopping, host.isReady else { return }
        guard isQuestionOutdated || presentations.isQuestionOfAnotherDay(at: certain(now)) else { return }
        beginVisit(now)
    }

    /// Seconds since 1970, as late as is certain.
    private func certain(_ now: Now) -> Int64 {
        (verifier.trust.terms?.clock(at: now.wall, uptime: now.uptime) ?? .sure(now.wall)).now
    }

    // MARK: a message that is no proof

    /// The message does not answer what was asked: its wallet is told so, and nobody else.
    mutating func unread(_ code: AriesCode, _ now: Now) {
        noteMessage(now)
        judge(.rejected, [.proof(.message(code))], now)
    }

    /// The holder does not want to: no verdict on anybody.
    mutating func declined(_ now: Now) {
        noteMessage(now)
        close(.left, failure: AriesCode.declined.rawValue, now)
    }

    /// There was no message.
    mutating func broken(_ fault: AriesFault, _ now: Now) {
        guard presentations.isCommitted else { return }
        close(fault == .timedOut ? .timedOut : .failed, failure: fault.code.description, now)
        light.showFailure(for: policy.failureLight, at: now.monotonic)
    }

    // MARK: a message that was posted

    /// A message that somebody has posted on the gate's own network (aries.md section 6). Whoever sees the code can seal one, without
    /// standing there: it is a visitor's only once a proof in it has held. Until then no phone has to leave, no light is turned, and what
    /// does not open changes nothing at all.
    ///
    /// - Parameter octets: the whole body.
    public mutating func receive(post octets: Span<UInt8>, at now: Now) -> PostReceipt {
        guard !isStopping, !presentations.isCommitted, presentations.aries.awaitsPost else { return .nobodyAsked }
        guard !admission.takesNoPosts(at: now.monotonic) else { return .nobodyAsked }
        if case .unopened(let code) = presentations.open(post: octets, at: now.monotonic) { return .unopened(code) }
        return .taken
    }

    /// What whoever posted a message is told, once its verdict is told to the world, or there will be none.
    public mutating func takePostReply() -> PostReply? { presentations.takePostReply() }

    /// What was posted against what is believed. While the verdict on a visit stands it waits: its light has to go out in time.
    var isPostDue: Bool { presentations.hasPost && !light.isStanding && !isStopping }

    mutating func verifyPost(_ now: Now, _ hasEnded: @escaping () -> Bool) {
        // The bundle's own rules come first: a gate whose trust is over believes nobody.
        if let refusal = verifier.trust.terms?.refusal(at: now.wall, uptime: now.uptime) { return refusePost(.credential(refusal), now) }
        let finding = presentations.aries.finding(by: verifier.trust.anoncreds, at: certain(now), hasEnded: hasEnded)
        if case .reject(let reason, _) = finding, !finding.isOfGenuineCredential { return refusePost(.proof(reason), now) }
        beginCode(now, isFromNetwork: true)
        presentations.commitPost()
        offer.remove(.aries)
        conclude(finding, now)
    }

    /// Nobody's proof: a word to whoever posted it, a record while there is a budget for those, and a rest for as long as it keeps the gate
    /// from ever spending much of its time so.
    private mutating func refusePost(_ reason: GateReason, _ now: Now) {
        if admission.grantsPostRecord(at: now.monotonic) {
            var record = visit.record(
                .rejected, by: .aries, step: 0, presentations.aries.report, drops: host.counters.total, times: VisitTimes())
            record.reasons = [reason]
            record.form = .anoncreds
            record.bundle = verifier.trust.terms?.sequence
            record.proven = AriesRecord(nil, missed: nil, isPosted: true)
            actions.store(record)
        }
        presentations.refusePost(at: now.monotonic)
        admission.beginRest(at: now.monotonic)
    }

    // MARK: the proof

    /// The presentation against what is believed, then the policy.
    mutating func verifyProof(_ now: Now, _ hasEnded: @escaping () -> Bool) {
        // The bundle's own rules come first: a gate whose trust is over believes nobody.
        if let refusal = verifier.trust.terms?.refusal(at: now.wall, uptime: now.uptime) {
            return judge(.rejected, [.credential(refusal)], form: .anoncreds, now)
        }
        conclude(presentations.aries.finding(by: verifier.trust.anoncreds, at: certain(now), hasEnded: hasEnded), now)
    }

    private mutating func conclude(_ finding: ProofFinding, _ now: Now) {
        switch finding {
        case .reject(let reason, let proven):
            visit.proven = proven
            judge(.rejected, [.proof(reason)], form: .anoncreds, signer: proven?.issuer, now)
        case .accept(let proven):
            visit.proven = proven
            admission.noteGenuine(true)
            var believed = BelievedCredential(proven)
            if case .unsure? = verifier.trust.terms?.clock(at: now.wall, uptime: now.uptime) {
                believed.notes.append(CredentialNote.clockUnsure.code)
            }
            compareFaces(believed, now)
        }
    }
}
