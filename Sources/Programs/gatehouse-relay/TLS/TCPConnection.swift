import Glibc
import Relay

/// A TCP connection that is being made: one address after the other, none of them waited for.
final class TCPConnection {
    private(set) var descriptor: Int32 = -1
    private var addresses: [TCPAddresses.Address]
    private var since: UInt64 = 0

    /// Nanoseconds for each address.
    private static let patience: UInt64 = 10_000_000_000
    init(_ addresses: TCPAddresses) { self.addresses = addresses.list }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Goes on, and says whether it is connected. Throws `notReachable` or `timedOut` after the last address.
    func goOn(_ now: UInt64) throws(OutletTrouble) -> Bool {
        guard descriptor >= 0 else { return try begin(now) }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, 0) > 0 else {
            if now < since &+ Self.patience { return false }
            return try next(OutletTrouble(.timedOut), now)
        }
        var code: Int32 = 0, size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
            return try next(OutletTrouble(.notReachable, String(cString: strerror(code))), now)
        }
        return true
    }

    private func next(_ trouble: OutletTrouble, _ now: UInt64) throws(OutletTrouble) -> Bool {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        guard !addresses.isEmpty else { throw trouble }
        return try begin(now)
    }

    private func begin(_ now: UInt64) throws(OutletTrouble) -> Bool {
        guard !addresses.isEmpty else { throw OutletTrouble(.noAddress) }
        let address = addresses.removeFirst()
        since = now
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = socket(address.family, address.type | flags, address.protocolNumber)
        guard descriptor >= 0 else { return try next(OutletTrouble(.system, String(cString: strerror(errno))), now) }
        Self.set(descriptor)
        let code = address.octets.withUnsafeBytes { octets -> Int32 in
            guard let base = octets.baseAddress else { return EINVAL }
            return connect(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(octets.count)) == 0 ? 0 : errno
        }
        switch code {
        case 0: return true
        case EINPROGRESS, EINTR: return false
        default: return try next(OutletTrouble(.notReachable, String(cString: strerror(code))), now)
        }
    }

    /// What was sent is not held back, and a way that is dead is noticed in a minute.
    private static func set(_ descriptor: Int32) {
        var yes: Int32 = 1, patience: UInt32 = 60_000
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
        setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &patience, size)
    }
}
