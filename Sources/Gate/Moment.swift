import Bluetooth

/// Now, on both clocks: the monotonic one for deadlines, the wall clock for validity. The gate reads neither itself.
public struct Moment: Hashable, Sendable {
    public var instant: Instant
    /// Seconds since 1970-01-01T00:00:00Z, as far as the board knows.
    public var wall: Int64

    public init(instant: Instant, wall: Int64) {
        self.instant = instant
        self.wall = wall
    }
}
