import Bluetooth

/// One visit's way to a phone and back, over whichever bearer the two have in common (mdoc.md sections 1.2, 2 and 5).
///
/// It owns no radio and no clock. Whoever has them tells it what happened, with the time, and after each event asks `next` until there is
/// nothing; `expire` is an event, too. It knows no CBOR and no key: messages are octets.
///
/// A link is hardly wider than the pointer to the storage it was lent: whoever looks at it copies nothing.
public struct MdocLink: ~Copyable {
    let storage: UnsafeMutablePointer<MdocLinkStorage>
    public let service: MdocService

    /// Makes a link.
    ///
    /// - Parameters:
    ///   - storage: initialized, of nobody else's use, and in its place for as long as the link lives.
    ///   - service: the values of the table that is served, where the gate is the server.
    ///   - incoming: `MessageSize.buffer` octets for what the phone says; what does not fit a smaller one is refused.
    ///   - outgoing: `MessageSize.longestRequest` octets for what it is asked, likewise.
    public init(
        storage: UnsafeMutablePointer<MdocLinkStorage>, service: MdocService, incoming: UnsafeMutableRawBufferPointer,
        outgoing: UnsafeMutableRawBufferPointer, timing: MdocTiming = MdocTiming()
    ) {
        self.storage = storage
        self.service = service
        storage.pointee.core = LinkCore(service: service, incoming: incoming, outgoing: outgoing, timing: timing)
    }

    /// The next thing to do. A value to send is asked for with `maySend`, is then in `value`, and is told again until `sent`.
    public mutating func next(into value: inout AttributeValue, maySend: Bool) -> MdocCommand? {
        storage.pointee.core.next(into: &value, maySend: maySend)
    }

    // MARK: what the gate does

    /// Looks for the phone of an engagement. Throws `busy` while another visit is under way, or is not off the air yet.
    public mutating func begin(_ offer: MdocOffer, _ preference: MdocPreference, now: Instant) throws(MdocLinkRefusal) {
        try storage.pointee.core.begin(offer, preference, now: now)
    }

    /// Sends a request, once `opened` was told, and one more once the last was answered.
    public mutating func send(_ request: borrowing Span<UInt8>, now: Instant) throws(MdocLinkRefusal) {
        try storage.pointee.core.send(request, now: now)
    }

    /// Lends the oldest message that was received; nil when there is none. It outlives the link.
    public func withMessage<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        storage.pointee.core.messages.withFirst(body)
    }

    /// The oldest message was looked at: its octets are zeroed, and the next one is told.
    public mutating func release() { storage.pointee.core.release() }

    /// Ends the session by this message, a status of at most `MessageSize.longestWord` octets, and waits a moment for the phone to leave.
    public mutating func end(saying word: borrowing Span<UInt8>, now: Instant) throws(MdocLinkRefusal) {
        try storage.pointee.core.end(saying: word, now: now)
    }

    /// Ends the session without a message: by State, where the bearer has one.
    public mutating func end(now: Instant) throws(MdocLinkRefusal) { try storage.pointee.core.end(now: now) }

    /// The phone's message has ended the session: nothing is said, and the phone is given a moment to leave.
    public mutating func leave(now: Instant) throws(MdocLinkRefusal) { try storage.pointee.core.leave(now: now) }

    /// Ends whatever is under way.
    public mutating func stop(now: Instant) { storage.pointee.core.stop(now: now) }

    /// Forgets the visit and zeros all that was said. `disconnect` is told where a link is up, and no end.
    public mutating func reset() { storage.pointee.core.reset() }

    // MARK: what happens on the air

    /// The phone was seen: it advertises the service that was to be scanned for.
    public mutating func found(now: Instant) { storage.pointee.core.found(now: now) }

    /// No link came about.
    public mutating func notConnected(now: Instant) { storage.pointee.core.notConnected(now: now) }

    /// The host looks for nobody any more, because of a link that was not this visit's to hear of: where a scan was under way it is told
    /// again.
    public mutating func searchLost() { storage.pointee.core.searchLost() }

    /// A link came about; the gate is its central or its peripheral. `step` shortens the deadlines of this link (`MdocTiming.shortened`).
    public mutating func connected(asCentral: Bool, step: UInt8 = 0, now: Instant) {
        storage.pointee.core.connected(asCentral: asCentral, step: step, now: now)
    }

    public mutating func disconnected(now: Instant) { storage.pointee.core.disconnected(now: now) }

    /// The ATT MTU of the link is agreed.
    public mutating func mtuAgreed(_ mtu: UInt16, now: Instant) { storage.pointee.core.mtuAgreed(mtu, now: now) }

    /// What the phone has subscribed to, of a gate that is the server; costs nothing to say again.
    public mutating func subscribed(state: Bool, data: Bool, now: Instant) {
        storage.pointee.core.subscribed(state: state, data: data, now: now)
    }

    /// The phone's server answered what it was asked.
    public mutating func answered(_ step: MdocStep, _ answer: MdocAnswer, now: Instant) {
        storage.pointee.core.answered(step, answer, now: now)
    }

    /// The phone wrote or notified a value.
    public mutating func received(_ characteristic: MdocCharacteristic, _ value: borrowing Span<UInt8>, now: Instant) {
        storage.pointee.core.now = now
        storage.pointee.core.receive(characteristic, value)
    }

    public mutating func channelOpened(now: Instant) { storage.pointee.core.channelOpened(now: now) }

    /// The phone does not open the channel.
    public mutating func channelRefused(now: Instant) { storage.pointee.core.channelRefused(now: now) }

    public mutating func channelClosed(now: Instant) { storage.pointee.core.channelClosed(now: now) }

    /// Octets came out of the channel.
    public mutating func channelReceived(_ octets: borrowing Span<UInt8>, now: Instant) {
        storage.pointee.core.now = now
        storage.pointee.core.receiveChannel(octets)
    }

    /// What `next` told last to notify, to write or to send is on its way: of a channel's octets the first `count`.
    public mutating func sent(_ count: Int = .max, now: Instant) { storage.pointee.core.sent(count, now: now) }

    /// Tells the link the time before the attribute server writes into it.
    public mutating func advance(to time: Instant) { storage.pointee.core.now = time }

    /// When `expire` wants to be called.
    public var deadline: Instant? { storage.pointee.core.deadline }

    /// Acts on deadlines that have passed.
    public mutating func expire(now: Instant) { storage.pointee.core.expire(now: now) }

    // MARK: what is so

    /// No visit is under way.
    public var isIdle: Bool { storage.pointee.core.phase == .idle }
    /// Messages may go.
    public var isOpen: Bool { storage.pointee.core.phase == .open }
    /// The phone has begun to answer, and has not ended.
    public var isAnswering: Bool { storage.pointee.core.exchange == .answering }
    /// What carries the messages, or is tried.
    public var bearer: MdocBearer { storage.pointee.core.bearer }
    /// How many octets the channel may bring: credits follow from it.
    public var channelRoom: Int { storage.pointee.core.channelRoom }
    /// The failure that ended the visit, until the next one begins.
    public var failure: MdocLinkFailure? { storage.pointee.core.failure }

    /// What was not looked at, in this visit.
    public func count(of drop: MdocDrop) -> UInt32 { storage.pointee.core.count(of: drop) }
}

/// What a phone writes, where the gate is the server, notifies, where it is the client, or sends by a channel; `advance` says when.
extension MdocLink: HostApplication {
    /// Ident lies in the table, and nothing else is readable.
    public mutating func read(_ handle: UInt16, into value: inout AttributeValue) -> ATTError? { .readNotPermitted }

    public mutating func write(_ handle: UInt16, _ value: borrowing Span<UInt8>, isCommand: Bool) -> ATTError? {
        guard let characteristic = service.characteristic(at: handle), characteristic == .state || characteristic == .clientToServer
        else { return .writeNotPermitted }
        storage.pointee.core.receiveWritten(characteristic, value)
        return nil
    }

    public mutating func notified(_ index: Int, _ value: borrowing Span<UInt8>) {
        guard let characteristic = MdocCharacteristic(soughtIndex: index) else { return }
        storage.pointee.core.receive(characteristic, value)
    }

    public mutating func channelReceived(_ octets: borrowing Span<UInt8>) { storage.pointee.core.receiveChannel(octets) }
}
