import Glibc

/// Where the system tells about itself: the real folders, or copies of them.
public struct SystemFolders: Sendable {
    public var proc: String
    public var sys: String
    public var dev: String

    public init(proc: String = "/proc", sys: String = "/sys", dev: String = "/dev") {
        self.proc = proc
        self.sys = sys
        self.dev = dev
    }

    /// The first line of a small file; nil where it cannot be read.
    package static func line(_ path: String) -> String? {
        text(path)?.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init)
    }

    /// A text of at most 64 KiB; nil where it cannot be read.
    package static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: 65_536)
        var filled = 0
        while filled < octets.count {
            let count = octets.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            filled += count
        }
        return String(decoding: octets[..<filled], as: UTF8.self)
    }

    /// What is in a folder, sorted; nothing where it cannot be read.
    package static func names(_ folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The last part of what a symbolic link points to; nil where there is no link.
    package static func linkName(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count > 0 else { return nil }
            let target = String(decoding: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[..<count])), as: UTF8.self)
            return target.split(separator: "/").last.map(String.init)
        }
    }

    /// Lines of the form `Name:  value`.
    package static func members(of text: String) -> [String: String] {
        var members: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            members[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
        }
        return members
    }
}
