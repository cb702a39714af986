import Audit
import Glibc
import JSON
import Linux
import Metrics
import Relay
import RelayState

/// Numbers for Prometheus: a file for node_exporter, a listener on one address, or both. What was counted is kept in the state folder, so
/// that no counter falls when the relay is started anew, and a record counts as delivered when that is on the disk.
final class MetricsOutlet: Outlet {
    private let settings: MetricsSettings
    private let state: String
    private let log: String
    private var metrics = GateMetrics()
    /// The last record that was counted, and the last that what is kept has.
    private var counted: AuditPlace?
    private(set) var delivered: AuditPlace?
    private var listener: ScrapeListener?
    private var nextFile: UInt64 = 0
    private var isKept = true
    private(set) var isConnected = false
    /// A disk that is full takes no file, and is no reason to tell nobody anything.
    private(set) var complaint: OutletTrouble?

    private static let memory = "counts"
    /// Seconds after which an outlet that says nothing of itself is dead: it writes its status each minute.
    private static let silence: UInt64 = 180
    private static let second: UInt64 = 1_000_000_000

    /// - Parameters:
    ///   - log: the folder with the audit log.
    ///   - state: the outlet's own folder.
    init(_ settings: MetricsSettings, log: String, state: String) {
        (self.settings, self.log, self.state) = (settings, log, state)
    }

    var needs: OutletNeeds {
        var needs = OutletNeeds()
        if settings.address != nil { needs.listens = settings.port }
        needs.readable = [GateLock.table] + settings.outlets.map(\.folder)
        if let file = settings.file { needs.writable = [Self.folder(of: file)] }
        return needs
    }

    var room: Int { isConnected ? 256 : 0 }

    func open() throws(OutletTrouble) {
        (counted, delivered, isKept) = (nil, nil, true)
        metrics = try remembered()
        if let address = settings.address, listener == nil { listener = try ScrapeListener(address, settings.port) }
        // What there is to say is said at once: a file that is not there says less than one that is old.
        complaint = writeFile()
        nextFile = Clock.monotonic() &+ settings.interval * Self.second
        isConnected = true
    }

    func close() {
        _ = keep()
        isConnected = false
        listener = nil
    }

    /// Of another log everything is counted anew, whatever its first record is; of one that was written anew what was written so.
    func logChanged(from number: UInt64) {
        guard number <= 1 else { return metrics.recount(from: number) }
        (metrics, counted, isKept) = (GateMetrics(), nil, true)
        // Where it cannot be written, only a log that begins with its first record is known to be another one after a restart.
        try? DurableFolder(state, exclusively: false).replace(Self.memory, with: metrics.kept)
    }

    func send(_ record: FeedRecord) throws(OutletTrouble) {
        guard let root = (try? JSONDocument(parsing: record.octets))?.root else { return }
        // The log was exchanged, or is counted anew from its beginning.
        if record.first == 1, metrics.sequence > 0, counted == nil || record.first <= metrics.sequence { metrics = GateMetrics() }
        metrics.count(root)
        (counted, isKept) = (record.place, false)
    }

    func turn(until deadline: UInt64) throws(OutletTrouble) {
        let now = Clock.monotonic()
        if now >= nextFile {
            nextFile = now &+ settings.interval * Self.second
            let (file, kept) = (writeFile(), keep())
            complaint = file ?? kept
        }
        let until = min(deadline, nextFile)
        if let listener {
            try listener.turn(until: until) { self.text }
        } else {
            Pause.sleep(until: until)
        }
    }

    // MARK: what is said

    private var text: [UInt8] {
        let outlets = settings.outlets.map { kind, folder in
            let status = OutletStatus(folder: folder), cursor = try? OutletCursor(folder: folder)
            let isAlive = status.map { $0.at &+ Self.silence >= Clock.wallSeconds() } ?? false
            return GateMetrics.Outlet(
                name: kind.rawValue, isConnected: isAlive && status?.state == .connected, cursor: cursor?.sequence ?? 0)
        }
        return metrics.text(isUp: GateLock.isHeld(in: log), outlets)
    }

    private static func folder(of path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    /// Replaced whole: half a file takes every metric of the gate away. Not brought to the disk: after a power cut the next one is due.
    private func writeFile() -> OutletTrouble? {
        guard let file = settings.file else { return nil }
        do throws(SystemError) {
            try File.exchange(file, for: text)
            return nil
        } catch {
            return OutletTrouble(.system, "the file cannot be written: \(error.cause)")
        }
    }

    // MARK: what is kept

    private func remembered() throws(OutletTrouble) -> GateMetrics {
        let found: [UInt8]?
        do throws(SystemError) {
            found = try DurableFolder(state, exclusively: false).read(Self.memory, most: GateMetrics.mostKept)
        } catch {
            throw OutletTrouble(.system, "the state folder cannot be read: \(error.cause)")
        }
        // Damaged, or none: counting begins anew, which Prometheus takes for a restart.
        return found.flatMap(GateMetrics.init(kept:)) ?? GateMetrics()
    }

    /// What cannot be kept stays to be delivered: counted again after a restart, from what was kept last.
    private func keep() -> OutletTrouble? {
        guard !isKept, let counted else { return nil }
        do throws(SystemError) {
            try DurableFolder(state, exclusively: false).replace(Self.memory, with: metrics.kept)
        } catch {
            return OutletTrouble(.system, "the state folder cannot be written: \(error.cause)")
        }
        (delivered, isKept) = (counted, true)
        return nil
    }
}
