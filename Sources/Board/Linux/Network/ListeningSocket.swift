import CLinux
import Glibc

/// A TCP socket that listens on one address. It never waits.
package struct ListeningSocket {
    /// Who connected.
    package enum Address: Hashable, Sendable {
        /// In the order of a network's octets.
        case ipv4(UInt32)
        /// 16 octets.
        case ipv6([UInt8])
    }

    package let descriptor: Int32

    /// A socket that was inherited.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Parameters:
    ///   - address: IPv4 or IPv6, without brackets, with the interface behind % where it is link-local.
    ///   - port: 0 for one that is free.
    ///   - backlog: connections that wait to be taken.
    /// - Throws: EADDRNOTAVAIL where the address is nobody's here, EADDRINUSE, EACCES for a port that is root's, EINVAL for no address.
    package init(address: String, port: UInt16, backlog: Int32) throws(SystemError) {
        let opened = listener_open(address, port, backlog)
        guard opened >= 0 else { throw SystemError(errno: -opened) }
        descriptor = opened
    }

    /// 0 where it cannot be told.
    package var port: UInt16 { listener_port(descriptor) }

    /// The next connection, which does not wait and is the caller's to close; nil where there is none.
    package func accept() throws(SystemError) -> (descriptor: Int32, address: Address)? {
        var client = client()
        let accepted = listener_accept(descriptor, &client)
        guard accepted >= 0 else {
            switch -accepted {
            // Gone again before it was taken, or its network's trouble, which accept(2) has to be asked past.
            case EAGAIN, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH: return nil
            default: throw SystemError(errno: -accepted)
            }
        }
        let octets = withUnsafeBytes(of: client.address) { Array($0) }
        let address: Address = client.is_ipv4 != 0 ? .ipv4(octets.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }) : .ipv6(octets)
        return (accepted, address)
    }

    /// Nothing more is sent; what comes can still be read.
    package static func endSending(_ connection: Int32) {
        _ = shutdown(connection, Int32(SHUT_WR))
    }
}
