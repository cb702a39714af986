/// Events on their way to the log, with a budget for each kind: whoever rattles a door, leans on a button or plays with the emergency
/// release must not fill a log that has to last for years, nor use up the records of another kind. Beyond it they are counted, and the
/// count is an event itself.
///
/// What is grave is recorded with its end or not at all, so that the log never has an end without a beginning. Where it goes on without a
/// record, it has one as soon as there is room.
struct DoorEvents: Sendable {
    private struct Budget: Sendable {
        /// When it is whole again.
        var wholeAt: UInt64 = 0
        /// Events without a record.
        var left = 0
        /// The last of them, where it goes on.
        var goesOn: DoorEvent?
    }

    private var waiting: [DoorEvent] = []
    private var budgets: [DoorEventKind: Budget] = [:]
    /// Some event has no record: else nobody asks the budgets.
    private var areLeft = false

    mutating func add(_ event: DoorEvent, at now: UInt64) {
        if let kind = event.beginning {
            // Counted together with its beginning.
            let isCounted = budgets[kind]?.goesOn != nil
            budgets[kind]?.goesOn = nil
            if !isCounted { waiting.append(event) }
            return
        }
        guard let kind = event.kind else { return waiting.append(event) }
        var budget = budgets[kind] ?? Budget()
        if Self.take(&budget, of: kind, at: now) {
            tell(&budget, of: kind)
            waiting.append(event)
        } else {
            budget.left += 1
            if kind.isGrave { budget.goesOn = event }
            areLeft = true
        }
        budgets[kind] = budget
    }

    /// Counts what has no record yet, once there is room for it.
    mutating func expire(at now: UInt64) {
        guard areLeft else { return }
        for kind in DoorEventKind.allCases {
            guard var budget = budgets[kind], budget.left > 0, Self.take(&budget, of: kind, at: now) else { continue }
            tell(&budget, of: kind)
            budgets[kind] = budget
        }
        areLeft = budgets.values.contains { $0.left > 0 }
    }

    /// Nobody asks the budgets any more: what has no record is told now.
    mutating func end() {
        for kind in DoorEventKind.allCases {
            guard var budget = budgets[kind], budget.left > 0 else { continue }
            tell(&budget, of: kind)
            budgets[kind] = budget
        }
        areLeft = false
    }

    /// When `expire` wants to be called.
    var deadline: UInt64? {
        guard areLeft else { return nil }
        return budgets.filter { $0.value.left > 0 }.map { Self.nextAt($0.value, of: $0.key) }.min()
    }

    mutating func next() -> DoorEvent? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// What has no record is counted; what of it goes on has its own now.
    private mutating func tell(_ budget: inout Budget, of kind: DoorEventKind) {
        let count = budget.left - (budget.goesOn == nil ? 0 : 1)
        if count > 0 { waiting.append(.more(count, of: kind)) }
        if let event = budget.goesOn { waiting.append(event) }
        (budget.left, budget.goesOn) = (0, nil)
    }

    private static func nextAt(_ budget: Budget, of kind: DoorEventKind) -> UInt64 {
        let kept = (kind.burst - 1) * kind.pause * 1_000_000
        return budget.wholeAt - min(budget.wholeAt, kept)
    }

    private static func take(_ budget: inout Budget, of kind: DoorEventKind, at now: UInt64) -> Bool {
        guard now >= nextAt(budget, of: kind) else { return false }
        budget.wholeAt = max(budget.wholeAt, now).later(milliseconds: kind.pause)
        return true
    }
}
