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

/// Collects what came to nothing, so that a flood of strangers makes one record a minute and not one each.
struct FruitlessTally: ~Copyable {
    private var record = FruitlessRecord()
    private var first: Instant?
    private var isDue = false

    init() {}

    /// From the first link counted to the record.
    static var periodMilliseconds: UInt64 { 60_000 }

    var deadline: Instant? { isDue ? nil : first?.adding(milliseconds: Self.periodMilliseconds) }

    mutating func count(_ kind: FruitlessRecord.Kind, step: UInt8, at now: Instant) {
        let first = first ?? now
        self.first = first
        record.count(kind)
        record.step = max(record.step, step)
        record.milliseconds = now.milliseconds(since: first)
    }

    mutating func expire(at now: Instant) {
        if let deadline, now >= deadline { isDue = true }
    }

    /// The gate stops: what was counted is due now.
    mutating func end() { isDue = first != nil }

    mutating func take() -> FruitlessRecord? {
        guard isDue else { return nil }
        defer { self = FruitlessTally() }
        return record
    }
}

/// Which visits have a record of their own. A visit that is not accepted costs a stranger little and the gate a write to
/// the disk; beyond a burst that no honest day has, they are counted instead.
struct RecordBudget: ~Copyable {
    /// When the budget is whole again.
    private var wholeAt = Instant(nanoseconds: 0)

    init() {}

    static var burst: UInt64 { 128 }
    static var milliseconds: UInt64 { 1_000 }

    /// Takes one record out of the budget; false when there is none.
    mutating func take(at now: Instant) -> Bool {
        guard wholeAt.milliseconds(since: now) <= (Self.burst - 1) * Self.milliseconds else { return false }
        wholeAt = max(wholeAt, now).adding(milliseconds: Self.milliseconds)
        return true
    }
}
