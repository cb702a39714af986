import Bluetooth

/// What is kept of links that came to nothing and have no record of their own: how many of each kind, nothing of whose.
public struct FruitlessRecord: Hashable, Sendable {
    /// What became of them.
    public enum Kind: UInt8, Sendable {
        /// They went before they identified.
        case left
        /// They did not identify in time.
        case silent
        /// They broke the protocol before they identified.
        case failed
        /// They identified, and ended without a verdict.
        case visits
        /// A visit was rejected.
        case rejected
        /// They were sent away at once, having come in vain too often.
        case refused
    }

    public var left: UInt64 = 0
    public var silent: UInt64 = 0
    public var failed: UInt64 = 0
    public var visits: UInt64 = 0
    public var rejected: UInt64 = 0
    public var refused: UInt64 = 0
    /// The most by which deadlines were shortened, in steps; 0 when they were not.
    public var step: UInt8 = 0
    /// Milliseconds from the first of them to the last.
    public var milliseconds: UInt64 = 0

    public init() {}

    /// Links altogether.
    public var links: UInt64 { left + silent + failed + visits + rejected + refused }

    mutating func count(_ kind: Kind) {
        switch kind {
        case .left: left += 1
        case .silent: silent += 1
        case .failed: failed += 1
        case .visits: visits += 1
        case .rejected: rejected += 1
        case .refused: refused += 1
        }
    }
}

/// Collects what came to nothing, so that a flood of strangers makes one record a minute at first, and then one in ten minutes, and not one each.
struct FruitlessTally: ~Copyable {
    private var record = FruitlessRecord()
    private var first: Instant?
    private var isDue = false
    private var budget = RecordBudget(burst: 12, milliseconds: 600_000)

    init() {}

    /// From the first link counted to the record, while there is a budget for it.
    static var periodMilliseconds: UInt64 { 60_000 }

    var deadline: Instant? {
        guard !isDue, let first else { return nil }
        return max(first.adding(milliseconds: Self.periodMilliseconds), budget.nextAt)
    }

    mutating func count(_ kind: FruitlessRecord.Kind, step: UInt8, at now: Instant) {
        let first = first ?? now
        self.first = first
        record.count(kind)
        record.step = max(record.step, step)
        record.milliseconds = now.milliseconds(since: first)
    }

    mutating func expire(at now: Instant) {
        if let deadline, now >= deadline, budget.take(at: now) { isDue = true }
    }

    /// The gate stops: what was counted is due now.
    mutating func end() { isDue = first != nil }

    mutating func take() -> FruitlessRecord? {
        guard isDue else { return nil }
        defer { (record, first, isDue) = (FruitlessRecord(), nil, false) }
        return record
    }
}

/// How many records of a kind there may be. A visit that is not accepted costs a stranger little and the gate a write to the disk and room in a log that
/// has to last for years; beyond a burst, they are counted instead.
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
    /// Of visits with a credential that a trusted issuer signed, so that no stranger uses up what is meant for them: 128 at once, 120 an hour.
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
