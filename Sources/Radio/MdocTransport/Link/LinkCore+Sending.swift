import Bluetooth

/// What leaves, and when it has.
extension LinkCore {
    /// Takes a request, or one more once the last was answered.
    mutating func send(_ request: borrowing Span<UInt8>, now: Instant) throws(MdocLinkRefusal) {
        self.now = now
        guard phase == .open else { throw .notOpen }
        guard exchange == .none || exchange == .answered else { throw .busy }
        guard outbox.put(request: request) else { throw .tooLong }
        exchange = .sending
        phaseDeadline = now.adding(milliseconds: patience.sending)
    }

    /// The next value, or nil: there is none, or the phone does not listen.
    mutating func nextValue(into value: inout AttributeValue) -> MdocCommand? {
        guard isLinkUp, phase.rawValue >= Phase.opening.rawValue, !isDisconnectDue, !isDisconnecting else { return nil }
        if bearer == .server, !(outbox.isEndOnly ? stateSubscribed : dataSubscribed) { return nil }
        switch outbox.offer(over: bearer, mtu: mtu, into: &value) {
        case .none: return nil
        case .start: return .write(.state)
        case .end: return bearer == .server ? .notify(.state) : .write(.state)
        case .request, .word:
            switch bearer {
            case .channel: return .stream
            case .client: return .write(bearer.outgoing)
            case .server: return .notify(bearer.outgoing)
            }
        }
    }

    /// What `nextValue` offered last is on its way: of a channel's octets the first `count`.
    mutating func sent(_ count: Int, now: Instant) {
        self.now = now
        guard isLinkUp, outbox.offered != .none else { return note(.sentUnasked) }
        switch outbox.take(count, over: bearer) {
        case .none: break
        case .start: gateStarted()
        case .request: requestSent()
        case .word, .end: break
        }
        if phase == .closing, outbox.isEmpty { awaitLeave() }
    }

    private mutating func requestSent() {
        hasAsked = true
        guard phase == .open, exchange == .sending else { return }
        exchange = .awaiting
        phaseDeadline = now.adding(milliseconds: max(patience.answer, MdocTiming.leastAnswer))
    }
}

extension Outbox {
    /// Nothing but State's end is to leave.
    var isEndOnly: Bool { isEndDue && !hasRequest && !hasWord && !isStartDue }
}
