import Audit
import Glibc
import Linux
import RelayState

/// What tells other systems: of each outlet that has settings whether it is there, how far the other side has the log, and how old the
/// first record is that it has not.
public struct OutletSection {
    /// The folder with a settings file of each outlet, and that with a folder of each outlet's state.
    private let settings: String
    private let states: String
    /// The log's current segment.
    private let log: String
    /// Seconds since 1970.
    private let now: UInt64

    /// Seconds: a relay says that it lives each minute; and records that wait for longer than a short outage.
    private static let silence: UInt64 = 180
    private static let patience: UInt64 = 600

    public init(settings: String, states: String, log: String, now: UInt64 = Clock.wallSeconds()) {
        (self.settings, self.states, self.log, self.now) = (settings, states, log, now)
    }

    public func examine() -> DoctorReport.Section {
        let kinds = OutletKind.allCases.filter { access(settings + "/" + $0.rawValue + ".json", F_OK) == 0 }
        var section = DoctorReport.Section("outlets")
        section.summary = kinds.isEmpty ? "none: no settings in \(settings)" : kinds.map(\.rawValue).joined(separator: ", ")
        for kind in kinds { examine(kind, in: &section) }
        return section
    }

    private func examine(_ kind: OutletKind, in section: inout DoctorReport.Section) {
        let folder = states + "/" + kind.rawValue, name = kind.rawValue
        let look = DoctorReport.Remedy("Look what it says", "journalctl -u gatehouse-relay@\(name)")
        guard let status = OutletStatus(folder: folder) else {
            return section.trouble(
                name, "outlet-absent", "has settings and never ran, or its state in \(folder) cannot be read",
                .init("Start it", "systemctl enable --now gatehouse-relay@\(name)"))
        }
        var words = [status.state.rawValue + (status.trouble.map { ": \($0)" } ?? "")]
        guard kind.readsLog else { return judge(name, status, words, nil, look, in: &section) }
        let lag = OutletLag(kind, settings: settings + "/" + name + ".json")
        let backlog: OutletBacklog
        do throws(OutletStateError) {
            let cursor = try OutletCursor(folder: folder)
            words.append("delivered up to record \(cursor.sequence)")
            do throws(AuditError) {
                // While it is not connected, what would be sent again is what the other side may not have.
                backlog = try OutletBacklog(of: log, behind: cursor, lag: status.state == .connected ? lag.records : 0)
            } catch {
                return section.trouble(name, "outlet-log", "the log cannot be read: \(error)", look)
            }
        } catch {
            return section.trouble(
                name, "outlet-cursor", "\(error)", .init("Have everything sent again", "rm \(DoctorReport.Remedy.word(folder + "/cursor"))")
            )
        }
        let age = backlog.at.map { now > $0 + lag.seconds ? now - $0 - lag.seconds : 0 }
        if let oldest = backlog.oldest, let at = backlog.at {
            let what = lag.records > 0 && status.state == .connected ? "is the first that waits" : "is the first that is not"
            words.append("record \(oldest), \(now > at ? now - at : 0) s old, \(what)")
        }
        if status.missing > 0 { words.append("\(status.missing) records went before they were sent") }
        if backlog.isExchanged { words.append("the log is another one than before") }
        judge(name, status, words, age, look, in: &section)
    }

    /// - Parameter age: seconds for which the first record that is not delivered might have been.
    private func judge(
        _ name: String, _ status: OutletStatus, _ words: [String], _ age: UInt64?, _ look: DoctorReport.Remedy,
        in section: inout DoctorReport.Section
    ) {
        let text = words.joined(separator: "; ")
        if now > status.at, now - status.at > Self.silence {
            section.trouble(name, "outlet-silent", text + "; nothing was heard of it for \(now - status.at) s", look)
        } else if status.state != .connected, (age ?? 0) > Self.patience || status.state == .stopped {
            section.trouble(name, "outlet-waiting", text, look)
        } else if status.state != .connected || status.trouble != nil || (age ?? 0) > Self.patience || status.missing > 0 {
            section.note(name, text, look)
        } else {
            section.add(name, text)
        }
    }
}
