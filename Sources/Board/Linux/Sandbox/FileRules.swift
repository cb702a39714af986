import CLinux
import Glibc

/// Which files the process may still open, as Landlock rules (landlock(7)). What is open already stays usable.
///
/// A kernel that knows less of Landlock is asked for less; one that knows none is not asked. Nothing may be executed, in any folder, and
/// nothing made but plain files.
package struct FileRules {
    /// Folders and files to read.
    package var readable: [String] = []
    /// Folders in which plain files are read, made, changed, renamed and removed.
    package var writable: [String] = []
    /// Devices to read, write and control; or folders where such devices appear.
    package var devices: [String] = []
    /// The one TCP port to connect to.
    package var port: UInt16?
    /// More of them, and one to listen on.
    package var ports: [UInt16] = []
    package var listens: UInt16?
    /// Whether a socket with an abstract name outside may be talked to.
    package var reachesAbstractSockets = false

    package init() {}

    private static let read = UInt64(LANDLOCK_FS_READ_FILE | LANDLOCK_FS_READ_DIR)
    private static let write = read | UInt64(LANDLOCK_FS_WRITE_FILE | LANDLOCK_FS_MAKE_REG | LANDLOCK_FS_REMOVE_FILE | LANDLOCK_FS_TRUNCATE)
    private static let control = UInt64(LANDLOCK_FS_READ_FILE | LANDLOCK_FS_WRITE_FILE | LANDLOCK_FS_IOCTL_DEV)

    /// The version of Landlock the kernel offers; 0 for none.
    package static var version: Int { Int(landlock_version()) }

    /// Puts the rules into force for good. The process has to have given up new privileges before.
    package func apply(version: Int) throws(ConfinementError) {
        let files = Self.handled(by: version)
        let network = version >= 4 ? UInt64(LANDLOCK_NET_BIND_TCP | LANDLOCK_NET_CONNECT_TCP) : 0
        var scope: UInt64 = 0
        if version >= 6 {
            scope = UInt64(reachesAbstractSockets ? LANDLOCK_SCOPE_SIGNAL : LANDLOCK_SCOPE_SIGNAL | LANDLOCK_SCOPE_ABSTRACT_SOCKET)
        }
        let rules = landlock_create(files, network, scope)
        guard rules >= 0 else { throw .files(errno: -rules) }
        defer { close(rules) }
        for path in readable { try Self.allow(path, Self.read & files, rules) }
        for path in writable { try Self.allow(path, Self.write & files, rules) }
        for path in devices { try Self.allow(path, Self.control & files, rules) }
        if network != 0 {
            for port in ports + [port].compactMap(\.self) {
                try Self.check(landlock_allow_port(rules, UInt64(LANDLOCK_NET_CONNECT_TCP), port))
            }
            if let listens { try Self.check(landlock_allow_port(rules, UInt64(LANDLOCK_NET_BIND_TCP), listens)) }
        }
        try Self.check(landlock_restrict(rules))
    }

    /// Everything a version can refuse.
    private static func handled(by version: Int) -> UInt64 {
        var rights = UInt64(LANDLOCK_FS_ALL_1)
        if version >= 2 { rights |= UInt64(LANDLOCK_FS_REFER) }
        if version >= 3 { rights |= UInt64(LANDLOCK_FS_TRUNCATE) }
        if version >= 5 { rights |= UInt64(LANDLOCK_FS_IOCTL_DEV) }
        return rights
    }

    private static func allow(_ path: String, _ rights: UInt64, _ rules: Int32) throws(ConfinementError) {
        switch landlock_allow_path(rules, path, rights) {
        // What is not there, or out of reach by the file's own mode, cannot be opened later either.
        case 0, ENOENT, EACCES, ENOTDIR, ELOOP: return
        case let code: throw .files(errno: code)
        }
    }

    private static func check(_ code: Int32) throws(ConfinementError) {
        guard code == 0 else { throw .files(errno: code) }
    }
}
