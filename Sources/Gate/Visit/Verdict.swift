import Bluetooth
import Credentials
import Cryptography
import Tuvali

/// From Identify to the verdict.
extension Gatekeeper {
    /// Both sides' keys make the key of the wallet's message (tuvali.md section 5).
    mutating func agree(_ moment: Moment) {
        times.identified = sinceConnected(moment)
        host.owePatience()
        do throws(CryptographyError) {
            let walletKey = session.walletKey
            let secret = try agreement.agree(with: walletKey.span)
            channelKey = try derivation.derive(32, from: secret, salt: Self.salt.span, info: Self.info.span)
            // The private key has done its work.
            agreement.forget()
            session.secureChannelEstablished(now: moment.instant)
        } catch {
            session.fail(.peripheralFailed, now: moment.instant)
        }
    }

    /// `SHA-256`
    private static var salt: InlineArray<7, UInt8> { [0x53, 0x48, 0x41, 0x2D, 0x32, 0x35, 0x36] }
    /// `SKVerifier`: data to the verifier is encrypted with the verifier's key.
    private static var info: InlineArray<10, UInt8> { [0x53, 0x4B, 0x56, 0x65, 0x72, 0x69, 0x66, 0x69, 0x65, 0x72] }

    /// Opens the whole message; verification is done by `expire`, so that the report that ends the transfer goes out first.
    mutating func open(_ moment: Moment) {
        times.received = sinceConnected(moment)
        let size = session.messageSize
        guard channelKey != nil, size > 0, size <= message.count else { return session.fail(.transferFailed, now: moment.instant) }
        let nonce = session.nonce
        let whole = UnsafeMutableRawBufferPointer(rebasing: message[..<size])
        let error = openMessage(whole, nonce)
        channelKey = nil
        // The compressed text is not wanted any more, and the wallet may stay for a while.
        Cryptography.wipe(whole)
        times.opened = sinceConnected(moment)
        if let error { return settle(.rejected, [.opening(error)], moment) }
        fruit = .opened
        progress = .opened
    }

    private mutating func openMessage(
        _ whole: UnsafeMutableRawBufferPointer, _ nonce: InlineArray<12, UInt8>
    ) -> OpeningError? {
        // Out of its place for the call: two parts of the gate cannot be lent at once. It is not wanted afterwards.
        guard let key = channelKey.take() else { return .unavailable }
        do throws(OpeningError) {
            _ = try opener.open(whole, key: key, nonce: nonce.span)
            return nil
        } catch {
            return error
        }
    }

    /// A message waits for its verdict, and no other verdict is shown any more. One visitor at a time: light and status are told together.
    var isVerdictDue: Bool { mutating get { progress == .opened && !verdictLight.isStanding } }

    /// The opened message waits no longer: how long it did, and behind what light.
    mutating func noteWait(_ moment: Moment) {
        guard let opened = times.opened, let now = sinceConnected(moment) else { return }
        waitedMilliseconds = now - min(now, opened)
        hasWaitedBehindNonsense = isLightForNonsense
    }

    /// The credential against the trusted issuers, then the policy.
    mutating func verify(_ moment: Moment) {
        guard isVerdictDue else { return }
        noteWait(moment)
        var received: ReceivedCredential
        let examination: Examination
        do throws(RejectReason) {
            received = try opener.withPayload { (payload) throws(RejectReason) in try ReceivedCredential(message: payload) }
            examination = verifier.examine(received, at: moment.wall, uptime: moment.uptime)
        } catch {
            opener.wipe()
            return settle(.rejected, [.credential(error)], moment)
        }
        opener.wipe()
        received.wipe()
        switch examination.verdict {
        case .reject(let reasons):
            settle(.rejected, reasons.map(GateReason.credential), form: received.form, signer: examination.signer, moment)
        case .accept(let credential):
            isGenuine = true
            face(credential, moment)
        }
    }

    /// A verdict is reached: its record goes to the shell first, and `recordStored` tells the world.
    mutating func settle(
        _ outcome: VisitRecord.Outcome, _ reasons: [GateReason], form: CredentialForm? = nil, signer: String? = nil,
        credential: VerifiedCredential? = nil, face: FaceRecord? = nil, _ moment: Moment
    ) {
        times.decided = sinceConnected(moment)
        isGenuine = credential != nil || reasons.areOfGenuineCredential
        guard hasRecord(outcome, isGenuine: isGenuine, moment) else { return decide(false, moment) }
        var record = visitRecord(outcome)
        record.reasons = reasons
        let form = credential?.form ?? form
        record.form = form
        record.face = face
        record.issuer = credential?.issuer ?? signer
        if form != nil { record.bundle = verifier.trust.terms?.sequence }
        if let credential {
            record.proof = credential.proof
            record.status = credential.status.status
            record.notes = credential.notes.map(\.code).sorted()
            record.isHolderBound = face?.outcome.isBound ?? false
            if record.isHolderBound != true { record.notes.append("holder-not-bound") }
        }
        self.record = record
        isRecordTaken = false
        progress = .recording(accepted: outcome == .accepted)
    }

    /// The verdict goes to the wallet and to the light.
    mutating func decide(_ isAccepted: Bool, _ moment: Moment) {
        progress = .decided
        // Nobody waits for it any more: then no light says it either.
        guard session.decide(accepted: isAccepted, now: moment.instant) else { return }
        if isAccepted {
            fruit = .accepted
            visitors.welcomed(visitor)
        }
        // What did not open says nothing about anybody: noise under the key that is on the air.
        if fruit == .none { return verdictLight.showFailure(for: policy.failureLight, at: moment.instant) }
        isLightForNonsense = !isAccepted && !isGenuine
        verdictLight.show(accepted: isAccepted, for: policy.verdictLight, pause: policy.verdictPause, at: moment.instant)
    }

    mutating func visitRecord(_ outcome: VisitRecord.Outcome) -> VisitRecord {
        visits += 1
        var record = VisitRecord(visit: visits, outcome: outcome)
        record.deadline = session.missed
        record.step = step
        record.mtu = session.attributeMTU
        record.chunks = session.totalChunks
        record.checksumFailures = session.checksumFailures
        let size = session.messageSize
        if size > 0 { record.sizeClass = Int.bitWidth - 1 - size.leadingZeroBitCount }
        record.times = times
        let drops = host.counters.total
        record.drops = drops - min(drops, dropsBefore)
        dropsBefore = drops
        return record
    }

    private func sinceConnected(_ moment: Moment) -> UInt64? {
        connectedAt.map { moment.instant.milliseconds(since: $0) }
    }
}

extension [GateReason] {
    /// Whether the issuer's signature held. A document that anybody can fetch, as a status list, may be signed with the issuer's key too; no entry of
    /// the trust bundle has its type.
    var areOfGenuineCredential: Bool { contains(where: \.isOfGenuineCredential) && !contains(.credential(.typeNotTrusted)) }
}
