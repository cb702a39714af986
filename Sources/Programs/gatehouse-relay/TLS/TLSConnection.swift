import CTLS
import Glibc
import Linux
import Relay

/// A TLS connection to one other side, whose certificate and name are checked. It never waits but in `wait`.
final class TLSConnection {
    enum Stage: Hashable {
        case connecting, handshaking, open
        /// We said that nothing more comes, and read what the other side has still to say.
        case ending
        /// The other side ended too.
        case ended
    }

    private(set) var stage = Stage.connecting
    private var socket: TCPConnection
    private var tls: OpaquePointer?
    private let identity: TLSIdentity
    private let name: String
    /// When the stage began, or something last went.
    private var since = Clock.monotonic()
    /// The last call cannot go on before the descriptor is writable, though it reads.
    private var wantsWriting = false
    private var wantsReading = false
    /// It said that it ends, and its TCP has still to.
    private var isParting = false
    /// Octets the other side has said.
    private var heard = 0
    /// Octets of ours that were taken: less than go over the wire.
    private(set) var taken: UInt64 = 0
    /// Our end is on its way, and did not wait for room.
    private var isEndSaid = false
    /// After our end, and with all of what we sent, it ended its TCP without TLS's own end: that proves nothing, and is how some do it.
    private(set) var hasLeft = false
    /// What the other side's system had still to acknowledge when the end was waited for last.
    private var owed = UInt64.max

    /// Nanoseconds for a handshake, and for the other side's end once nothing goes any more.
    private static let patience: UInt64 = 10_000_000_000
    /// And for what is sent to go anywhere.
    private static let stallPatience: UInt64 = 60_000_000_000
    /// Octets that one who has nothing to say may say all the same.
    private static let mostHeard = 4096

    /// - Parameter name: of the other side's certificate.
    init(_ identity: TLSIdentity, _ addresses: TCPAddresses, name: String) {
        (self.identity, self.name) = (identity, name)
        socket = TCPConnection(addresses)
    }

    deinit { gatehouse_tls_free(tls) }

    /// Does what can be done without waiting.
    func goOn() throws(OutletTrouble) {
        if stage == .connecting, try socket.goOn(Clock.monotonic()) {
            var fault: Int32 = 0
            tls = gatehouse_tls_new(identity.context, socket.descriptor, name, &fault)
            guard tls != nil else { throw OutletTrouble(.system, "no TLS connection (\(fault))") }
            enter(.handshaking)
        }
        if stage == .handshaking {
            if try isDone(gatehouse_tls_handshake(tls)) {
                enter(.open)
            } else if isOver(Self.patience) {
                throw OutletTrouble(.timedOut, "TLS handshake")
            }
        }
        if stage == .ending { try goOnEnding() }
        if stage == .open || stage == .ending { try hear() }
        if stage == .ending, isOver(Self.patience) { throw OutletTrouble(.timedOut, "end of the connection") }
    }

    /// Takes what goes now: how many octets. Throws where nothing went for a minute.
    func write(_ octets: ArraySlice<UInt8>) throws(OutletTrouble) -> Int {
        guard stage == .open, !octets.isEmpty else { return 0 }
        var count = 0
        let result = octets.withUnsafeBytes { gatehouse_tls_write(tls, $0.baseAddress, $0.count, &count) }
        if try isDone(result), count > 0 {
            since = Clock.monotonic()
            taken += UInt64(count)
            return count
        }
        if isOver(Self.stallPatience) { throw OutletTrouble(.timedOut, "nothing is taken") }
        return 0
    }

    /// Nothing is owed: the time for what is sent begins with the next of it.
    ///
    /// Not while the other side's end is waited for: one that does not end would be waited for without end.
    func rest() { if stage == .open { since = Clock.monotonic() } }

    /// Says that nothing more comes. Whoever then ends, too, has read everything before.
    func end() throws(OutletTrouble) {
        guard stage == .open else { return }
        enter(.ending)
        isEndSaid = try isDone(gatehouse_tls_end(tls))
    }

    /// The end, too, may have to wait for room; and before it is heard there may be megabytes on a slow line.
    private func goOnEnding() throws(OutletTrouble) {
        if !isEndSaid { isEndSaid = try isDone(gatehouse_tls_end(tls)) }
        let owes = unacknowledged
        if owes < owed { (owed, since) = (owes, Clock.monotonic()) }
    }

    /// Octets of ours, of those taken, that the other side's system has for certain; the program there may not have read them.
    var acknowledged: UInt64 { taken - min(taken, unacknowledged) }

    /// Octets on the wire, with all that TLS adds.
    private var unacknowledged: UInt64 {
        var count: Int32 = 0
        guard ioctl(socket.descriptor, UInt(TIOCOUTQ), &count) == 0 else { return .max }
        return UInt64(max(0, count))
    }

    /// Sleeps until it can go on, at most until the deadline.
    func wait(until deadline: UInt64, toWrite: Bool) {
        let now = Clock.monotonic()
        let most = stage == .open ? deadline : min(deadline, max(now, since &+ Self.patience))
        let milliseconds = most > now ? Int32(clamping: (most - now) / 1_000_000 + 1) : 0
        var events = Int16(POLLIN)
        let waits = stage == .connecting || wantsWriting || (stage == .ending && !isEndSaid)
        if waits || (toWrite && !wantsReading) { events |= Int16(POLLOUT) }
        if stage == .connecting { events &= ~Int16(POLLIN) }
        var waiting = pollfd(fd: socket.descriptor, events: events, revents: 0)
        poll(&waiting, 1, milliseconds)
    }

    private func isOver(_ patience: UInt64) -> Bool { Clock.monotonic() >= since &+ patience }

    private func enter(_ stage: Stage) { (self.stage, since) = (stage, Clock.monotonic()) }

    /// Session tickets come here, and whatever else one says who has nothing to say.
    private func hear() throws(OutletTrouble) {
        var octets = [UInt8](repeating: 0, count: 1024)
        if isParting { return try part() }
        while true {
            var count = 0
            let result = gatehouse_tls_read(tls, &octets, octets.count, &count)
            if stage == .ending, UInt32(bitPattern: result) == TLS_ENDED.rawValue {
                guard hasAll else { throw OutletTrouble(.closed, "it ended by itself") }
                isParting = true
                return try part()
            }
            if stage == .ending, UInt32(bitPattern: result) == TLS_LEFT.rawValue { hasLeft = hasAll }
            guard try isDone(result) else { return }
            heard += count
            guard heard <= Self.mostHeard else { throw OutletTrouble(.protocolBroken, "it sends what nobody asked for", pause: .minute) }
        }
    }

    /// The other side's system has all of what we sent, our end included.
    ///
    /// An end that answers ours acknowledges it in the same packet at the latest. One that comes while something is owed was on its way
    /// before ours was read: of a receiver that is reloaded, or was not written to for long, and what is under way goes unread.
    private var hasAll: Bool { isEndSaid && unacknowledged == 0 }

    /// One who ends and has not read everything resets the connection: only the plain end of it says that nothing was left behind. Nobody
    /// on the way can say it in the other side's place, as its `close_notify` came before.
    private func part() throws(OutletTrouble) {
        var octet: UInt8 = 0
        let count = recv(socket.descriptor, &octet, 1, Int32(MSG_DONTWAIT))
        if count == 0 { return enter(.ended) }
        if count < 0, errno == EAGAIN || errno == EINTR {
            (wantsReading, wantsWriting) = (true, false)
            return
        }
        throw OutletTrouble(.closed, "it has not read everything")
    }

    private func isDone(_ result: Int32) throws(OutletTrouble) -> Bool {
        (wantsReading, wantsWriting) = (false, false)
        switch UInt32(bitPattern: result) {
        case TLS_DONE.rawValue: return true
        case TLS_WANTS_READ.rawValue:
            wantsReading = true
            return false
        case TLS_WANTS_WRITE.rawValue:
            wantsWriting = true
            return false
        case TLS_ENDED.rawValue, TLS_LEFT.rawValue, TLS_CUT_OFF.rawValue:
            throw OutletTrouble(stage == .handshaking ? .tls : .closed, reason)
        case TLS_NOT_BELIEVED.rawValue: throw OutletTrouble(.certificate, reason, pause: .minute)
        case TLS_NOT_TAKEN.rawValue: throw OutletTrouble(.credentials, reason, pause: .minute)
        default: throw OutletTrouble(.tls, reason)
        }
    }

    private var reason: String? {
        guard let tls else { return nil }
        var text = [CChar](repeating: 0, count: 128)
        gatehouse_tls_reason(tls, &text, text.count)
        let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return words.isEmpty ? nil : words
    }
}
