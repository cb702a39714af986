import Bluetooth

/// What the application does with a session.
extension SessionCore {
    /// Advertising has begun with a fresh key: waits for a wallet.
    mutating func startAdvertisement(sharesLink: Bool, now: Instant) throws(ActionRefused) {
        guard phase == .idle else { throw ActionRefused() }
        wipe()
        self.sharesLink = sharesLink
        events.removeAll()
        phase = .advertising
        sessionDeadline = now.adding(milliseconds: timing.advertisement + timing.handover)
        lastDeadline = now.adding(milliseconds: timing.advertisement + 2 * timing.handover)
    }

    /// The wallet has subscribed to reports: it listens.
    mutating func reportAtOnce() {
        guard reportAt != nil else { return }
        reportAt = nil
        isReportDue = true
    }

    /// Ends whatever is under way; `OVP_001` when a wallet was connected.
    mutating func stop(now: Instant) -> TuvaliError? {
        guard isLinkUp, phase != .idle else {
            reset()
            return nil
        }
        if phase != .closing { close(.stopped, now) }
        return .transferStopped
    }

    /// Back to the beginning, everything wiped. The link, if any, is no longer the session's.
    mutating func reset() {
        wipe()
        events.removeAll()
        phase = .idle
        isLinkUp = false
    }

    /// The keys are agreed; chunks may come.
    mutating func secureChannelEstablished(now: Instant) {
        guard phase == .identified else { return }
        phase = .secure
        phaseDeadline = now.adding(milliseconds: patience.idle)
    }

    /// Tells the wallet the verdict, and gives it time to disconnect. False, and nothing is told, when no message waits
    /// for a verdict any more.
    mutating func decide(accepted: Bool, now: Instant) -> Bool {
        guard phase == .deciding else { return false }
        status = accepted ? 0x00 : 0x01
        isStatusDue = true
        phase = .waitingDisconnect
        end = .complete
        // Runs from the moment the status has left; see `didPush`. Until then a wallet that takes no data is waited for.
        phaseDeadline = now.adding(milliseconds: patient(patience.status, events: 5))
        return true
    }

    /// Ends the session by an error.
    mutating func fail(_ error: TuvaliError, now: Instant) {
        guard isLinkUp, phase != .closing, phase != .idle else { return }
        events.append(.failed(error))
        close(.failed, now)
    }

    /// Pushes Disconnect and waits a little for the wallet to go.
    mutating func close(_ reason: SessionEnd, _ now: Instant) {
        end = reason
        phase = .closing
        isDisconnectDue = true
        reportAt = nil
        resendAt = nil
        isReportDue = false
        // What was not told by now is not told at all.
        isStatusDue = false
        transferDeadline = nil
        // Who has not identified is owed no word: a slow link gains a stranger nothing there.
        phaseDeadline = now.adding(milliseconds: hasIdentified ? patient(patience.afterDisconnect, events: 3) : patience.afterDisconnect)
    }
}
