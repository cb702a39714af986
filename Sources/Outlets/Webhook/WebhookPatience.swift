/// When the next attempt with a record is due, and when there is none any more. In seconds; it has no clock.
public struct WebhookPatience: Hashable, Sendable {
    /// What became of an attempt.
    public enum Result: Hashable, Sendable {
        /// Any status of three digits, a redirect too: none is followed.
        case answered(Int)
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
        /// It was answered and refused for three days, and holds all others: it is left out, and that is said.
        case skipped
    }

    /// 5 s, 5 min, 30 min, 2 h, 5 h, and then every 10 h (Standard Webhooks 1.0, "Retry schedule").
    static let pauses: [UInt64] = [5, 300, 1800, 7200, 18_000, 36_000]
    /// Three days.
    static let longest: UInt64 = 259_200
    /// Where nobody answers the record is not to blame: the server comes back, and is asked at least every half hour.
    static let longestUnanswered: UInt64 = 1800

    /// Attempts with this record that failed.
    public private(set) var failures = 0
    /// When it was refused for the first time, in seconds of a clock that only goes forward; nil where it was not.
    public private(set) var refusedSince: UInt64?

    public init() {}

    /// As it was before a restart.
    public init(failures: Int, refusedSince: UInt64?) {
        (self.failures, self.refusedSince) = (max(0, failures), refusedSince)
    }

    /// - Parameter now: seconds; earlier than before counts as no time gone.
    public mutating func attempted(_ result: Result, at now: UInt64) -> Next {
        switch result {
        case .answered(200...299):
            self = WebhookPatience()
            return .delivered
        case .answered(410): return .stopped
        case .answered: break
        case .unanswered:
            failures += 1
            return .again(after: min(Self.pause(failures), Self.longestUnanswered))
        }
        failures += 1
        let since = refusedSince ?? now
        refusedSince = since
        guard now >= since, now - since >= Self.longest else { return .again(after: Self.pause(failures)) }
        self = WebhookPatience()
        return .skipped
    }

    private static func pause(_ failures: Int) -> UInt64 { pauses[min(max(failures, 1), pauses.count) - 1] }
}
