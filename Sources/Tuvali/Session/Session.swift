import Bluetooth

/// One Tuvali visit, seen from the verifier: one Identify, one transfer, one status (tuvali.md section 10).
///
/// The attribute server writes into it, the application pulls events and values to push, and time enters as an argument.
/// The chunks go into a buffer given once. Keys are agreed outside: the session knows nonces and public keys only.
public struct Session: ~Copyable {
    /// Where the protocol stands; `state` is the application's view of it.
    enum Phase: UInt8 {
        case idle, advertising, connected, identified, secure, receiving, deciding, waitingDisconnect, closing
    }

    public let service: Service
    public let timing: SessionTiming
    /// The timing that holds for the link: `timing`, or less.
    public internal(set) var patience: SessionTiming
    public internal(set) var state = SessionState.idle
    var phase = Phase.idle
    var assembler: ChunkAssembler
    /// 12 octets from Identify: the IV of the one message.
    public internal(set) var nonce = InlineArray<12, UInt8>(repeating: 0)
    /// 32 octets from Identify.
    public internal(set) var walletKey = PublicKeyOctets(repeating: 0)
    /// The key was used: whatever becomes of the link, it serves no other.
    var hasIdentified = false
    var mtu = AttributeServerDefaults.mtu
    var intervalMicroseconds: UInt64 = 0
    var isLinkUp = false
    var now = Instant(nanoseconds: 0)

    // Deadlines; each is nil while it does not run.
    var phaseDeadline: Instant?
    var transferDeadline: Instant?
    var sessionDeadline: Instant?
    /// What `sessionDeadline` is never moved beyond.
    var lastDeadline = Instant(nanoseconds: 0)
    var reportAt: Instant?
    var resendAt: Instant?
    /// New chunks since the progress deadline was set, and how many of them move it.
    var freshChunks = 0
    var quota = 0
    /// The deadline that ended the session.
    public internal(set) var missed: MissedDeadline?

    // What waits to be pushed, in the order it goes out.
    var report = AttributeValue()
    var isReportDue = false
    var hasReported = false
    var hasResent = false
    var status: UInt8?
    var isStatusDue = false
    var isDisconnectDue = false
    /// Why the session closes, told when the link is gone.
    var end = SessionEnd.walletLeft

    /// There are never more than a few between two pulls.
    var events = Ring<8, SessionEvent>()
    private var chunkCounts = InlineArray<10, UInt32>(repeating: 0)
    private var ignoredCounts = InlineArray<5, UInt32>(repeating: 0)

    public init(service: Service, buffer: UnsafeMutableRawBufferPointer, timing: SessionTiming = SessionTiming()) {
        self.service = service
        self.timing = timing
        patience = timing
        assembler = ChunkAssembler(buffer: buffer)
    }

    // MARK: what happened
    // What looks at the session is mutating in name only: a borrowed one is copied, 9 kB for each look.

    /// The next event, oldest first.
    public mutating func nextEvent() -> SessionEvent? { events.next() }

    /// Octets of ciphertext received, once `received` was told.
    public var messageSize: Int { mutating get { assembler.size } }
    public var totalChunks: Int { mutating get { assembler.total } }
    public var missingChunks: Int { mutating get { assembler.missing } }
    public var checksumFailures: UInt32 { mutating get { assembler.checksumFailures } }
    /// The ATT MTU of the visit; it outlives the link, until the visit is forgotten.
    public var attributeMTU: UInt16 { mutating get { mtu } }

    public mutating func count(of outcome: ChunkAssembler.Outcome) -> UInt32 { chunkCounts[Int(outcome.rawValue)] }
    public mutating func count(of ignored: IgnoredWrite) -> UInt32 { ignoredCounts[Int(ignored.rawValue)] }

    mutating func note(_ outcome: ChunkAssembler.Outcome) {
        let index = Int(outcome.rawValue)
        if chunkCounts[index] < .max { chunkCounts[index] += 1 }
    }

    mutating func note(_ ignored: IgnoredWrite) {
        let index = Int(ignored.rawValue)
        if ignoredCounts[index] < .max { ignoredCounts[index] += 1 }
    }

    /// When `expire` wants to be called.
    public var deadline: Instant? {
        mutating get {
            var earliest = phaseDeadline
            earliest = Instant.earliest(earliest, transferDeadline)
            earliest = Instant.earliest(earliest, reportAt)
            earliest = Instant.earliest(earliest, resendAt)
            // The advertisement's life is checked between links only.
            return isLinkUp ? earliest : Instant.earliest(earliest, sessionDeadline)
        }
    }

    /// A deadline's milliseconds, or as many as that many connection events take: on a slow link nothing is heard sooner, and a wallet that does all
    /// it can hears its report and its verdict. An interval is 4 s at most (Core Vol 6 Part B 4.5.1), whatever the controller says, so that
    /// nobody gains more by asking for long ones.
    mutating func patient(_ milliseconds: UInt64, events: UInt64) -> UInt64 {
        max(milliseconds, (events * min(intervalMicroseconds, Self.longestIntervalMicroseconds) + 999) / 1000)
    }

    private static var longestIntervalMicroseconds: UInt64 { 4_000_000 }

    /// Forgets the visit and zeros all that came from the wallet.
    mutating func wipe() {
        assembler.wipe()
        for index in 0..<12 { nonce[index] = 0 }
        for index in 0..<32 { walletKey[index] = 0 }
        report.wipe()
        phaseDeadline = nil
        transferDeadline = nil
        sessionDeadline = nil
        reportAt = nil
        resendAt = nil
        freshChunks = 0
        quota = 0
        missed = nil
        hasIdentified = false
        isReportDue = false
        hasReported = false
        hasResent = false
        status = nil
        isStatusDue = false
        isDisconnectDue = false
        end = .walletLeft
        mtu = AttributeServerDefaults.mtu
        for index in 0..<chunkCounts.count { chunkCounts[index] = 0 }
        for index in 0..<ignoredCounts.count { ignoredCounts[index] = 0 }
    }
}

enum AttributeServerDefaults {
    static var mtu: UInt16 { AttributeServer.defaultMTU }
}
