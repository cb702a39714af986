import Bluetooth

/// What a session is made of. It lies in a `SessionStorage`, and nothing of it is ever moved.
struct SessionCore: ~Copyable {
    /// Where the protocol stands.
    enum Phase: UInt8 {
        case idle, advertising, connected, identified, secure, receiving, deciding, waitingDisconnect, closing
    }

    let service: Service
    let timing: SessionTiming
    /// The timing that holds for the link: `timing`, or less.
    var patience: SessionTiming
    var phase = Phase.idle
    var assembler: ChunkAssembler
    /// 12 octets from Identify: the IV of the one message.
    var nonce = InlineArray<12, UInt8>(repeating: 0)
    /// 32 octets from Identify.
    var walletKey = PublicKeyOctets(repeating: 0)
    /// The key was used: whatever becomes of the link, it serves no other.
    var hasIdentified = false
    var mtu = AttributeServer.defaultMTU
    var intervalMicroseconds: UInt64 = 0
    var isLinkUp = false
    /// Another service is offered beside this one: before Identify a wallet may be that one's.
    var sharesLink = false
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
    var missed: MissedDeadline?

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

    init(service: Service, buffer: UnsafeMutableRawBufferPointer, timing: SessionTiming) {
        self.service = service
        self.timing = timing
        patience = timing
        assembler = ChunkAssembler(buffer: buffer)
    }

    // MARK: counts

    mutating func count(of outcome: ChunkAssembler.Outcome) -> UInt32 { chunkCounts[Int(outcome.rawValue)] }
    mutating func count(of ignored: IgnoredWrite) -> UInt32 { ignoredCounts[Int(ignored.rawValue)] }

    mutating func note(_ outcome: ChunkAssembler.Outcome) {
        let index = Int(outcome.rawValue)
        if chunkCounts[index] < .max { chunkCounts[index] += 1 }
    }

    mutating func note(_ ignored: IgnoredWrite) {
        let index = Int(ignored.rawValue)
        if ignoredCounts[index] < .max { ignoredCounts[index] += 1 }
    }

    var deadline: Instant? {
        var earliest = phaseDeadline
        earliest = Instant.earliest(earliest, transferDeadline)
        earliest = Instant.earliest(earliest, reportAt)
        earliest = Instant.earliest(earliest, resendAt)
        // The advertisement's life is checked between links only.
        return isLinkUp ? earliest : Instant.earliest(earliest, sessionDeadline)
    }

    /// A deadline's milliseconds, or as many as that many connection events take: on a slow link nothing is heard sooner, and a wallet that
    /// does all it can hears its report and its verdict. An interval is 4 s at most (Core Vol 6 Part B 4.5.1), whatever the controller
    /// says, so that nobody gains more by asking for long ones.
    func patient(_ milliseconds: UInt64, events: UInt64) -> UInt64 {
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
        mtu = AttributeServer.defaultMTU
        for index in 0..<chunkCounts.count { chunkCounts[index] = 0 }
        for index in 0..<ignoredCounts.count { ignoredCounts[index] = 0 }
    }
}
