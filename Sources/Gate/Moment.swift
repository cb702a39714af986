import Bluetooth

/// Now, on the board's clocks: the monotonic one for deadlines, the wall clock and the uptime for validity. The gate reads neither itself.
public struct Moment: Hashable, Sendable {
    public var instant: Instant
    /// Seconds since 1970-01-01T00:00:00Z, as far as the board knows.
    public var wall: Int64

    /// Seconds that the board has run for, which nobody sets: by it signed times go on where the wall clock is wrong.
    public var uptime: Int64

    /// - Parameter uptime: nil for the whole seconds of `instant`.
    public init(instant: Instant, wall: Int64, uptime: Int64? = nil) {
        self.instant = instant
        self.wall = wall
        self.uptime = uptime ?? Int64(clamping: instant.nanoseconds / 1_000_000_000)
    }
}
