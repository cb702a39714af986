import Audit
import JSON
import Linux
import Relay
import Syslog

/// Records as syslog messages over TLS (RFC 5425). Syslog has no answer, and what was written may lie in this board's socket, on the way,
/// or in a receiver that is killed: megabytes of it. Only whoever ends its side after ours has read everything. So it is asked by an end
/// again and again, and what it had read last is sent again, too, after each connection that broke: it may not have kept it.
final class SyslogOutlet: Outlet {
    private let settings: SyslogSettings
    private var identity: TLSIdentity?
    private var addresses: TCPAddresses?
    private var connection: TLSConnection?
    /// What has still to be written, and how much of it was.
    private var outbox: [UInt8] = []
    private var written = 0
    /// Records in the outbox, with where each ends; and those that were written and may be lost, the oldest first, each with the octets of
    /// its connection up to its end.
    private var waiting: [(place: AuditPlace, end: Int)] = []
    private var unsure: [(place: AuditPlace, end: UInt64)] = []
    /// So many of the first ones the receiver has read, or its system has, where it is not asked.
    private var read = 0
    /// Since when an answer says of all of the unsure ones that they were read; nil where it is not of all, or was not asked.
    private var allReadSince: UInt64?
    private var lastWritten: UInt64 = 0
    /// Until when a connection is on probation, from its first record on; and how many it was given.
    private var probation: UInt64?
    private var handedOut = 0
    private(set) var delivered: AuditPlace?
    /// It ended as TLS wants it, once: one that can is never believed less.
    private var hasAnswered = false
    /// Ends in a row that we asked for and that said nothing of what was read, and when the last one was.
    private var unclearEnds = 0
    private var unclearAt: UInt64 = 0
    private let say: (String) -> Void

    /// After so many a receiver is left alone for a while: one that never ends as TLS wants it would get the same records twice a minute.
    private static let mostUnclear = 2
    private static let unclearPause: UInt64 = 3600 * second
    /// Records of which is not known that they were read, before the receiver is asked: as few as a connection is worth.
    private static let leastAtOnce = 64
    /// Octets that wait in memory at most, but for one record.
    private static let mostWaiting = 65_536
    private static let mostOnProbation = 64
    /// Octets for each record that may be sent again: two digests in their strings, and an array that is moved as it grows.
    private static let mostForPlace: UInt64 = 1024
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
        // Half as many again may be under way.
        needs.memory += UInt64(settings.rewind) * Self.mostForPlace
        needs.readable = [settings.authorities, settings.certificate, settings.key].compactMap(\.self)
        if settings.authorities == nil { needs.readable += ["/etc/ssl", "/usr/lib/ssl", "/usr/share/ca-certificates"] }
        return needs
    }

    var isConnected: Bool { connection?.stage == .open }

    var room: Int {
        guard isConnected, outbox.count - written < Self.mostWaiting, !isAskedNow else { return 0 }
        // A receiver that does not believe us may say so only when it has read something: until then it gets little to throw away.
        if let probation { return Clock.monotonic() >= probation ? 16 : max(0, Self.mostOnProbation - handedOut) }
        return max(0, Self.mostOnProbation - handedOut)
    }

    func open() throws(OutletTrouble) {
        dropConnection()
        delivered = nil
        if identity == nil { identity = try makeIdentity() }
        addresses = try TCPAddresses(host: settings.host, port: settings.port)
        connect()
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
            if connection.hasLeft { noteUnclearEnd() }
            throw error
        }
        if connection.stage == .ended { return answered() }
        try flush(connection)
        let isQuiet = outbox.isEmpty && !unsure.isEmpty && connection.stage == .open && asks
        let due = lastWritten &+ settings.settle * Self.second
        if isQuiet, isAskedNow || Clock.monotonic() >= due {
            try connection.end()
            return
        }
        connection.wait(until: isQuiet ? min(deadline, due) : deadline, toWrite: !outbox.isEmpty)
    }

    // MARK: what the receiver has

    private var asks: Bool { unclearEnds < Self.mostUnclear || Clock.monotonic() >= unclearAt &+ Self.unclearPause }

    /// So much is under way that it is asked before it gets more.
    private var isAskedNow: Bool {
        asks && unsure.count + waiting.count - read >= max(Self.leastAtOnce, settings.rewind / 2)
    }

    /// It has read to our end, and so everything before. Where it says so once more after a while in which it did not break off, it had
    /// time to keep it, too: however late its first answer came.
    private func answered() {
        (hasAnswered, unclearEnds) = (true, 0)
        let now = Clock.monotonic()
        if let allReadSince, now >= allReadSince &+ settings.settle * Self.second {
            delivered = unsure.last?.place ?? delivered
            unsure = []
        }
        read = unsure.count
        allReadSince = unsure.isEmpty ? nil : allReadSince ?? now
        deliver()
        connect()
        // It takes us, and what we send.
        probation = 0
    }

    /// Of what it has read, all but the last `rewind` records. A few at a time, so that the array is not moved for each.
    private func deliver() {
        let sure = read - settings.rewind
        guard sure >= Self.leastAtOnce else { return }
        delivered = unsure[sure - 1].place
        unsure.removeFirst(sure)
        read -= sure
    }

    /// Only of an end that the receiver's own system made: time that passed, or a reset, may be anybody's doing.
    private func noteUnclearEnd() {
        guard !hasAnswered else { return }
        unclearEnds += 1
        unclearAt = Clock.monotonic()
        guard unclearEnds == Self.mostUnclear else { return }
        say("the receiver does not end as TLS wants it: it is not asked for an hour, and the cursor is \(settings.rewind) records behind")
    }

    // MARK: the connection

    /// Again to where it was before: a name is only resolved when the outlet is opened, where somebody waits for it.
    private func connect() {
        guard let identity, let addresses else { return }
        connection = TLSConnection(identity, addresses, name: settings.name)
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
        let before = connection.taken - UInt64(written)
        unsure += done.map { ($0.place, before + UInt64($0.end)) }
        if !done.isEmpty { allReadSince = nil }
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
        guard !asks, unsure.count >= settings.rewind + Self.leastAtOnce else { return }
        // Then what its system has is as good as read: what lies in a socket here is not.
        let acknowledged = connection.acknowledged
        while read < unsure.count, unsure[read].end <= acknowledged { read += 1 }
        deliver()
    }

    /// What was written is delivered where the other side ends after us, having read it.
    private func farewell() {
        if outbox.isEmpty, allReadSince != nil, let last = unsure.last { delivered = last.place }
        guard let connection, connection.stage == .open, outbox.isEmpty, asks else { return }
        let deadline = Clock.monotonic() &+ Self.farewell
        do throws(OutletTrouble) {
            try connection.end()
            while connection.stage == .ending, Clock.monotonic() < deadline {
                connection.wait(until: deadline, toWrite: false)
                try connection.goOn()
            }
        } catch { return }
        if connection.stage == .ended, let last = unsure.last { delivered = last.place }
    }

    private func dropConnection() {
        connection = nil
        (outbox, written, waiting, unsure, read, allReadSince) = ([], 0, [], [], 0, nil)
    }
}
