/// A point on the shell's monotonic clock. The core never reads a clock: time enters as an argument.
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since a start of the shell's choosing.
    public var nanoseconds: UInt64

    @inlinable
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    @inlinable
    public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

    /// This point and `milliseconds` more; stays at the end of time rather than wrapping.
    @inlinable
    public func adding(milliseconds: UInt64) -> Instant {
        let (step, tooLong) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, wrapped) = nanoseconds.addingReportingOverflow(step)
        return Instant(nanoseconds: tooLong || wrapped ? .max : sum)
    }

    /// Whole milliseconds from `earlier` to this point; 0 when `earlier` is later.
    @inlinable
    public func milliseconds(since earlier: Instant) -> UInt64 {
        nanoseconds > earlier.nanoseconds ? (nanoseconds - earlier.nanoseconds) / 1_000_000 : 0
    }

    /// The earlier of two optional deadlines.
    @inlinable
    public static func earliest(_ a: Instant?, _ b: Instant?) -> Instant? {
        guard let a else { return b }
        guard let b else { return a }
        return min(a, b)
    }
}
