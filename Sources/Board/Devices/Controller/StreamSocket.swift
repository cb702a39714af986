// <sys/socket.h> belongs to whichever of CLinux and Glibc the compiler met first in this module.
import CLinux
import Glibc

/// Opens the stream sockets that carry H4: a software controller, or a bridge to a real one.
enum StreamSocket {
    /// How long a connection may take, in milliseconds. The far end is on this board or its network.
    static let patience: Int32 = 2000

    static func connect(unix path: String) throws(LinkError) -> Int32 {
        var address = sockaddr_un()
        let octets = path.utf8
        // One octet is left for the terminating zero.
        guard octets.count < MemoryLayout.size(ofValue: address.sun_path), !octets.contains(0) else { throw .badAddress }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        return try withUnsafeBytes(of: &address) { octets throws(LinkError) in
            try connect(family: AF_UNIX, to: octets)
        }
    }

    /// - Parameter host: a numeric IPv4 or IPv6 address.
    static func connect(tcp host: String, port: UInt16) throws(LinkError) -> Int32 {
        var four = sockaddr_in()
        var six = sockaddr_in6()
        let descriptor: Int32
        if inet_pton(AF_INET, host, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            descriptor = try withUnsafeBytes(of: &four) { octets throws(LinkError) in try connect(family: AF_INET, to: octets) }
        } else if inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            descriptor = try withUnsafeBytes(of: &six) { octets throws(LinkError) in try connect(family: AF_INET6, to: octets) }
        } else {
            throw .badAddress
        }
        // HCI packets are small and answered at once: waiting to fill a segment costs 40 ms a turn.
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        acknowledgeQuickly(descriptor)
        return descriptor
    }

    /// Acknowledges what comes next without delay. The kernel forgets this by itself, so it is asked before every read: a peer that writes
    /// the type octet separately otherwise waits 40 ms for each packet.
    static func acknowledgeQuickly(_ descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func connect(family: Int32, to address: UnsafeRawBufferPointer) throws(LinkError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw .system(.socket, errno: errno) }
        do {
            try finish(connecting: descriptor, to: address)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func finish(connecting descriptor: Int32, to address: UnsafeRawBufferPointer) throws(LinkError) {
        guard let start = address.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { throw .badAddress }
        if Glibc.connect(descriptor, start, socklen_t(address.count)) == 0 { return }
        var code = errno
        // EINTR: the connection goes on by itself, as with EINPROGRESS.
        if code == EINPROGRESS || code == EINTR {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, patience) > 0 else { throw .timedOut }
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { throw .system(.connect, errno: errno) }
        }
        switch code {
        case 0: return
        case ENOENT: throw .notFound
        case ECONNREFUSED, EAGAIN: throw .refused
        case EACCES, EPERM: throw .notPermitted
        case ETIMEDOUT: throw .timedOut
        default: throw .system(.connect, errno: code)
        }
    }
}
