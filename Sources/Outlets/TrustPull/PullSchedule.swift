/// When a server is asked next. Seconds; it has no clock, and chance comes from outside.
public struct PullSchedule: Hashable, Sendable {
    /// From one look to the next where all goes well.
    public let interval: UInt64
    /// Looks in a row that brought nothing.
    public private(set) var failures = 0

    /// The first pause after a look that failed; each further one is twice as long.
    static let firstPause: UInt64 = 60
    static let longestPause: UInt64 = 86_400

    public init(interval: UInt64) { self.interval = max(1, interval) }

    /// Before the first look: gates that were all switched on by the same fuse do not ask all at once.
    ///
    /// - Parameter chance: 0 to 1.
    public func first(_ chance: Double) -> UInt64 { UInt64(Double(min(interval / 10, 600)) * Self.bounded(chance)) }

    /// After a look: a tenth earlier or later than the interval; after one that failed, longer and longer, never sooner than that.
    public mutating func looked(_ isGood: Bool, _ chance: Double) -> UInt64 {
        failures = isGood ? 0 : min(failures + 1, 32)
        var pause = interval
        if failures > 0 {
            let doubled = Self.firstPause << UInt64(min(failures - 1, 11))
            // Of an interval of minutes, too: a server in trouble is not helped by being asked as often as before.
            pause = min(max(doubled, min(interval, Self.firstPause)), max(Self.longestPause, interval))
        }
        return max(1, UInt64(Double(pause) * (0.9 + 0.2 * Self.bounded(chance))))
    }

    private static func bounded(_ chance: Double) -> Double { min(1, max(0, chance)) }
}
