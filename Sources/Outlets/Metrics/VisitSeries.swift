import JSON

/// What a visit is counted under: how it ended, and the first reason for it.
struct VisitSeries: Hashable, Comparable, Sendable {
    let outcome: String
    let reason: String

    /// Where nothing is said: an accepted visit has no reason.
    static let noReason = "none"
    /// A code that is none, or one more than there can be.
    static let other = "other"
    /// Of a visit that has no record of its own, because strangers made too many.
    static let notRecorded = "not-recorded"
    /// Visits without a record that ended without a verdict: left, failed, too slow.
    static let noVerdict = "no-verdict"

    /// Outcomes as the audit log has them (reference.md, "Audit members").
    static let outcomes: Set<String> = ["accepted", "rejected", "failed", "left", "timed-out", "stopped", "controller-fault"]
    /// Octets of the longest code.
    static let longestCode = 64

    init(outcome: String, reason: String) {
        (self.outcome, self.reason) = (outcome, reason)
    }

    /// - Parameter record: of the event `visit`.
    init(_ record: JSONValue) {
        let outcome = record["outcome"]?.string ?? ""
        self.outcome = Self.outcomes.contains(outcome) ? outcome : Self.other
        var reasons = record["reasons"]?.elements
        let said = reasons?.next()?.string ?? record["error"]?.string ?? record["deadline"]?.string
        reason = said.map { Self.isCode($0) ? $0 : Self.other } ?? Self.noReason
    }

    /// Letters, digits, `-`, `_` and `.`: whatever else stands there is no code, and no label is made of it.
    static func isCode(_ text: String) -> Bool {
        1...longestCode ~= text.utf8.count
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
            }
    }

    static func < (one: VisitSeries, other: VisitSeries) -> Bool { (one.outcome, one.reason) < (other.outcome, other.reason) }
}
