import Audit
import JSON
import Linux
import Relay
import Syslog

/// Records as syslog messages over TLS (RFC 5425). Syslog has no answer, so what was written last is sent again after each connection that
/// broke; only whoever ends its side after ours has read everything.
final class SyslogOutlet: Outlet {
    private let settings: SyslogSettings
    private var identity: TLSIdentity?
    private var connection: TLSConnection?
    /// What has still to be written, and how much of it was.
    private var outbox: [UInt8] = []
    private var written = 0
    /// Records in the outbox, with where each ends; and those that were written and may be lost, the oldest first.
    private var waiting: [(place: AuditPlace, end: Int)] = []
    private var unsure: [AuditPlace] = []
    private var lastWritten: UInt64 = 0
    /// Until when a connection is on probation, from its first record on; and how many it was given.
    private var probation: UInt64?
    private var handedOut = 0
    private(set) var delivered: AuditPlace?
    /// Ends in a row that we asked for and that said nothing of what was read.
    private var unclearEnds = 0
    private let say: (String) -> Void

    /// After so many a receiver is not asked any more: one that never ends as TLS wants it would get the same records twice a minute.
    private static let mostUnclear = 2
    /// Octets that wait in memory at most, but for one record.
    private static let mostWaiting = 65_536
    private static let mostOnProbation = 64
    private static let second: UInt64 = 1_000_000_000
    private static let probationTime: UInt64 = 2 * second
    /// For the other side's end, when the process ends.
    private static let farewell: UInt64 = 2 * second

    /// - Parameter say: hears what keeps the cursor behind.
    init(_ settings: SyslogSettings, say: @escaping (String) -> Void) {
        (self.settings, self.say) = (settings, say)
        // While libssl may still read what it reads when it starts. What is wrong is said when it is opened.
        identity = try? makeIdentity()
    }

    var needs: OutletNeeds {
        var needs = OutletNeeds()
        needs.ports = [settings.port]
        needs.readable = [settings.authorities, settings.certificate, settings.key].compactMap(\.self)
        if settings.authorities == nil { needs.readable += ["/etc/ssl", "/usr/lib/ssl", "/usr/share/ca-certificates"] }
        return needs
    }

    var isConnected: Bool { connection?.stage == .open }

    var room: Int {
        guard isConnected, outbox.count - written < Self.mostWaiting else { return 0 }
        // A receiver that does not believe us may say so only when it has read something: until then it gets little to throw away.
        if let probation { return Clock.monotonic() >= probation ? 16 : max(0, Self.mostOnProbation - handedOut) }
        return max(0, Self.mostOnProbation - handedOut)
    }

    func open() throws(OutletTrouble) {
        dropConnection()
        delivered = nil
        try connect()
    }

    func close() {
        farewell()
        dropConnection()
    }

    func send(_ record: FeedRecord) throws(OutletTrouble) {
        guard let root = (try? JSONDocument(parsing: record.octets))?.root else { throw OutletTrouble(.system, "a record is no JSON") }
        outbox += SyslogMessage(root, line: record.octets, from: settings.sender).frame
        waiting.append((record.place, outbox.count))
        handedOut += 1
    }

    func turn(until deadline: UInt64) throws(OutletTrouble) {
        guard let connection else { return }
        do throws(OutletTrouble) { try connection.goOn() } catch {
            // Perhaps it was killed with what it had not read: this time everything is sent again.
            if connection.stage == .ending { noteUnclearEnd() }
            throw error
        }
        if connection.stage == .ended {
            // It has read to our end, and so everything before.
            unclearEnds = 0
            if let last = unsure.last { delivered = last }
            unsure.removeAll()
            self.connection = nil
            return try connect()
        }
        try flush(connection)
        let isIdle = outbox.isEmpty && !unsure.isEmpty && connection.stage == .open && unclearEnds < Self.mostUnclear
        let due = lastWritten &+ settings.settle * Self.second
        if isIdle, Clock.monotonic() >= due {
            try connection.end()
            return
        }
        connection.wait(until: isIdle ? min(deadline, due) : deadline, toWrite: !outbox.isEmpty)
    }

    private func noteUnclearEnd() {
        unclearEnds += 1
        guard unclearEnds == Self.mostUnclear else { return }
        say("the receiver does not end as TLS wants it: it is not asked any more, and the cursor stays \(settings.rewind) records behind")
    }

    // MARK: the connection

    private func connect() throws(OutletTrouble) {
        if self.identity == nil { self.identity = try makeIdentity() }
        guard let identity else { return }
        connection = try TLSConnection(identity, host: settings.host, port: settings.port, name: settings.name)
        (lastWritten, probation, handedOut) = (Clock.monotonic(), nil, 0)
    }

    private func makeIdentity() throws(OutletTrouble) -> TLSIdentity {
        try TLSIdentity(authorities: settings.authorities, certificate: settings.certificate, key: settings.key)
    }

    private func flush(_ connection: TLSConnection) throws(OutletTrouble) {
        while written < outbox.count {
            let count = try connection.write(outbox[written...])
            guard count > 0 else { break }
            written += count
            lastWritten = Clock.monotonic()
            if probation == nil { probation = lastWritten &+ Self.probationTime }
        }
        let done = waiting.prefix { $0.end <= written }
        unsure += done.map(\.place)
        waiting.removeFirst(done.count)
        if written == outbox.count {
            outbox.removeAll(keepingCapacity: true)
            written = 0
            connection.rest()
        } else if written >= Self.mostWaiting {
            outbox.removeFirst(written)
            waiting = waiting.map { ($0.place, $0.end - written) }
            written = 0
        }
        // A few at a time, so that the array is not moved for each.
        if unsure.count >= settings.rewind + 64 {
            let sure = unsure.count - settings.rewind
            delivered = unsure[sure - 1]
            unsure.removeFirst(sure)
        }
    }

    /// What was written is delivered where the other side ends after us, having read it.
    private func farewell() {
        guard let connection, connection.stage == .open, outbox.isEmpty, unclearEnds < Self.mostUnclear else { return }
        let deadline = Clock.monotonic() &+ Self.farewell
        do throws(OutletTrouble) {
            try connection.end()
            while connection.stage == .ending, Clock.monotonic() < deadline {
                connection.wait(until: deadline, toWrite: false)
                try connection.goOn()
            }
        } catch { return }
        if connection.stage == .ended, let last = unsure.last { delivered = last }
    }

    private func dropConnection() {
        connection = nil
        (outbox, written, waiting, unsure) = ([], 0, [], [])
    }
}
