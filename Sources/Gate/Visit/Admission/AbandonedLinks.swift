import Bluetooth

/// What is kept of links that came to nothing and have no record of their own: how many of each kind, nothing of whose.
public struct AbandonedLinks: Hashable, Sendable {
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

/// Collects what came to nothing, so that a flood of strangers makes one record a minute at first, and then one in ten minutes, and not one
/// each.
struct AbandonedTally: ~Copyable {
    private var record = AbandonedLinks()
    private var first: Instant?
    /// It is time to keep what was counted.
    private(set) var isDue = false
    private var budget = RecordBudget(burst: 12, milliseconds: 600_000)

    init() {}

    /// From the first link counted to the record, while there is a budget for it.
    static var periodMilliseconds: UInt64 { 60_000 }

    var deadline: Instant? {
        guard !isDue, let first else { return nil }
        return max(first.adding(milliseconds: Self.periodMilliseconds), budget.nextAt)
    }

    mutating func count(_ kind: AbandonedLinks.Kind, step: UInt8, at now: Instant) {
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

    mutating func take() -> AbandonedLinks? {
        guard isDue else { return nil }
        defer { (record, first, isDue) = (AbandonedLinks(), nil, false) }
        return record
    }
}
