import Audit

/// How the gate is, by the end of its log: however far the other side has it, and whether it takes a record or not.
final class HealthWatch {
    /// Octets of the log that are looked through for the gate's last start, back from the end: a quarter of a log as it is by default. The
    /// start says most of it, and what is wrong at a door is said anew then.
    private static let mostBack: Int64 = 64 << 20
    /// Records taken at one look, so that a busy log does not keep the outlet from its turn.
    private static let atOnce = 1024

    private let log: String
    private var follower: AuditFollower?
    private(set) var health = FeedHealth()

    init(_ log: String) { self.log = log }

    /// Takes what came. A log that is not there, or cannot be read, is for the queue to name.
    func look() {
        var left = follower == nil ? Int.max : Self.atOnce
        do throws(AuditError) {
            let follower: AuditFollower
            if let begun = self.follower {
                follower = begun
            } else {
                follower = try AuditFollower(log, sinceLast: "started", most: Self.mostBack)
                self.follower = follower
            }
            _ = try follower.take { line in
                if case .record(let octets) = line, let place = AuditPlace(of: octets) { health.take(place, octets) }
                left -= 1
                return left > 0
            }
        } catch {}
    }

    /// The log is another one.
    func forget() { (follower, health) = (nil, FeedHealth()) }
}
