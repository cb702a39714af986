import Bluetooth

/// One visit, seen from the gate: an invitation by indications, one message by writes, one answer by indications (aries.md section 1).
///
/// The attribute server writes into it, the application pulls events and values to push, and time enters as an argument. It knows no JSON
/// and no key: messages are octets, in memory that is lent.
///
/// A link is no wider than the pointer to the storage it was lent: whoever looks at it copies nothing.
public struct AriesLink: ~Copyable {
    let storage: UnsafeMutablePointer<AriesLinkStorage>

    /// The most octets of an invitation, or of an answer, that a gate says: an invitation of 1,840 characters in the code has 1,380.
    public static var longestOutgoing: Int { 4096 }

    /// Makes a link.
    ///
    /// - Parameters:
    ///   - storage: initialized, of nobody else's use, and in its place for as long as the link lives.
    ///   - incoming: `PieceSize.longest` octets for the wallet's message; what does not fit a smaller one is refused.
    ///   - outgoing: `longestOutgoing` octets for the invitation and, in its place, the answer; likewise.
    public init(
        storage: UnsafeMutablePointer<AriesLinkStorage>, incoming: UnsafeMutableRawBufferPointer, outgoing: UnsafeMutableRawBufferPointer,
        timing: AriesTiming = AriesTiming()
    ) {
        self.storage = storage
        storage.pointee.core = LinkCore(incoming: incoming, outgoing: outgoing, timing: timing)
    }

    // MARK: the life of a visit

    /// Advertising begins: waits for a wallet, to which `invitation` is said as soon as it subscribes. The invitation is copied.
    public mutating func begin(_ invitation: borrowing Span<UInt8>, now: Instant) throws(AriesRefusal) {
        try storage.pointee.core.begin(invitation, now: now)
    }

    /// Says the answer, once the message was received, or once `failed` was told, and gives the wallet time to disconnect. The answer is
    /// copied.
    ///
    /// - Returns: false, and nothing is said, where nobody waits for an answer any more, or it is longer than the memory for it.
    public mutating func answer(_ message: borrowing Span<UInt8>, now: Instant) -> Bool {
        storage.pointee.core.answer(message, now: now)
    }

    /// As `answer`, without a word: the link is ended. False where nobody waits for an answer.
    @discardableResult
    public mutating func close(now: Instant) -> Bool { storage.pointee.core.close(now: now) }

    /// Ends whatever is under way. False, and everything is wiped at once, where nobody is connected.
    public mutating func stop(now: Instant) -> Bool { storage.pointee.core.stop(now: now) }

    /// Back to the beginning: everything that was said is zeroed, and no event is told. The link, if any, is no longer the visit's.
    public mutating func reset() { storage.pointee.core.reset() }

    /// The next event, oldest first.
    public mutating func nextEvent() -> AriesEvent? { storage.pointee.core.events.next() }

    // MARK: the link and the clock

    /// A wallet connected. `intervalMicroseconds` is the connection interval; `step` shortens the deadlines of this link.
    public mutating func connected(intervalMicroseconds: UInt64, step: UInt8 = 0, now: Instant) {
        storage.pointee.core.connected(intervalMicroseconds: intervalMicroseconds, step: step, now: now)
    }

    public mutating func disconnected(now: Instant) { storage.pointee.core.disconnected(now: now) }

    /// The ATT MTU of the link is agreed.
    public mutating func mtuExchanged(_ mtu: UInt16, now: Instant) {
        storage.pointee.core.now = now
        storage.pointee.core.mtu = mtu
    }

    /// Whether the wallet has asked for indications; costs nothing to say again.
    public mutating func subscribed(_ isSubscribed: Bool, now: Instant) { storage.pointee.core.subscribed(isSubscribed, now: now) }

    /// Tells the link the time, and the connection interval of now, before the attribute server writes into it.
    public mutating func advance(to time: Instant, intervalMicroseconds: UInt64? = nil) {
        storage.pointee.core.advance(to: time, intervalMicroseconds: intervalMicroseconds)
    }

    /// When `expire` wants to be called.
    public var deadline: Instant? { storage.pointee.core.deadline }

    /// Acts on deadlines that have passed.
    public mutating func expire(now: Instant) { storage.pointee.core.expire(now: now) }

    // MARK: what is pushed

    /// Replaces `value` by the next piece to indicate; false when none may go now. It stays due until `didPush`, and the one after it until
    /// `confirmed`.
    public mutating func nextPush(into value: inout AttributeValue) -> Bool { storage.pointee.core.nextPush(into: &value) }

    /// The piece last written by `nextPush` has been handed to the host as an indication.
    public mutating func didPush(now: Instant) {
        storage.pointee.core.now = now
        storage.pointee.core.outbox.sent()
    }

    /// The wallet confirmed an indication.
    public mutating func confirmed(now: Instant) { storage.pointee.core.confirmed(now: now) }

    // MARK: what is so

    /// No visit is under way.
    public var isIdle: Bool { storage.pointee.core.phase == .idle }
    /// Nobody is connected; whoever connects is waited for.
    public var isWaiting: Bool { storage.pointee.core.phase == .waiting }
    /// Somebody has subscribed in this visit.
    public var isCommitted: Bool { storage.pointee.core.isCommitted }
    /// The holder is asked, and nothing of a message has come.
    public var isAsking: Bool { storage.pointee.core.phase == .asked }
    /// A message has begun and is not whole.
    public var isReceiving: Bool { storage.pointee.core.phase == .receiving }
    /// The whole message is there and has no answer.
    public var isJudging: Bool { storage.pointee.core.phase == .judging }
    /// `answer` would say something.
    public var mayAnswer: Bool { isJudging || storage.pointee.core.mayAnswer }
    /// The response to a write is to be held back (`Host.holdResponse`).
    public var isAnswerHeld: Bool { storage.pointee.core.isAnswerHeld }
    /// Octets of the message so far. How many there will be is not said on the air.
    public var received: Int { storage.pointee.core.assembler.count }
    /// Values that they came in.
    public var pieces: Int { storage.pointee.core.pieces }
    /// The ATT MTU of the visit; it outlives the link, until the visit is forgotten.
    public var attributeMTU: UInt16 { storage.pointee.core.mtu }
    /// The deadline that ended the visit, or the last link that came to nothing.
    public var missed: AriesDeadline? { storage.pointee.core.missed }
    public var timing: AriesTiming { storage.pointee.core.timing }

    /// What nothing came of, in this visit.
    public func count(of drop: AriesDrop) -> UInt32 { storage.pointee.core.count(of: drop) }

    /// Lends the message; nil before it is whole. It outlives the link, until the visit is forgotten.
    public func withMessage<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        storage.pointee.core.assembler.withMessage(body)
    }
}

/// What a wallet writes; `advance` says when.
extension AriesLink: HostApplication {
    /// Neither value is read.
    public mutating func read(_ handle: UInt16, into value: inout AttributeValue) -> ATTError? { .readNotPermitted }

    public mutating func write(_ handle: UInt16, _ value: borrowing Span<UInt8>, isCommand: Bool) -> ATTError? {
        guard handle == AriesService.message else { return .writeNotPermitted }
        return storage.pointee.core.write(value)
    }
}
