import Bluetooth

/// How a visit ends (mdoc.md section 2.5).
extension LinkCore {
    /// Says a last word, then waits for the phone to leave. After a failure this is the one thing that may still be said.
    mutating func end(saying word: borrowing Span<UInt8>, now: Instant) throws(MdocLinkRefusal) {
        self.now = now
        guard maySay else { throw .notOpen }
        guard outbox.put(word: word) else { throw .tooLong }
        if phase == .open { close(exchange == .answered ? .complete : .stopped) }
        maySpeak = false
        phaseDeadline = now.adding(milliseconds: timing.word)
    }

    /// Ends without a message: State says so where it can, and the phone is waited for.
    mutating func end(now: Instant) throws(MdocLinkRefusal) {
        self.now = now
        guard maySay else { throw .notOpen }
        outbox.dropUnbegun()
        if phase == .open { close(exchange == .answered ? .complete : .stopped) }
        maySpeak = false
        outbox.isEndDue = bearer == .client || bearer == .server && stateSubscribed
        phaseDeadline = now.adding(milliseconds: timing.word)
        if outbox.isEmpty { awaitLeave() }
    }

    /// The phone has said that it ends; it is given its time to leave.
    mutating func leave(now: Instant) throws(MdocLinkRefusal) {
        self.now = now
        guard maySay else { throw .notOpen }
        outbox.dropUnbegun()
        if phase == .open { close(exchange == .answered ? .complete : .stopped) }
        maySpeak = false
        awaitLeave()
    }

    private var maySay: Bool { isLinkUp && (phase == .open || phase == .closing && maySpeak) }

    /// Ends whatever is under way. Where a session is open the phone is told by State.
    mutating func stop(now: Instant) {
        self.now = now
        switch phase {
        case .idle, .closing: break
        case .seeking, .connecting:
            if isLinkUp { close(.stopped) } else { return finish(.stopped) }
            disconnect()
        case .opening:
            close(.stopped)
            disconnect()
        case .open: do throws(MdocLinkRefusal) { try end(now: now) } catch {}
        }
    }

    /// Ends the visit by a failure. Where there was a session its last word may be said, within `timing.word`.
    mutating func fail(_ reason: MdocLinkFailure) {
        guard phase != .idle, phase != .closing else { return }
        failure = reason
        failureDue = reason
        guard isLinkUp else { return finish(.failed) }
        let hadSession = phase == .open
        close(.failed)
        maySpeak = hadSession
        if !hadSession { disconnect() }
    }

    /// Nothing is received any more; the last word has its time to leave.
    mutating func close(_ end: MdocLinkEnd) {
        self.end = end
        phase = .closing
        air = .rest
        asked = nil
        isStepDue = false
        isChannelDue = false
        outbox.isStartDue = false
        seekDeadline = nil
        wayDeadline = nil
        channelDeadline = nil
        messages.abandon()
        stopReceiving()
        phaseDeadline = now.adding(milliseconds: timing.word)
    }

    /// All is said: a phone that is given a moment leaves by itself, and one that is cut off shows an error.
    mutating func awaitLeave() { phaseDeadline = now.adding(milliseconds: timing.leaving) }

    /// Back to the beginning, everything zeroed. A link that is up is ended first; nobody is told.
    mutating func reset() {
        phase = .idle
        air = .rest
        wipe()
        if isLinkUp { disconnect() }
    }

    /// The link is gone and nothing will be on the air.
    mutating func finish(_ end: MdocLinkEnd) {
        forgetLink()
        messages.abandon()
        outbox.wipe()
        phase = .idle
        air = .rest
        seekDeadline = nil
        wayDeadline = nil
        endDue = end
    }
}
