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

    /// A turn of the key, and until when it stands.
    private struct Turn {
        var at: Instant
        var until: Instant
    }

    /// The latest turn, and the first of those that still stand: who was let forward by that one is not sent back because a nervous hand
    /// turned once more.
    private var latest: Turn?
    private var first: Turn?
    private var told = Ring<4, SupervisorNews>()

    init() {}

    /// When `expire` wants to be called.
    var deadline: Instant? { latest?.until }

    /// Turned again, it is the same visit, for a minute from now on.
    mutating func arm(at now: Instant) {
        expire(at: now)
        let turn = Turn(at: now, until: now.adding(milliseconds: Self.time))
        if latest == nil { told.append(.armed) }
        // The one before, where the first is over: it may stand for a while yet.
        if let first, now < first.until {} else { first = latest ?? turn }
        latest = turn
    }

    /// - Parameter connected: when the visit's link came up; nil where it is gone. Who was on it before the key was turned is not whom the
    ///   supervisor sent, and may use an earlier turn only as long as that one stands by itself.
    /// - Returns: whether this is the visit.
    mutating func use(by connected: Instant?, at now: Instant) -> Bool {
        expire(at: now)
        guard let connected, let latest else { return false }
        let isSent = connected >= latest.at || first.map { connected >= $0.at && now < $0.until } ?? false
        guard isSent else { return false }
        (first, self.latest) = (nil, nil)
        told.append(.used)
        return true
    }

    mutating func expire(at now: Instant) {
        if let latest, now >= latest.until { end() }
    }

    mutating func end() {
        if latest.take() != nil { told.append(.expired) }
        first = nil
    }

    mutating func takeNews() -> SupervisorNews? { told.next() }
}
