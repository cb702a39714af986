import Glibc
import Linux

/// Whether a gate writes an audit log, seen without touching its lock: who took it for a moment to look would keep a gate from starting.
enum GateLock {
    /// The kernel's table of locks (proc(5)).
    static let table = "/proc/locks"
    private static let most = 1 << 20

    /// Nil where the table cannot be read: a unit may hide it (`ProcSubset=pid`).
    ///
    /// - Parameter folder: of the log.
    static func isHeld(in folder: String) -> Bool? {
        guard let octets = try? File.read(table, most: most) else { return nil }
        var facts = stat()
        guard stat(folder + "/audit.lock", &facts) == 0 else { return false }
        // `1: FLOCK  ADVISORY  WRITE 4242 fe:01:1234 0 EOF`: device in hexadecimal, inode in decimal.
        let inode = String(facts.st_ino)
        return octets.split(separator: 0x0A).contains { line in
            let words = line.split(separator: 0x20)
            guard words.count > 5, words[1].elementsEqual("FLOCK".utf8), words[3].elementsEqual("WRITE".utf8) else { return false }
            // The device is the file system's own, which stat may call otherwise (overlayfs, btrfs).
            return words[5].split(separator: 0x3A).last.map { $0.elementsEqual(inode.utf8) } ?? false
        }
    }
}
