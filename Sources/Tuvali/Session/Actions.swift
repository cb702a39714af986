import Bluetooth

/// What the application does with a session.
extension Session {
    /// Advertising has begun with a fresh key: waits for a wallet.
    public mutating func startAdvertisement(now: Instant) throws(ActionRefused) {
        try check(.startAdvertisement)
        wipe()
        events.removeAll()
        phase = .advertising
        state = .advertising
        sessionDeadline = now.adding(milliseconds: timing.advertisement + timing.handover)
        lastDeadline = now.adding(milliseconds: timing.advertisement + 2 * timing.handover)
    }

    /// The first report waits for a wallet to listen.
    public var isReportDelayed: Bool { mutating get { reportAt != nil } }

    /// The wallet has subscribed to reports: it listens.
    public mutating func reportAtOnce() {
        guard reportAt != nil else { return }
        reportAt = nil
        isReportDue = true
    }

    /// Advertising has ended without a wallet.
    public mutating func stopAdvertising() throws(ActionRefused) {
        try check(.stopAdvertising)
        reset()
    }

    /// Tells that a request is considered sent. Nothing travels: no wallet reads the request characteristics today.
    public mutating func sendRequest() throws(ActionRefused) {
        try check(.sendRequest)
        state = .requested
    }

    /// Asks the wallet to disconnect; the link is forced down a little later.
    public mutating func disconnect(now: Instant) throws(ActionRefused) {
        try check(.disconnect)
        state = .disconnected
        close(.stopped, now)
    }

    /// Ends whatever is under way; `OVP_001` when a wallet was connected.
    public mutating func stop(now: Instant) -> TuvaliError? {
        guard isLinkUp, phase != .idle else {
            reset()
            return nil
        }
        if phase != .closing { close(.stopped, now) }
        return .transferStopped
    }

    /// Back to the beginning, everything wiped. The link, if any, is no longer the session's.
    public mutating func reset() {
        wipe()
        events.removeAll()
        phase = .idle
        state = .idle
        isLinkUp = false
    }

    /// The keys are agreed; chunks may come.
    public mutating func secureChannelEstablished(now: Instant) {
        guard phase == .identified else { return }
        phase = .secure
        state = .secureConnectionEstablished
        phaseDeadline = now.adding(milliseconds: patience.idle)
    }

    /// Tells the wallet the verdict, and gives it time to disconnect. False, and nothing is told, when no message waits
    /// for a verdict any more.
    @discardableResult
    public mutating func decide(accepted: Bool, now: Instant) -> Bool {
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
    public mutating func fail(_ error: TuvaliError, now: Instant) {
        guard isLinkUp, phase != .closing, phase != .idle else { return }
        state = .error
        events.append(.failed(error))
        close(.failed, now)
    }

    private func check(_ action: SessionState.Action) throws(ActionRefused) {
        guard state.allows(action) else { throw ActionRefused(action: action, state: state) }
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
