/// Events on their way to the log, with a budget for each kind: whoever rattles a door or leans on a button must not fill a log that has to
/// last for years, nor use up the records of another kind. Beyond it they are counted, and the count is an event itself.
struct DoorEvents: Sendable {
    private struct Budget: Sendable {
        /// When it is whole again.
        var wholeAt: UInt64 = 0
        /// Events without a record.
        var left = 0
    }

    /// Records of a kind at once; one more each six minutes, ten an hour.
    static let burst: UInt64 = 16
    static let pause: UInt64 = 360_000

    private var waiting: [DoorEvent] = []
    private var budgets: [DoorEventKind: Budget] = [:]
    /// Some event has no record: else nobody asks the budgets.
    private var areLeft = false

    mutating func add(_ event: DoorEvent, at now: UInt64) {
        guard let kind = event.kind else { return waiting.append(event) }
        var budget = budgets[kind] ?? Budget()
        if Self.take(&budget, at: now) {
            if budget.left > 0 { waiting.append(.more(budget.left, of: kind)) }
            budget.left = 0
            waiting.append(event)
        } else {
            budget.left += 1
            areLeft = true
        }
        budgets[kind] = budget
    }

    /// Counts what has no record yet, once there is room for it.
    mutating func expire(at now: UInt64) {
        guard areLeft else { return }
        for kind in DoorEventKind.allCases {
            guard var budget = budgets[kind], budget.left > 0, Self.take(&budget, at: now) else { continue }
            waiting.append(.more(budget.left, of: kind))
            budget.left = 0
            budgets[kind] = budget
        }
        areLeft = budgets.values.contains { $0.left > 0 }
    }

    /// When `expire` wants to be called.
    var deadline: UInt64? { !areLeft ? nil : budgets.values.filter { $0.left > 0 }.map { Self.nextAt($0) }.min() }

    mutating func next() -> DoorEvent? { waiting.isEmpty ? nil : waiting.removeFirst() }

    private static func nextAt(_ budget: Budget) -> UInt64 {
        let kept = (burst - 1) * pause * 1_000_000
        return budget.wholeAt - min(budget.wholeAt, kept)
    }

    private static func take(_ budget: inout Budget, at now: UInt64) -> Bool {
        guard now >= nextAt(budget) else { return false }
        budget.wholeAt = max(budget.wholeAt, now).later(milliseconds: pause)
        return true
    }
}
