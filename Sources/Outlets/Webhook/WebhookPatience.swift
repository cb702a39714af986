/// When the next attempt with a record is due, and when there is none any more. In seconds; it has no clock.
public struct WebhookPatience: Hashable, Sendable {
    /// What became of an attempt.
    public enum Result: Hashable, Sendable {
        /// Any status of three digits, a redirect too: none is followed. With the seconds that the receiver wants to be left alone.
        case answered(Int, retryAfter: UInt64? = nil)
        /// Nobody there, no certificate that holds, too slow, too much: nothing was said about the record.
        case unanswered
    }

    /// What is to be done.
    public enum Next: Hashable, Sendable {
        /// The receiver has it.
        case delivered
        /// The receiver wants no more of anything (410).
        case stopped
        /// Again after so many seconds.
        case again(after: UInt64)
        /// It was refused for three days, and holds all others: it is left out, and that is said.
        case skipped
    }

    /// 5 s, 5 min, 30 min, 2 h, 5 h, and then every 10 h (Standard Webhooks 1.0, "Retry schedule").
    static let pauses: [UInt64] = [5, 300, 1800, 7200, 18_000, 36_000]
    /// Three days.
    static let longest: UInt64 = 259_200
    /// Where nobody answers, or the receiver says that it is in trouble itself, the record is not to blame: it is asked at least so often.
    static let longestAbsence: UInt64 = 1800

    /// Attempts with this record that were refused.
    public private(set) var refusals = 0
    /// Seconds for which the last word about it was a refusal.
    public private(set) var refusedFor: UInt64 = 0
    /// Attempts in a row in which nothing was said about it.
    private var absences = 0
    private var isRefused = false

    public init() {}

    /// As it was before a restart.
    public init(refusals: Int, refusedFor: UInt64) {
        (self.refusals, self.refusedFor, isRefused) = (max(0, refusals), refusedFor, refusals > 0)
    }

    /// Time goes by, by a clock that nobody sets.
    public mutating func pass(_ seconds: UInt64) {
        if isRefused { refusedFor = refusedFor.addingReportingOverflow(seconds).overflow ? .max : refusedFor + seconds }
    }

    public mutating func attempted(_ result: Result) -> Next {
        guard case .answered(let status, let retryAfter) = result else { return .again(after: absent()) }
        switch status {
        case 200...299:
            self = WebhookPatience()
            return .delivered
        case 410: return .stopped
        // It is not the record that these are about (RFC 9110 section 15, RFC 6585, RFC 8470).
        case 408, 425, 429, 500...599: return .again(after: max(absent(), retryAfter ?? 0))
        default: break
        }
        guard refusedFor < Self.longest else {
            self = WebhookPatience()
            return .skipped
        }
        (refusals, absences, isRefused) = (refusals + 1, 0, true)
        return .again(after: max(Self.pause(refusals), retryAfter ?? 0))
    }

    private mutating func absent() -> UInt64 {
        (absences, isRefused) = (absences + 1, false)
        return min(Self.pause(absences), Self.longestAbsence)
    }

    private static func pause(_ failures: Int) -> UInt64 { pauses[min(max(failures, 1), pauses.count) - 1] }
}
