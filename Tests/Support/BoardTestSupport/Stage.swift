import Foundation

/// A folder of its own for one test, removed with the value. In memory where the machine has such a place: an audit log syncs each record,
/// and thousands of them would wait for a disk that tells the test nothing.
package final class Stage {
    package let folder: String

    package init() {
        folder = (Stage.hasMemory ? Stage.made(in: "/dev/shm") : nil) ?? Stage.made(in: "/tmp") ?? "/tmp"
    }

    /// Programs are run from there, too, and small disks made; a container's has often neither room nor right for that.
    private static let hasMemory: Bool = {
        // ST_NOEXEC of <sys/statvfs.h>, which Swift does not see.
        let runsNothing: UInt = 8
        var facts = statvfs()
        guard statvfs("/dev/shm", &facts) == 0, facts.f_flag & runsNothing == 0 else { return false }
        return UInt64(facts.f_bavail) * UInt64(facts.f_frsize) >= 1 << 30
    }()

    private static func made(in parent: String) -> String? {
        var template = Array("\(parent)/gatehouse.XXXXXX".utf8CString)
        return template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }.map { String(cString: $0) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    package func path(_ name: String) -> String { "\(folder)/\(name)" }
}

/// Waits, at most two seconds, until `descriptor` can be read.
package func awaitReadable(_ descriptor: Int32, milliseconds: Int32 = 2000) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
}

/// Everything that can be read now.
package func drain(_ descriptor: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while awaitReadable(descriptor, milliseconds: 50) {
        let count = read(descriptor, &chunk, chunk.count)
        if count <= 0 { break }
        all += chunk[..<count]
    }
    return all
}

extension Stage {
    /// Every file and its octets, what a kill leaves behind too.
    package var files: [String: Data] {
        var files: [String: Data] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            files[name] = FileManager.default.contents(atPath: path(name)) ?? Data()
        }
        return files
    }

    package func put(_ octets: some Sequence<UInt8>, _ name: String) throws { try Data(octets).write(to: URL(fileURLWithPath: path(name))) }

    package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    package func write(_ octets: [UInt8], to name: String) {
        _ = FileManager.default.createFile(atPath: path(name), contents: Data(octets))
    }
}
