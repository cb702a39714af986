// <sys/socket.h> belongs to whichever of CLinux and Glibc the compiler met first in a module.
import CLinux
import Glibc

/// One end of a unix datagram socket, which is connected to another's and only sends.
package struct DatagramSocket {
    private let descriptor: Int32

    /// - Parameter path: absolute.
    /// - Throws: EINVAL for a path that is none or too long, ENOENT and ECONNREFUSED where nobody is there.
    package init(to path: String) throws(SystemError) {
        var address = sockaddr_un()
        let octets = [UInt8](path.utf8)
        guard octets.first == UInt8(ascii: "/"), octets.count < MemoryLayout.size(ofValue: address.sun_path), !octets.contains(0) else {
            throw SystemError(errno: EINVAL)
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        descriptor = Glibc.socket(AF_UNIX, SocketType.datagram | Int32(flags), 0)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            let code = errno
            Glibc.close(descriptor)
            throw SystemError(errno: code)
        }
    }

    /// Sends one datagram, now or not at all: 0, or the errno; EAGAIN where the other end is full, ECONNREFUSED where it is gone.
    package func send(_ octets: UnsafeRawBufferPointer) -> Int32 {
        while true {
            let count = Channel.write(octets, to: descriptor)
            if count == octets.count { return 0 }
            if count >= 0 { return EMSGSIZE }
            guard errno == EINTR else { return errno }
        }
    }

    package func close() { Glibc.close(descriptor) }
}
