/// What the records say of a door: how often each thing happened, for whom it opened, and how long emergencies lasted.
struct AuditDoor {
    private enum Known: Int { case opened, emergency, emergencyEnded, more }

    /// By what happened. What had no record of its own is in the count of its kind, as a record `more` says.
    private(set) var happened = AuditNames(
        capacity: AuditTally.mostCodes,
        known: [
            "opened", "emergency", "emergency-ended", "more", "held", "held-ended", "forced", "tamper", "tamper-ended",
            "supervisor-armed", "supervisor-used", "supervisor-expired", "lines-lost", "lines-back",
        ])
    /// For whom the lock opened.
    private(set) var causes = AuditNames(capacity: AuditTally.mostCodes, known: ["exit"])
    private static let exit = 0
    /// Of all that, how much had no record of its own.
    private(set) var unrecorded: UInt64 = 0
    private(set) var emergencies = AuditEmergencies()

    /// A record that is not counted yet: the one behind it may say that it did not happen.
    private struct Waiting {
        let sequence: UInt64
        let at: Int64?
        let what: Int
        let cause: Int?
        /// Of `more`.
        let kind: Int?
        let count: UInt64
    }

    private var waiting: Waiting?

    mutating func take(_ entry: AuditEntry, _ text: Span<UInt8>, at: Int64?) {
        settle()
        waiting = Waiting(
            sequence: entry.sequence, at: at, what: Self.place(entry.code(.what), of: text, in: &happened) ?? AuditNames.nowhere,
            cause: Self.place(entry.code(.by), of: text, in: &causes), kind: Self.place(entry.code(.kind), of: text, in: &happened),
            count: entry.count(.count))
    }

    /// A record did not happen.
    mutating func forget(_ sequence: Int64?) {
        if let waiting, Int64(clamping: waiting.sequence) == sequence { self.waiting = nil }
    }

    /// A process began: the one before saw no end of what it saw the beginning of.
    mutating func restart() {
        settle()
        emergencies.lose()
    }

    /// Behind the last record.
    mutating func end() { restart() }

    private static func place(_ range: Range<Int>?, of text: Span<UInt8>, in names: inout AuditNames) -> Int? {
        guard let range else { return nil }
        return names.place(of: text.extracting(range))
    }

    private mutating func settle() {
        guard let record = waiting else { return }
        waiting = nil
        let what = Known(rawValue: record.what)
        if what == .more, let kind = record.kind { return count(record.count, of: kind) }
        happened.count(record.what)
        if let cause = record.cause { causes.count(cause) }
        switch what {
        case .emergency: emergencies.begin(at: record.at)
        case .emergencyEnded: emergencies.end(at: record.at)
        case .opened, .more, nil: break
        }
    }

    private mutating func count(_ count: UInt64, of kind: Int) {
        happened.count(kind, times: count)
        unrecorded = unrecorded.addingClamped(count)
        switch Known(rawValue: kind) {
        // What opens for a visit always has a record.
        case .opened: causes.count(Self.exit, times: count)
        case .emergency: emergencies.lose(count)
        case .emergencyEnded: emergencies.lose()
        case .more, nil: break
        }
    }
}

/// How long the emergency release was active, by the records of its beginning and its end.
struct AuditEmergencies {
    /// Those with both on record.
    private(set) var ended: UInt64 = 0
    /// Seconds, together and of the longest.
    private(set) var (seconds, longest): (UInt64, UInt64) = (0, 0)
    /// Of how many it is not known: no end is on record, or no usable time.
    private(set) var unknown: UInt64 = 0
    private var (isOpen, began): (Bool, Int64?) = (false, nil)

    mutating func begin(at time: Int64?) {
        lose()
        (isOpen, began) = (true, time)
    }

    mutating func end(at time: Int64?) {
        guard isOpen, let time, let began, time >= began else { return lose() }
        let length = time.subtractingReportingOverflow(began)
        let span = length.overflow ? UInt64.max : UInt64(length.partialValue)
        (isOpen, ended, seconds, longest) = (false, ended + 1, seconds.addingClamped(span), max(longest, span))
    }

    /// So many had no record of their own. One that has begun may have ended among them.
    mutating func lose(_ count: UInt64 = 0) {
        if isOpen { unknown = unknown.addingClamped(1) }
        isOpen = false
        unknown = unknown.addingClamped(count)
    }
}
