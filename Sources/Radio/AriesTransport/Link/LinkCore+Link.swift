import Bluetooth

/// What the link and the clock tell a visit.
extension LinkCore {
    mutating func connected(intervalMicroseconds interval: UInt64, step: UInt8, now: Instant) {
        self.now = now
        guard phase == .waiting else { return }
        isLinkUp = true
        patience = timing.shortened(by: step)
        missed = nil
        intervalMicroseconds = interval
        mtu = AttributeServer.defaultMTU
        phase = .linked
        end = .walletLeft
        phaseDeadline = now.adding(milliseconds: patience.subscription)
    }

    mutating func disconnected(now: Instant) {
        self.now = now
        isLinkUp = false
        switch phase {
        case .idle, .waiting: break
        case .linked: release(.walletLeft)
        case .inviting, .asked, .receiving, .judging: finish(.walletLeft)
        case .answering: finish(end == .complete ? .walletLeft : end)
        case .answered: finish(end)
        case .closing: if isCommitted || end == .stopped { finish(end) } else { release(end) }
        }
    }

    /// Nobody subscribed: the same invitation serves the next wallet, until its life is over.
    private mutating func release(_ reason: AriesEnd) {
        phase = .waiting
        forgetLink()
        outbox.rewind()
        guard let due = offerDeadline, now < lastDeadline else { return finish(.timedOut) }
        // A phone whose link failed tries again at once.
        offerDeadline = max(due, min(now.adding(milliseconds: timing.handover), lastDeadline))
        events.append(.released(reason))
    }

    private mutating func finish(_ reason: AriesEnd) {
        phase = .idle
        forgetLink()
        offerDeadline = nil
        events.append(.ended(reason))
    }

    /// Whether the wallet has asked for indications; costs nothing to say again.
    mutating func subscribed(_ isSubscribed: Bool, now: Instant) {
        self.now = now
        guard isSubscribed, phase == .linked else { return }
        phase = .inviting
        isCommitted = true
        outbox.begin()
        settledAt = now.adding(milliseconds: patience.settling)
        phaseDeadline = now.adding(milliseconds: patience.invitation)
        events.append(.committed)
    }

    // MARK: the clock

    mutating func advance(to time: Instant, intervalMicroseconds interval: UInt64?) {
        now = time
        if let interval, isLinkUp { intervalMicroseconds = interval }
    }

    var deadline: Instant? {
        var earliest = Instant.earliest(phaseDeadline, transferDeadline)
        earliest = Instant.earliest(earliest, settledAt)
        // The invitation's life is checked between links only.
        return isLinkUp ? earliest : Instant.earliest(earliest, offerDeadline)
    }

    /// A deadline's milliseconds, or as many as that many connection events take. An interval is 4 s at most (Core Vol 6 Part B 4.5.1),
    /// whatever the controller says.
    func patient(_ milliseconds: UInt64, events: UInt64) -> UInt64 {
        max(milliseconds, (events * min(intervalMicroseconds, 4_000_000) + 999) / 1000)
    }

    mutating func expire(now: Instant) {
        self.now = now
        if let due = settledAt, now >= due { settledAt = nil }
        if let due = transferDeadline, now >= due {
            transferDeadline = nil
            if phase == .receiving { timeOut(.transfer) }
        }
        if let due = phaseDeadline, now >= due {
            phaseDeadline = nil
            phaseTimedOut()
        }
        if let due = offerDeadline, now >= due, phase == .waiting { finish(.timedOut) }
    }

    private mutating func phaseTimedOut() {
        switch phase {
        case .linked:
            // Whoever has not subscribed is owed no word, and had no visit that fails.
            missed = .subscription
            end = .timedOut
            cutOff()
        case .inviting: timeOut(.invitation)
        case .asked: timeOut(.consent)
        case .receiving: timeOut(.progress)
        case .answering:
            missed = .answer
            if end == .complete { end = .walletLeft }
            cutOff()
        case .answered, .closing:
            mayAnswer = false
            events.append(.disconnectNow)
        case .idle, .waiting, .judging: break
        }
    }

    private mutating func timeOut(_ deadline: AriesDeadline) {
        missed = deadline
        fail(.timedOut)
    }
}
