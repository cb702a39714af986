import Bluetooth

/// What became of a supervisor's key.
public enum SupervisorNews: Hashable, Sendable {
    /// The next visit may be accepted without a face.
    case armed
    /// One was, as far as its face goes.
    case used
    /// None came in time.
    case expired
}

/// One visit without a face, which a supervisor vouches for: from the turn of the key to the first visit that comes as far as its face, or
/// to the end of a minute. Everything else of that visit's verdict stays as it is.
struct SupervisedVisit: ~Copyable {
    /// Who turned the key stands there and sends the visitor forward.
    static let time: UInt64 = 60_000

    private var until: Instant?
    /// When the key was turned first.
    private var armedAt = Instant(nanoseconds: 0)
    private var told = Ring<4, SupervisorNews>()

    init() {}

    /// When `expire` wants to be called.
    var deadline: Instant? { until }

    /// Turned again, it is the same visit, from now on.
    mutating func arm(at now: Instant) {
        if until == nil {
            told.append(.armed)
            armedAt = now
        }
        until = now.adding(milliseconds: Self.time)
    }

    /// - Parameter connected: when the visit's link came up; nil where it is gone. Who was on it before the key was turned is not whom the
    ///   supervisor sent.
    /// - Returns: whether this is the visit.
    mutating func use(by connected: Instant?, at now: Instant) -> Bool {
        expire(at: now)
        guard let connected, connected >= armedAt, until.take() != nil else { return false }
        told.append(.used)
        return true
    }

    mutating func expire(at now: Instant) {
        if let until, now >= until { end() }
    }

    mutating func end() {
        if until.take() != nil { told.append(.expired) }
    }

    mutating func takeNews() -> SupervisorNews? { told.next() }
}
