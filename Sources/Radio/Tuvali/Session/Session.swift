import Bluetooth

/// One Tuvali visit, seen from the verifier: one Identify, one transfer, one status (tuvali.md section 10).
///
/// The attribute server writes into it, the application pulls events and values to push, and time enters as an argument.
/// The chunks go into a buffer given once. Keys are agreed outside: the session knows nonces and public keys only.
///
/// A session is hardly wider than the pointer to the storage it was lent: whoever looks at it copies nothing.
public struct Session: ~Copyable {
    typealias Phase = SessionCore.Phase

    let storage: UnsafeMutablePointer<SessionStorage>
    public let service: Service

    /// Makes a session for the attributes of `service`.
    ///
    /// - Parameters:
    ///   - storage: initialized, of nobody else's use, and in its place for as long as the session lives.
    ///   - buffer: takes the message.
    public init(
        storage: UnsafeMutablePointer<SessionStorage>, service: Service, buffer: UnsafeMutableRawBufferPointer,
        timing: SessionTiming = SessionTiming()
    ) {
        self.storage = storage
        self.service = service
        storage.pointee.core = SessionCore(service: service, buffer: buffer, timing: timing)
    }

    // MARK: the life of a session

    /// Advertising has begun with a fresh key: waits for a wallet.
    ///
    /// - Parameter sharesLink: another service is offered beside this one, so that whoever connects may be no wallet of this. `reset` puts
    ///   the session aside without a word where it is not.
    public mutating func startAdvertisement(sharesLink: Bool = false, now: Instant) throws(ActionRefused) {
        try storage.pointee.core.startAdvertisement(sharesLink: sharesLink, now: now)
    }

    /// Ends whatever is under way; `OVP_001` when a wallet was connected.
    public mutating func stop(now: Instant) -> TuvaliError? { storage.pointee.core.stop(now: now) }

    /// Back to the beginning, everything wiped. The link, if any, is no longer the session's.
    public mutating func reset() { storage.pointee.core.reset() }

    /// The next event, oldest first.
    public mutating func nextEvent() -> SessionEvent? { storage.pointee.core.events.next() }

    // MARK: the link and the clock

    /// A wallet connected. `intervalMicroseconds` is the connection interval; `step` shortens the deadlines of this link.
    public mutating func connected(intervalMicroseconds: UInt64, step: UInt8 = 0, now: Instant) {
        storage.pointee.core.connected(intervalMicroseconds: intervalMicroseconds, step: step, now: now)
    }

    /// The link is gone.
    public mutating func disconnected(now: Instant) { storage.pointee.core.disconnected(now: now) }

    /// The MTU of the link is agreed.
    public mutating func mtuExchanged(_ mtu: UInt16, now: Instant) { storage.pointee.core.mtuExchanged(mtu, now: now) }

    /// Tells the session the time, and the connection interval of now, before the attribute server writes into it.
    public mutating func advance(to time: Instant, intervalMicroseconds: UInt64? = nil) {
        storage.pointee.core.advance(to: time, intervalMicroseconds: intervalMicroseconds)
    }

    /// When `expire` wants to be called.
    public var deadline: Instant? { storage.pointee.core.deadline }

    /// Acts on deadlines that have passed.
    public mutating func expire(now: Instant) { storage.pointee.core.expire(now: now) }

    // MARK: the application's answers

    /// The keys are agreed; chunks may come.
    public mutating func secureChannelEstablished(now: Instant) { storage.pointee.core.secureChannelEstablished(now: now) }

    /// Tells the wallet the verdict, and gives it time to disconnect. False, and nothing is told, when no message waits
    /// for a verdict any more.
    @discardableResult
    public mutating func decide(accepted: Bool, now: Instant) -> Bool { storage.pointee.core.decide(accepted: accepted, now: now) }

    /// Ends the session by an error.
    public mutating func fail(_ error: TuvaliError, now: Instant) { storage.pointee.core.fail(error, now: now) }

    /// The wallet has subscribed to reports: it listens.
    public mutating func reportAtOnce() { storage.pointee.core.reportAtOnce() }

    // MARK: what is pushed

    /// Writes the next value to push into `value` and returns its characteristic; nil when nothing is due.
    /// It stays due until `didPush`.
    public mutating func nextPush(into value: inout AttributeValue) -> Characteristic? { storage.pointee.core.nextPush(into: &value) }

    /// The value last returned by `nextPush` has been handed to the link.
    public mutating func didPush(_ characteristic: Characteristic, now: Instant) { storage.pointee.core.didPush(characteristic, now: now) }

    // MARK: what is so

    public var timing: SessionTiming { storage.pointee.core.timing }
    var phase: Phase { storage.pointee.core.phase }
    /// Nobody is connected; whoever connects is waited for.
    public var isAdvertising: Bool { phase == .advertising }
    /// The size of the message is known, and not all of it is there.
    public var isTransferring: Bool { phase == .receiving }
    /// The first report waits for a wallet to listen.
    public var isReportDelayed: Bool { storage.pointee.core.reportAt != nil }
    /// 12 octets from Identify: the IV of the one message.
    public var nonce: InlineArray<12, UInt8> { storage.pointee.core.nonce }
    /// 32 octets from Identify.
    public var walletKey: PublicKeyOctets { storage.pointee.core.walletKey }
    /// Octets of ciphertext received, once `received` was told.
    public var messageSize: Int { storage.pointee.core.assembler.size }
    public var totalChunks: Int { storage.pointee.core.assembler.total }
    public var missingChunks: Int { storage.pointee.core.assembler.missing }
    public var checksumFailures: UInt32 { storage.pointee.core.assembler.checksumFailures }
    /// The ATT MTU of the visit; it outlives the link, until the visit is forgotten.
    public var attributeMTU: UInt16 { storage.pointee.core.mtu }
    /// The deadline that ended the session.
    public var missed: MissedDeadline? { storage.pointee.core.missed }

    public func count(of outcome: ChunkAssembler.Outcome) -> UInt32 { storage.pointee.core.count(of: outcome) }
    public func count(of ignored: IgnoredWrite) -> UInt32 { storage.pointee.core.count(of: ignored) }
}

extension Session: HostApplication {
    public mutating func read(_ handle: UInt16, into value: inout AttributeValue) -> ATTError? {
        storage.pointee.core.read(handle, into: &value)
    }

    public mutating func write(_ handle: UInt16, _ value: borrowing Span<UInt8>, isCommand: Bool) -> ATTError? {
        storage.pointee.core.write(handle, value, isCommand: isCommand)
    }
}
