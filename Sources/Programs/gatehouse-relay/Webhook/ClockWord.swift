import Audit
import JSON
import Linux

/// Whose word it takes to believe the clock, by which each webhook says when it was sent: receivers refuse what is minutes off.
enum ClockWord: String {
    /// The gate's, of its last start.
    case gate
    /// The kernel's: something keeps it synchronised.
    case system
    /// One of both.
    case either

    /// - Parameters:
    ///   - log: the current segment of the audit log. Its end is looked at, however far records were sent.
    ///   - before: what the gate said when it was started longer ago than that end reaches.
    func isBelieved(_ log: String, _ before: String?) -> Bool {
        if self != .gate, Clock.isSynchronised == true { return true }
        return self != .system && (Self.lastStart(log) ?? before) != "unsure"
    }

    /// What the last start among the last thousand records says of the clock; nil where there is none.
    private static func lastStart(_ log: String) -> String? {
        guard let follower = try? AuditFollower(log, last: AuditFollower.most) else { return nil }
        for line in follower.last.reversed() {
            if case .record(let octets) = line, let root = (try? JSONDocument(parsing: octets))?.root, root["event"]?.string == "started" {
                return root["clock"]?.string
            }
        }
        return nil
    }
}
