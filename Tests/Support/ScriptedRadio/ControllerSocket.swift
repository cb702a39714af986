import Glibc

/// The other end of a `unix:` link: a listening socket and the scripted controller behind it.
public final class ControllerSocket {
    public let path: String
    public var controller = ScriptedController()
    private let listener: Int32
    private var connection: Int32 = -1
    private var unread: [UInt8] = []
    private var chunk = [UInt8](repeating: 0, count: 65_536)

    public init?(folder: String) {
        path = folder + "/controller.sock"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let octets = Array(path.utf8)
        guard listener >= 0, octets.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        unlink(path)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 }
        }
        guard isBound, listen(listener, 1) == 0 else { return nil }
    }

    deinit {
        close(connection)
        close(listener)
        unlink(path)
    }

    public func accept() { connection = Glibc.accept(listener, nil, nil) }

    /// Takes what the gate sent, and sends what the controller has for it; true when anything moved.
    public func exchange() -> Bool {
        let count = recv(connection, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        if count > 0 { unread += chunk[..<count] }
        var moved = count > 0
        while let packet = nextPacket() { controller.receive(packet) }
        for packet in controller.takeToHost() {
            moved = true
            var start = 0
            while start < packet.count {
                let sent = packet[start...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
                guard sent > 0 else { return moved }
                start += sent
            }
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

/// Resident memory of this process in octets.
public func residentMemory() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
}

/// A folder of its own under the temporary one.
public func temporaryFolder() -> String? {
    var template = Array("/tmp/gatehouse-XXXXXX".utf8CString)
    return mkdtemp(&template).map { String(cString: $0) }
}
