import Glibc

/// Who has Bluetooth sockets open: for the operator, when another process has the controller (`LinkError.controllerTaken`).
public enum ControllerUsers {
    /// Names and numbers of the other processes with an HCI socket, as "bluetoothd (412)".
    ///
    /// The kernel does not say which of them has the user channel, and only root sees the sockets of everybody.
    public static func processes() -> [String] {
        processes(holding: inodes(in: text(of: "/proc/net/hci", limit: 65_536)))
    }

    /// The inode column of `/proc/net/hci`: address, references, two queue lengths, user, inode, parent.
    static func inodes(in table: String) -> Set<String> {
        var inodes: Set<String> = []
        for line in table.split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ", omittingEmptySubsequences: true)
            if columns.count >= 6, columns[5] != "0" { inodes.insert(String(columns[5])) }
        }
        return inodes
    }

    /// Other processes that have a descriptor of one of these sockets.
    static func processes(holding inodes: Set<String>, except own: Int32 = getpid()) -> [String] {
        if inodes.isEmpty { return [] }
        let targets = Set(inodes.map { "socket:[\($0)]" })
        return names(in: "/proc").compactMap { name -> String? in
            guard let number = Int32(name), number != own else { return nil }
            let folder = "/proc/\(name)/fd"
            guard names(in: folder).contains(where: { targets.contains(link("\(folder)/\($0)")) }) else { return nil }
            let command = text(of: "/proc/\(name)/comm", limit: 64).prefix { $0 != "\n" }
            return "\(command) (\(number))"
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            withUnsafeBytes(of: &entry.pointee.d_name) { name in
                names.append(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
            }
        }
        return names
    }

    private static func link(_ path: String) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            let count = readlink(path, start, buffer.count)
            guard count > 0 else { return "" }
            return String(decoding: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[..<count])), as: UTF8.self)
        }
    }

    private static func text(of path: String, limit: Int) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            let count = octets.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + filled }, limit - filled) }
            guard count > 0 else { break }
            filled += count
        }
        return String(decoding: octets[..<filled], as: UTF8.self)
    }
}
