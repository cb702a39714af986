import Foundation

/// A listening socket, and the peer it accepts.
package final class Listener {
    private var listening: Int32
    package private(set) var peer: Int32 = -1
    package private(set) var port: UInt16 = 0

    package init(unix path: String) {
        listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = bind(listening, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        listen(listening, 1)
    }

    package init() {
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listening, $0, length)
                _ = getsockname(listening, $0, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        listen(listening, 1)
    }

    /// Somebody waits to be met.
    package var hasCaller: Bool {
        var caller = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
        return poll(&caller, 1, 0) == 1
    }
    package func meet() { peer = accept(listening, nil, nil) }
    package func send(_ octets: [UInt8]) { _ = write(peer, octets, octets.count) }
    package func stop() {
        if listening >= 0 {
            close(listening)
            listening = -1
        }
    }
    package func hangUp() {
        if peer >= 0 {
            close(peer)
            peer = -1
        }
    }

    deinit {
        hangUp()
        stop()
    }
}
