import Glibc
import Linux

/// The folder of an audit log and the names in it. For a log at `audit.jsonl`:
///
/// | name | |
/// |---|---|
/// | `audit.jsonl` | the current segment |
/// | `audit-00000001.jsonl` | a sealed segment: never written again |
/// | `audit-00000001.damaged` | a segment that was set aside |
/// | `audit.next` | room on the disk for the next segment, and its first record while the current one is sealed |
/// | `audit.exported` | up to where copies were made (`AuditMark`) |
/// | `audit.seal` | somebody asks for the current segment to be sealed |
/// | `audit.lock` | held by who writes |
///
/// `audit*.jsonl`, sorted, is the whole log in its order.
package final class AuditFolder {
    /// What changes the disk, for tests, which stop there.
    enum Step: String, CaseIterable {
        case create, write, cut, reserve, sync, rename, syncFolder, remove
    }
    typealias Watch = (Step, String) throws(AuditError) -> Void

    /// A segment that is not written any more.
    struct Part: Hashable {
        let number: UInt32
        /// It was set aside because it is damaged.
        let isSetAside: Bool
        let octets: Int64
    }

    package let path: String
    /// Name of the current segment.
    let current: String
    private let stem: String
    private let suffix: String
    /// -1 until `open`.
    private(set) var descriptor: Int32 = -1
    private var lockDescriptor: Int32 = -1
    var watch: Watch?

    /// - Parameter log: the path of the current segment.
    package init(of log: String) {
        let slash = log.lastIndex(of: "/")
        path = slash.map { $0 == log.startIndex ? "/" : String(log[..<$0]) } ?? "."
        let name = slash.map { String(log[log.index(after: $0)...]) } ?? log
        let dot = name.lastIndex(of: ".")
        current = name
        stem = dot.map { String(name[..<$0]) } ?? name
        suffix = dot.map { String(name[$0...]) } ?? ""
    }

    deinit { close() }

    var next: String { stem + ".next" }
    var mark: String { stem + ".exported" }
    var request: String { stem + ".seal" }
    var lock: String { stem + ".lock" }

    func name(of number: UInt32, isSetAside: Bool = false) -> String {
        stem + "-" + Self.digits(number) + (isSetAside ? ".damaged" : suffix)
    }

    /// What is said of the copies of some segments, beside them.
    func manifest(_ first: UInt32, _ last: UInt32) -> String { stem + "-" + Self.digits(first) + "-to-" + Self.digits(last) + ".manifest" }

    private static func digits(_ number: UInt32) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
    }

    func name(of part: Part) -> String { name(of: part.number, isSetAside: part.isSetAside) }

    func open() throws(AuditError) {
        guard descriptor < 0 else { return }
        descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AuditError(errno: errno) }
    }

    func close() {
        if lockDescriptor >= 0 {
            // Let go of, too: a child that is not another program yet has the descriptor, and with it the lock.
            _ = flock(lockDescriptor, LOCK_UN)
            Glibc.close(lockDescriptor)
        }
        if descriptor >= 0 { Glibc.close(descriptor) }
        (lockDescriptor, descriptor) = (-1, -1)
    }

    /// Makes this process the one that writes. The lock is a file of its own, because the others change their names; and nobody else's to
    /// read, because a descriptor that only reads is enough to hold a lock.
    func takeLock() throws(AuditError) {
        guard lockDescriptor < 0 else { return }
        let handle = try file(lock, O_RDWR | O_CREAT)
        guard flock(handle, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            Glibc.close(handle)
            throw AuditError(errno: code)
        }
        lockDescriptor = handle
    }

    /// Whether the folder hands its files to its group: it has the setgid bit, and the group may read it.
    private lazy var isForGroup: Bool = {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 && facts.st_mode & 0o2040 == 0o2040
    }()

    /// Opens a plain file of mode 0600; links, folders and devices are refused. In a folder that is for a group its mode may be 0640, but
    /// for the lock's.
    func file(_ name: String, _ flags: Int32) throws(AuditError) -> Int32 {
        if flags & O_CREAT != 0 { try watch?(.create, name) }
        let isShared = isForGroup && name != lock
        var handle: Int32 = -1
        repeat {
            handle = openat(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, isShared ? 0o640 : 0o600)
        } while handle < 0 && errno == EINTR
        guard handle >= 0 else { throw AuditError(errno: errno) }
        // What root asks of a gate, or leaves after a trial, must not lock out the user whose log it is. Where it cannot be given away,
        // root at least has it.
        if flags & O_CREAT != 0 { try? File.handOver(handle, toOwnerOf: descriptor) }
        var facts = stat()
        let fault: AuditError? =
            if fstat(handle, &facts) != 0 {
                AuditError(errno: errno)
            } else if facts.st_mode & S_IFMT != S_IFREG {
                .notRegularFile
            } else if flags & O_ACCMODE != O_RDONLY, facts.st_mode & 0o777 != 0o600,
                !isShared || facts.st_mode & 0o777 != 0o640, fchmod(handle, 0o600) != 0
            {
                AuditError(errno: errno)
            } else {
                nil
            }
        if let fault {
            Glibc.close(handle)
            throw fault
        }
        return handle
    }

    /// Opens a plain file to be read; nil where there is none.
    func existing(_ name: String) throws(AuditError) -> Int32? {
        do throws(AuditError) {
            return try file(name, O_RDONLY)
        } catch {
            if error == .notFound { return nil }
            throw error
        }
    }

    /// Octets of the whole disk, and those of it that this process can still fill; nil where the disk does not say.
    func space() -> (size: Int64, available: Int64)? {
        var facts = statvfs()
        guard fstatvfs(descriptor, &facts) == 0 else { return nil }
        let block = UInt64(facts.f_frsize)
        let octets = { (blocks: UInt64) in Int64(clamping: block.multipliedFullWidth(by: blocks).high > 0 ? .max : block * blocks) }
        return (octets(UInt64(facts.f_blocks)), octets(UInt64(facts.f_bavail)))
    }

    /// Octets of a file, and those that it takes of the disk, with what is reserved behind its end; nothing where there is none.
    func extent(_ name: String) -> (octets: Int64, taken: Int64) {
        var facts = stat()
        guard fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else { return (0, 0) }
        return (Int64(facts.st_size), Int64(facts.st_blocks) * 512)
    }

    /// Which file has a name; nil where none has.
    struct Identity: Hashable {
        let inode: UInt64, seconds: Int, nanoseconds: Int
    }

    func identity(_ name: String) -> Identity? {
        var facts = stat()
        guard fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return Identity(inode: UInt64(facts.st_ino), seconds: Int(facts.st_ctim.tv_sec), nanoseconds: Int(facts.st_ctim.tv_nsec))
    }

    /// Whether a path leads to this folder, by whatever name.
    func isSame(_ other: String) -> Bool {
        var (own, found) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && stat(other, &found) == 0 && FileIdentity(own) == FileIdentity(found)
    }

    /// Segments that are not written any more, by number.
    func parts() throws(AuditError) -> [Part] {
        guard let folder = opendir(path) else { throw AuditError(errno: errno) }
        defer { closedir(folder) }
        var parts: [Part] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let (number, isSetAside) = number(in: name) else { continue }
            var facts = stat()
            // Gone between the two calls, or no plain file: none of the log's.
            guard fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0, facts.st_mode & S_IFMT == S_IFREG else { continue }
            parts.append(Part(number: number, isSetAside: isSetAside, octets: Int64(facts.st_size)))
        }
        guard errno == 0 else { throw AuditError(errno: errno) }
        return parts.sorted { ($0.number, $0.isSetAside ? 0 : 1) < ($1.number, $1.isSetAside ? 0 : 1) }
    }

    /// The number in a segment's name, where it is written as `name(of:)` writes it.
    private func number(in name: String) -> (UInt32, isSetAside: Bool)? {
        guard name.hasPrefix(stem + "-") else { return nil }
        let digits = name.dropFirst(stem.count + 1).prefix { $0.isNumber }
        guard let number = UInt32(digits), AuditLine.segments.contains(number) else { return nil }
        if name == self.name(of: number) { return (number, false) }
        return name == self.name(of: number, isSetAside: true) ? (number, true) : nil
    }

    /// Whether a file of that name is the log's, what a kill left of one too.
    func isOfLog(_ name: String) -> Bool {
        if [current, next, mark, request, lock].contains(name) || number(in: name) != nil { return true }
        return name.hasPrefix("." + stem + ".") && name.hasSuffix(".new")
    }

    func exists(_ name: String) -> Bool {
        var facts = stat()
        return fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0
    }

    func rename(_ old: String, to new: String) throws(AuditError) {
        try watch?(.rename, new)
        guard renameat(descriptor, old, descriptor, new) == 0 else { throw AuditError(errno: errno) }
        try sync()
    }

    /// Names are on the disk when this returns.
    func sync() throws(AuditError) {
        try watch?(.syncFolder, "")
        guard fsync(descriptor) == 0 else { throw AuditError(errno: errno) }
    }

    /// Removes a name; one that is not there is no error.
    func remove(_ name: String) throws(AuditError) {
        try watch?(.remove, name)
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw AuditError(errno: errno) }
    }
}

/// Which file it is, whatever its name.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    init(_ facts: stat) { (device, inode) = (UInt64(facts.st_dev), UInt64(facts.st_ino)) }
}
