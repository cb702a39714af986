import CLinux
import Glibc

/// An ordinary user, whom root can become for good.
public struct User: Hashable, Sendable {
    public let id: uid_t
    public let group: gid_t
    /// All groups of the user: those of the devices among them (gpio, video, dialout).
    public let groups: [gid_t]

    /// Looks a user up by name in the system's database.
    public init(named name: String) throws(ConfinementError) {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        // Larger than any entry: it holds the texts of one line.
        let code = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { texts in
            texts.baseAddress.map { getpwnam_r(name, &entry, $0, texts.count, &found) } ?? ENOMEM
        }
        guard found != nil else { throw code == 0 || code == ENOENT ? .noSuchUser : .user(errno: code) }
        guard entry.pw_uid != 0 else { throw .userIsRoot }
        id = entry.pw_uid
        group = entry.pw_gid
        var count: Int32 = 256
        var groups = [gid_t](repeating: 0, count: Int(count))
        guard getgrouplist(name, group, &groups, &count) >= 0 else { throw .user(errno: ERANGE) }
        self.groups = Array(groups.prefix(Int(count)))
    }

    /// Becomes the user, with nothing of root's left but `kept`, which has to be raised to be in effect. There is no way back.
    ///
    /// Does nothing for a process that is this user already.
    public func become(keeping kept: Capabilities) throws(ConfinementError) {
        guard geteuid() == 0 else {
            guard geteuid() == id, getuid() == id else { throw .notRoot }
            return
        }
        // The groups first: an ordinary user may not set them.
        guard setgroups(groups.count, groups) == 0 else { throw .user(errno: errno) }
        for code in [capabilities_keep(), process_become(id, group)] where code != 0 { throw .user(errno: code) }
        try kept.keepOnly()
        guard process_become(0, 0) != 0, getuid() == id, geteuid() == id, getegid() == group else { throw .user(errno: EPERM) }
    }
}

/// A group of the system's database.
public enum Group {
    /// Its number; nil where there is none of that name.
    public static func id(named name: String) -> gid_t? {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 65_536) { texts in
            if let start = texts.baseAddress { _ = getgrnam_r(name, &entry, start, texts.count, &found) }
        }
        return found == nil ? nil : entry.gr_gid
    }
}
