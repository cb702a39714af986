import Bluetooth

/// How much of the time is over in which a person reads a request, unlocks the phone and agrees: what the screen shows as a bar.
struct ConsentBar {
    /// Per cent from one step of the bar to the next.
    private static let stepPercent: UInt64 = 5

    private var since: Instant?
    private var milliseconds: UInt64 = 0
    /// Per cent, in steps; nil while nobody is waited for.
    private(set) var percent: UInt8?

    /// When the bar grows next.
    var deadline: Instant? {
        guard let since, let percent, percent < 100 else { return nil }
        return since.adding(milliseconds: milliseconds / 100 * (UInt64(percent) + Self.stepPercent))
    }

    mutating func begin(for milliseconds: UInt64, at now: Instant) {
        // A hundredth of it is at least a millisecond: no deadline stands still.
        self.milliseconds = max(100, milliseconds)
        since = now
        percent = 0
    }

    mutating func expire(at now: Instant) {
        guard let since, percent != nil else { return }
        let share = min(100, now.milliseconds(since: since) / (milliseconds / 100))
        percent = UInt8(clamping: share - share % Self.stepPercent)
    }

    mutating func end() {
        since = nil
        percent = nil
    }
}
