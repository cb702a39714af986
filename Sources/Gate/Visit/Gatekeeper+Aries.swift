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
        let clock = verifier.trust.terms?.clock(at: now.wall, uptime: now.uptime) ?? .sure(now.wall)
        presentations.renewQuestion(verifier.trust.anoncreds, at: clock.now)
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
    mutating func refreshQuestion(_ now: Now) {
        guard isQuestionOutdated, !presentations.isCommitted, !host.isConnected, !isStopping, host.isReady else { return }
        beginVisit(now)
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

    /// A message that somebody has posted on the gate's own network (aries.md section 6). The first that opens with the visit's key is the
    /// visitor's; what does not changes nothing.
    ///
    /// - Parameter octets: the whole body.
    public mutating func receive(post octets: Span<UInt8>, at now: Now) -> PostReceipt {
        guard !isStopping, !presentations.isCommitted, presentations.aries.awaitsPost else { return .nobodyAsked }
        guard !admission.isPaused(at: now.monotonic) else { return .nobodyAsked }
        if case .unopened(let code) = presentations.open(post: octets) { return .unopened(code) }
        beginCode(now)
        offer.remove(.aries)
        drain(now)
        return .taken
    }

    /// What whoever posted the visit's message is told, once its verdict is told to the world.
    public mutating func takePostReply() -> PostReply? { presentations.takePostReply() }

    // MARK: the proof

    /// The presentation against what is believed, then the policy.
    mutating func verifyProof(_ now: Now, _ hasEnded: @escaping () -> Bool) {
        // The bundle's own rules come first: a gate whose trust is over believes nobody.
        if let refusal = verifier.trust.terms?.refusal(at: now.wall, uptime: now.uptime) {
            return judge(.rejected, [.credential(refusal)], form: .anoncreds, now)
        }
        let clock = verifier.trust.terms?.clock(at: now.wall, uptime: now.uptime) ?? .sure(now.wall)
        switch presentations.aries.finding(by: verifier.trust.anoncreds, at: clock.now, hasEnded: hasEnded) {
        case .reject(let reason, let proven):
            visit.proven = proven
            judge(.rejected, [.proof(reason)], form: .anoncreds, signer: proven?.issuer, now)
        case .accept(let proven):
            visit.proven = proven
            admission.noteGenuine(true)
            var believed = BelievedCredential(proven)
            if case .unsure = clock { believed.notes.append(CredentialNote.clockUnsure.code) }
            compareFaces(believed, now)
        }
    }
}
