// <sys/socket.h> belongs to whichever of CLinux and Glibc the compiler met first in a module: its constants are used in this one only.
import CLinux
import Glibc

/// Types of sockets (socket(2)), without flags.
package enum SocketType {
    package static let stream = Int32(SOCK_STREAM.rawValue)
    package static let datagram = Int32(SOCK_DGRAM.rawValue)
    package static let packets = Int32(SOCK_SEQPACKET.rawValue)
    package static let raw = Int32(SOCK_RAW.rawValue)
    /// The descriptor closes when another program begins.
    package static let closesOnExec = Int32(SOCK_CLOEXEC.rawValue)
}

/// Messages between two processes over a socket, and descriptors that travel with them (unix(7), SCM_RIGHTS). Never waits.
package enum Channel {
    /// Sends one message, and a descriptor with it unless that is -1.
    package static func send(_ bytes: [UInt8], with descriptor: Int32 = -1, over channel: Int32) throws(SystemError) {
        let code = channel_send(channel, bytes, bytes.count, descriptor)
        guard code == 0 else { throw SystemError(errno: code) }
    }

    /// Receives one message of at most `most` bytes, and the descriptor that came with it, or -1.
    ///
    /// - Returns: nil where there is no message now; no byte at the end.
    /// - Throws: EMSGSIZE for one that is longer or brings more than one descriptor, which are closed.
    package static func receive(_ channel: Int32, most: Int) throws(SystemError) -> (bytes: [UInt8], descriptor: Int32)? {
        var bytes = [UInt8](repeating: 0, count: most)
        var passed: Int32 = -1
        let count = channel_receive(channel, &bytes, bytes.count, &passed)
        if count == -Int(EAGAIN) { return nil }
        guard count >= 0 else { throw SystemError(errno: Int32(clamping: -count)) }
        return (Array(bytes.prefix(count)), passed)
    }

    /// Two ends of one socket, which close when another program begins.
    package static func pair(_ type: Int32) throws(SystemError) -> (here: Int32, there: Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, type | SocketType.closesOnExec, 0, &ends) == 0 else { throw SystemError(errno: errno) }
        return (ends[0], ends[1])
    }

    /// Writes what goes now: how many bytes, or -1 and errno.
    package static func write(_ bytes: UnsafeRawBufferPointer, to channel: Int32) -> Int {
        Glibc.send(channel, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }

    /// Reads what is there: how many bytes, 0 at the end, or -1 and errno.
    package static func read(into bytes: UnsafeMutableRawBufferPointer, from channel: Int32) -> Int {
        recv(channel, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
    }

    /// Whether a call that just failed may be made again when the other end has done something.
    package static var isWaiting: Bool { errno == EAGAIN || errno == EINTR }

    /// A pipe whose ends close when another program begins: what to read, what to write.
    package static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        let code = pipe_open(&ends)
        guard code == 0 else { throw SystemError(errno: code) }
        return (ends[0], ends[1])
    }
}
