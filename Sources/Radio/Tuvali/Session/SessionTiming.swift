/// How long a session waits, in milliseconds (tuvali.md section 10).
///
/// On a slow link what has to travel is waited for longer, by `Session.patient`: of 4 s to an interval, 8 s for the first report, 20 s for
/// progress and for the status to leave, 12 s after it and after the request to disconnect. Identify, picking and the whole transfer are
/// not: they bound the link.
public struct SessionTiming: Sendable {
    /// From connection to Identify.
    public var identify: UInt64 = 30_000
    /// From Identify to the response size: a person picks a credential.
    public var idle: UInt64 = 300_000
    /// Without `quota` new chunks.
    public var progress: UInt64 = 30_000
    /// New chunks that count as progress; where fewer are missing, all of those. One chunk before every deadline is none.
    public var quota = 16
    /// From the response size to the last chunk, however steadily they dribble in.
    public var transfer: UInt64 = 300_000
    /// Before the first report, to a wallet that has not subscribed: the Android one never does, and listens only once its own
    /// stack has accepted the request, which can be after the answer. Never below two connection intervals. A wallet that has
    /// subscribed (iOS, before Identify) listens already and is told at once.
    public var firstReport: UInt64 = 50
    /// Without an answer to a "missing" report, until it is sent once more.
    public var reportResend: UInt64 = 5_000
    /// From the verdict until the status has left: it waits behind an indication that the wallet has not confirmed. ATT
    /// allows 30 s for that, but phones confirm within two connection intervals, without asking anyone.
    public var status: UInt64 = 10_000
    /// For the wallet to disconnect after the status.
    public var afterStatus: UInt64 = 1_000
    /// For the wallet to disconnect when asked to.
    public var afterDisconnect: UInt64 = 500
    /// How long the code of one key is shown without an Identify.
    public var advertisement: UInt64 = 600_000
    /// How much longer the key is advertised: whoever scanned its code a moment ago is still looking for it. So long it stays, too,
    /// when a link that came to nothing ends, since phones try again; but only once.
    public var handover: UInt64 = 10_000

    public init() {}

    /// Steps by which the patience with a wallet can be shortened.
    public static var steps: UInt8 { 3 }

    /// The same with less patience, for a link that comes after others that wasted the gate's time. Beyond `steps` there
    /// is no less; nothing gets longer than it was.
    ///
    /// What an honest wallet needs stays in every step. Identify: three MTU requests with 500 ms after each, and some 25
    /// round trips of discovery at up to 50 ms. Picking: a person. Chunks: an iOS wallet sends 50 a second, and 16 when it
    /// repeats by request; a second report goes out after 5 s. A whole transfer: 80 s for 700 kB from iOS at MTU 185.
    public func shortened(by step: UInt8) -> SessionTiming {
        var timing = self
        switch step {
        case 0: return timing
        case 1: timing.limit(identify: 15_000, idle: 150_000, progress: 20_000, quota: 24, transfer: 240_000, status: 10_000)
        case 2: timing.limit(identify: 10_000, idle: 90_000, progress: 15_000, quota: 36, transfer: 180_000, status: 7_000)
        default: timing.limit(identify: 6_000, idle: 90_000, progress: 10_000, quota: 50, transfer: 120_000, status: 5_000)
        }
        return timing
    }

    private mutating func limit(
        identify: UInt64, idle: UInt64, progress: UInt64, quota: Int, transfer: UInt64, status: UInt64
    ) {
        self.identify = min(self.identify, identify)
        self.idle = min(self.idle, idle)
        self.progress = min(self.progress, progress)
        self.quota = max(self.quota, quota)
        self.transfer = min(self.transfer, transfer)
        self.status = min(self.status, status)
    }
}

/// The deadline a wallet missed.
public enum MissedDeadline: UInt8, Hashable, Sendable {
    /// It did not identify.
    case identify
    /// It told no size of a message.
    case pick
    /// No new chunk came, nor the request for a report behind the last one.
    case chunk
    /// New chunks came, but too few to be progress.
    case pace
    /// The transfer took too long as a whole.
    case transfer
}
