#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A moment after which work on a document is given up, on the clock nobody can set (CLOCK_MONOTONIC).
///
/// A gate gives one verification 500 ms from its start: `limits.deadline = Deadline(after: .milliseconds(500))`, made anew for each document.
public struct Deadline: Hashable, Sendable {
    /// On CLOCK_MONOTONIC.
    public let nanoseconds: UInt64

    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// That long from now. Nothing and less is now.
    public init(after duration: Duration) {
        let (seconds, attoseconds) = duration.components
        // Saturating: a wait of centuries is no deadline, never one in the past.
        let (whole, isLong) = UInt64(max(seconds, 0)).multipliedReportingOverflow(by: 1_000_000_000)
        let (moment, isLonger) = Deadline.now.addingReportingOverflow(whole)
        let (exact, isLongest) = moment.addingReportingOverflow(UInt64(max(attoseconds, 0)) / 1_000_000_000)
        nanoseconds = isLong || isLonger || isLongest ? .max : exact
    }

    public var hasPassed: Bool { Deadline.now >= nanoseconds }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }
}

/// Looks at the clock now and then: before the first step, and again every hundred or so.
struct DeadlineWatch {
    private static let interval = 100
    private let deadline: Deadline?
    private var stepsLeft = 0

    init(_ deadline: Deadline?) { self.deadline = deadline }

    /// - Parameter steps: the steps done since the last call; each is some microseconds at most.
    mutating func check(steps: Int = 1) throws(LinkedDataError) {
        guard let deadline else { return }
        stepsLeft -= steps
        guard stepsLeft < 0 else { return }
        stepsLeft = DeadlineWatch.interval
        if deadline.hasPassed { throw .tooComplex }
    }
}
