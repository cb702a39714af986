import Bluetooth

/// How many records of a kind there may be. A visit that is not accepted costs a stranger little and the gate a write to the disk and room
/// in a log that has to last for years; beyond a burst, they are counted instead.
struct RecordBudget: ~Copyable {
    /// Records at once, and the time in which one more may be made.
    private let burst: UInt64
    private let milliseconds: UInt64
    /// When the budget is whole again.
    private var wholeAt = Instant(nanoseconds: 0)

    init(burst: UInt64, milliseconds: UInt64) {
        self.burst = burst
        self.milliseconds = milliseconds
    }

    /// Of visits that anybody can make: 64 at once, 20 an hour.
    static var strangers: RecordBudget { RecordBudget(burst: 64, milliseconds: 180_000) }
    /// Of what is posted on the gate's own network and proves nothing: 16 at once, 20 an hour.
    static var network: RecordBudget { RecordBudget(burst: 16, milliseconds: 180_000) }
    /// Of visits with a credential that a trusted issuer signed, so that no stranger uses up what is meant for them: 128 at once, 120 an
    /// hour.
    static var genuine: RecordBudget { RecordBudget(burst: 128, milliseconds: 30_000) }

    /// From when on there is one.
    var nextAt: Instant {
        let whole = wholeAt.nanoseconds, kept = (burst - 1) * milliseconds * 1_000_000
        return Instant(nanoseconds: whole - min(whole, kept))
    }

    /// Takes one record out of the budget; false when there is none.
    mutating func take(at now: Instant) -> Bool {
        guard wholeAt.milliseconds(since: now) <= (burst - 1) * milliseconds else { return false }
        wholeAt = max(wholeAt, now).adding(milliseconds: milliseconds)
        return true
    }
}
