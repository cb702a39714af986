import Glibc

/// A new folder that has its name only when all of it is on the disk: a kill or a power cut at any moment leaves nothing of that name, or
/// the whole. Nothing that is there already is replaced.
///
/// Until then it stands beside its place as `.NAME.PROCESS.partial`: two that make the same folder do not meet before one of them is done.
/// What a kill leaves behind is in nobody's way.
package struct DraftFolder: ~Copyable {
    private let path: String
    private let draft: String
    private let descriptor: Int32
    private var names: [String]
    private var isSettled: Bool

    /// Throws `alreadyThere` where there is something of that name, a link that leads nowhere too.
    ///
    /// - Parameter path: of the folder to be; the one around it has to exist.
    package init(for path: String) throws(SystemError) {
        let trimmed = Self.trimmed(path), parts = Self.parts(trimmed)
        guard !["", ".", ".."].contains(parts.name) else { throw .alreadyThere }
        guard !Self.isThere(trimmed) else { throw .alreadyThere }
        let draft = "\(parts.parent)/.\(parts.name).\(getpid()).partial"
        guard mkdir(draft, 0o777) == 0 else { throw SystemError(errno: errno) }
        let descriptor = open(draft, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            let code = errno
            rmdir(draft)
            throw SystemError(errno: code)
        }
        (self.path, self.draft, self.descriptor, names, isSettled) = (trimmed, draft, descriptor, [], false)
    }

    deinit {
        if !isSettled {
            for name in names { unlinkat(descriptor, name, 0) }
            rmdir(draft)
        }
        close(descriptor)
    }

    /// Adds a file that only its owner reads: a site file may have a token in it. It is on the disk when `settle` returns.
    package mutating func add(_ name: String, _ octets: [UInt8]) throws(SystemError) {
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemError(errno: errno) }
        defer { close(file) }
        names.append(name)
        try File.write(octets, to: file)
    }

    /// Gives the folder its name. Throws `alreadyThere` where somebody else took it meanwhile; nothing is left of this one then.
    package mutating func settle() throws(SystemError) {
        // All at once: of ten thousand files, one by one takes minutes.
        let code = File.syncAll(descriptor)
        guard code == 0 else { throw SystemError(errno: code) }
        guard !Self.isThere(path) else { throw .alreadyThere }
        // A folder takes the place of an empty one at most, and of nothing else.
        guard rename(draft, path) == 0 else {
            let code = errno
            throw [EEXIST, ENOTEMPTY, ENOTDIR].contains(code) ? .alreadyThere : SystemError(errno: code)
        }
        isSettled = true
        let parent = open(Self.parts(path).parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw SystemError(errno: errno) }
        defer { close(parent) }
        guard fsync(parent) == 0 else { throw SystemError(errno: errno) }
    }

    private static func isThere(_ path: String) -> Bool {
        var facts = stat()
        return lstat(path, &facts) == 0 || ![ENOENT, ENOTDIR].contains(errno)
    }

    /// Without the slashes at its end.
    private static func trimmed(_ path: String) -> String {
        var octets = Substring(path)
        while octets.utf8.count > 1, octets.utf8.last == UInt8(ascii: "/") { octets = octets.dropLast() }
        return String(octets)
    }

    private static func parts(_ path: String) -> (parent: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
    }
}

extension SystemError {
    /// There is something of that name.
    package static let alreadyThere = SystemError(errno: EEXIST)
}
