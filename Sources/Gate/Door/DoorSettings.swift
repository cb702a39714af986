/// How a door behaves. Times are in milliseconds.
public struct DoorSettings: Hashable, Sendable {
    /// A lock needs a moment to let go; what is longer than half a minute lets in whoever comes next.
    public static let pulses: ClosedRange<UInt64> = 200...30_000
    /// From the first complaint that helps anybody to one an hour.
    public static let heldTimes: ClosedRange<UInt64> = 1000...3_600_000

    /// How long the lock stays open for somebody who may pass.
    public var pulse: UInt64 = 3000
    /// How long the door may stand open after that before it counts as held.
    public var held: UInt64 = 15_000
    /// How long after the lock has closed an opening door is still that of who was let through.
    public var grace: UInt64 = 1000
    /// How long an input's level has to last before it counts.
    public var debounce: UInt64 = 30
    /// Whether the exit button opens the lock; else it only says that whoever comes out forces nothing.
    public var exitOpens = true

    public init() {}
}

extension UInt64 {
    /// A moment of the monotonic clock, in nanoseconds, so many milliseconds later; the end of time where that is beyond it.
    func later(milliseconds: UInt64) -> UInt64 {
        let (wait, isLong) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        return isLong ? .max : later(nanoseconds: wait)
    }

    /// The same, so many nanoseconds later.
    func later(nanoseconds: UInt64) -> UInt64 {
        let (sum, isBeyond) = addingReportingOverflow(nanoseconds)
        return isBeyond ? .max : sum
    }
}
