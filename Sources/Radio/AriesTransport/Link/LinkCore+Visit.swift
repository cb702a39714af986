import Bluetooth

/// What the application does with a visit.
extension LinkCore {
    mutating func begin(_ invitation: borrowing Span<UInt8>, now: Instant) throws(AriesRefusal) {
        guard phase == .idle else { throw .busy }
        wipe()
        events.removeAll()
        guard outbox.load(invitation) else { throw .invitationLength }
        self.now = now
        phase = .waiting
        offerDeadline = now.adding(milliseconds: timing.offer + timing.handover)
        lastDeadline = now.adding(milliseconds: timing.offer + 2 * timing.handover)
    }

    /// Says the answer in the place of the invitation.
    mutating func answer(_ message: borrowing Span<UInt8>, now: Instant) -> Bool {
        guard isLinkUp, phase == .judging || phase == .closing && mayAnswer, outbox.load(message) else { return false }
        self.now = now
        outbox.begin()
        if phase == .judging { end = .complete }
        mayAnswer = false
        phase = .answering
        // Each piece takes two connection events: it goes out, and is confirmed.
        let pieces = UInt64(message.count / PieceSize.piece(mtu: mtu) + 2)
        phaseDeadline = now.adding(milliseconds: patient(patience.answer, events: 2 * pieces))
        return true
    }

    mutating func close(now: Instant) -> Bool {
        guard isLinkUp, phase == .judging || phase == .closing && mayAnswer else { return false }
        self.now = now
        if phase == .judging { end = .complete }
        cutOff()
        return true
    }

    mutating func stop(now: Instant) -> Bool {
        self.now = now
        guard isLinkUp, phase != .idle else {
            reset()
            return false
        }
        guard phase != .closing || mayAnswer else { return true }
        end = .stopped
        cutOff()
        return true
    }

    /// Back to the beginning, everything wiped. The link, if any, is no longer the visit's.
    mutating func reset() {
        wipe()
        events.removeAll()
        phase = .idle
        isLinkUp = false
    }

    /// Ends the visit by a fault. Whoever was invited may be told.
    mutating func fail(_ fault: AriesFault) {
        events.append(.failed(fault))
        end = fault == .timedOut ? .timedOut : .failed
        guard isInvited else { return cutOff() }
        stopTransfer()
        mayAnswer = true
        phaseDeadline = now.adding(milliseconds: patience.word)
    }

    /// The link is forced down: nothing is said any more.
    mutating func cutOff() {
        stopTransfer()
        mayAnswer = false
        events.append(.disconnectNow)
    }

    private mutating func stopTransfer() {
        phase = .closing
        isAnswerHeld = false
        outbox.rewind()
        phaseDeadline = nil
        transferDeadline = nil
        settledAt = nil
    }
}
