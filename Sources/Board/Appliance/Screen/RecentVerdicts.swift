import Devices
import Visit

/// The last verdicts, for a guard who wants to see them once more: when, what, and why. In memory only, and nothing of whom they were on.
struct RecentVerdicts {
    /// How many are kept.
    static let count = 10

    private struct Verdict {
        /// Nanoseconds of the monotonic clock.
        let time: UInt64
        let isAccepted: Bool
        let code: String?
    }

    /// The newest last.
    private var verdicts: [Verdict] = []

    /// Keeps a verdict; what the visitor is told otherwise is none.
    ///
    /// - Returns: whether it was one.
    mutating func note(_ sign: VisitorSign, now: UInt64) -> Bool {
        switch sign {
        case .accepted: verdicts.append(Verdict(time: now, isAccepted: true, code: nil))
        case .rejected(let reason): verdicts.append(Verdict(time: now, isAccepted: false, code: reason?.code))
        default: return false
        }
        if verdicts.count > Self.count { verdicts.removeFirst() }
        return true
    }

    /// The newest first, each with the time since.
    func lines(now: UInt64) -> [VerdictLine] {
        verdicts.reversed().map { verdict in
            VerdictLine(
                isAccepted: verdict.isAccepted, code: verdict.code, seconds: (max(now, verdict.time) - verdict.time) / 1_000_000_000)
        }
    }
}
