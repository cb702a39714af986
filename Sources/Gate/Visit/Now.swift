import Bluetooth

/// The time on the board's clocks: the monotonic one for deadlines, the wall clock and the uptime for validity. The gate reads none itself.
public struct Now: Hashable, Sendable {
    /// From the kernel's monotonic clock.
    public var monotonic: Instant
    /// Seconds since 1970-01-01T00:00:00Z, as far as the board knows.
    public var wall: Int64

    /// Seconds that the board has run for, which nobody sets: by it signed times go on where the wall clock is wrong.
    public var uptime: Int64

    /// - Parameter uptime: nil for the whole seconds of `monotonic`.
    public init(monotonic: Instant, wall: Int64, uptime: Int64? = nil) {
        self.monotonic = monotonic
        self.wall = wall
        self.uptime = uptime ?? Int64(clamping: monotonic.nanoseconds / 1_000_000_000)
    }
}
