import Glibc
import Linux

/// The other end of a `unix:` link: a listening socket and the scripted controller behind it.
public final class ControllerSocket {
    public let path: String
    public var controller = ScriptedController()
    private let listener: Int32
    private var connection: Int32 = -1
    private var unread: [UInt8] = []
    private var unsent: [UInt8] = []
    private var chunk = [UInt8](repeating: 0, count: 65_536)

    public init(folder: String) throws(RehearsalFailure) {
        path = folder + "/controller.sock"
        listener = socket(AF_UNIX, SocketType.stream | SocketType.closesOnExec, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let octets = Array(path.utf8)
        guard listener >= 0 else { throw .noPlace(errno: errno) }
        guard octets.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .noPlace(errno: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        unlink(path)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 }
        }
        guard isBound, listen(listener, 1) == 0 else { throw .noPlace(errno: errno) }
    }

    deinit {
        if connection >= 0 { close(connection) }
        if listener >= 0 { close(listener) }
        unlink(path)
    }

    /// What to wait on for something to happen: the gate's connection, or the one who listens for it.
    public var descriptor: Int32 { isConnected ? connection : listener }
    public var isConnected: Bool { connection >= 0 }
    /// The gate takes less than it is sent.
    public var hasUnsent: Bool { !unsent.isEmpty }

    /// Waits for the gate.
    public func accept() { connection = Glibc.accept(listener, nil, nil) }

    /// Takes what the gate sent, and sends what the controller has for it; true when anything moved. Never waits.
    public func exchange() -> Bool {
        let count = chunk.withUnsafeMutableBytes { Channel.read(into: $0, from: connection) }
        if count > 0 { unread += chunk[..<count] }
        var moved = count > 0
        while let packet = nextPacket() { controller.receive(packet) }
        for packet in controller.takeToHost() { unsent += packet }
        while !unsent.isEmpty {
            let sent = unsent.withUnsafeBytes { Channel.write($0, to: connection) }
            guard sent > 0 else { break }
            unsent.removeFirst(sent)
            moved = true
        }
        return moved
    }

    private func nextPacket() -> [UInt8]? {
        guard let type = unread.first else { return nil }
        let header = type == 1 ? 4 : 5
        guard unread.count >= header else { return nil }
        let length = type == 1 ? Int(unread[3]) : Int(unread[3]) | Int(unread[4]) << 8
        guard unread.count >= header + length else { return nil }
        defer { unread.removeFirst(header + length) }
        return Array(unread[..<(header + length)])
    }
}
