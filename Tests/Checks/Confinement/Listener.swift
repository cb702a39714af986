import Glibc

/// The other ends of the gate's links.
struct Listener {
    let port: UInt16

    static func unix(_ path: String) -> Listener? {
        let descriptor = bound(path, SOCK_STREAM)
        return descriptor >= 0 && listen(descriptor, 8) == 0 ? Listener(port: 0) : nil
    }

    static func datagrams(_ path: String) -> Int32 { bound(path, SOCK_DGRAM) }

    /// On a free port of this machine.
    static func tcp() -> Listener? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        return isBound ? Listener(port: UInt16(bigEndian: address.sin_port)) : nil
    }

    private static func bound(_ path: String, _ type: __socket_type) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(type.rawValue), 0)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        } == 0 ? descriptor : -1
    }
}
