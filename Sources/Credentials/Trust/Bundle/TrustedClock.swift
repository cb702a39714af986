/// What a gate knows about the time: its own clock, and a time that has certainly passed.
public enum TrustedClock: Hashable, Sendable {
    /// Nothing speaks against the board's clock.
    case sure(Seconds)
    /// The board's clock is behind a time that has passed: it is at least that late.
    case unsure(atLeast: Seconds)

    /// - Parameters:
    ///   - wall: seconds since 1970 by the board's clock.
    ///   - highWater: `HighWater.time`.
    public init(wall: Seconds, highWater: Seconds) {
        self = wall >= highWater ? .sure(wall) : .unsure(atLeast: highWater)
    }

    /// The time to judge validity at. In doubt it is the latest that is certain, so what has expired by then stays expired.
    public var now: Seconds {
        switch self {
        case .sure(let time), .unsure(let time): time
        }
    }
}
