import Glibc

/// A folder whose files are replaced whole: a kill or a power cut at any moment leaves the old file or the new one.
package struct DurableFolder: ~Copyable {
    /// The steps that change something, in the order in which one replacement takes them, and that of a removal.
    package enum Step: String, CaseIterable, Sendable {
        case create, write, syncFile, rename, remove, syncFolder
    }

    /// Called before each step with the name of the file: for tests, which stop there.
    package typealias Watch = @Sendable (Step, String) throws(SystemError) -> Void

    private let descriptor: Int32
    private let isShared: Bool
    private let watch: Watch?

    /// Opens an existing folder. Only one process at a time may have it `exclusively`, which is what replacing files needs.
    ///
    /// - Parameters:
    ///   - isShared: an operator's command writes here what a gate of another user reads: what it replaces belongs to the folder's owner,
    ///     and anybody may read it, whatever the umask.
    ///   - patience: nanoseconds to wait for another process that has it: none for a gate that runs, which must not stand still.
    package init(
        _ path: String, exclusively: Bool, isShared: Bool = false, patience: UInt64 = 0, watch: Watch? = nil
    ) throws(SystemError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        let begin = Clock.monotonic()
        while exclusively, flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            guard code == EWOULDBLOCK, Clock.monotonic() &- begin < patience else {
                close(descriptor)
                throw SystemError(errno: code)
            }
            usleep(50_000)
        }
        self.descriptor = descriptor
        self.isShared = isShared
        self.watch = watch
    }

    deinit {
        // Not left to `close`: a child that has not come as far as its program still has the descriptor, and the lock with it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The octets of a file; nil when there is none. Throws `fileTooLarge` for more than `most`.
    package func read(_ name: String, most: Int) throws(SystemError) -> [UInt8]? {
        // Non-blocking, so that a FIFO in the folder cannot hold the gate up.
        let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw SystemError(errno: errno) }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0 else { throw SystemError(errno: errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile }
        return try File.read(file, most: most)
    }

    /// Replaces a file, or makes it. When this returns, the new file is on the disk under its name; when it throws, the old one may still
    /// be there or the new one already, but no mixture.
    package func replace(_ name: String, with octets: [UInt8]) throws(SystemError) { try replace(name, octets.span) }

    /// The same, from where they lie.
    package func replace(_ name: String, _ octets: Span<UInt8>) throws(SystemError) {
        // One name for each file: what a kill leaves behind is replaced by the next attempt.
        let temporary = "." + name + ".new"
        do throws(SystemError) {
            try write(octets, to: temporary, for: name)
            try watch?(.rename, name)
            guard renameat(descriptor, temporary, descriptor, name) == 0 else { throw SystemError(errno: errno) }
        } catch {
            unlinkat(descriptor, temporary, 0)
            throw error
        }
        try watch?(.syncFolder, name)
        guard fsync(descriptor) == 0 else { throw SystemError(errno: errno) }
    }

    /// Makes a file that must not be there yet: EEXIST where it is. It has its name only when it is whole and on the disk, and never
    /// another mode than `mode` and umask give it. The octets are written from where they lie: of a private key no copy stays in memory.
    package func create(_ name: String, _ octets: Span<UInt8>, mode: mode_t) throws(SystemError) {
        guard !isThere(name) else { throw SystemError(errno: EEXIST) }
        let temporary = "." + name + ".new"
        // What a kill left behind.
        unlinkat(descriptor, temporary, 0)
        do throws(SystemError) {
            let file = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
            guard file >= 0 else { throw SystemError(errno: errno) }
            defer { close(file) }
            try File.write(octets, to: file)
            guard fsync(file) == 0 else { throw SystemError(errno: errno) }
            // A link is made only where nothing has the name; vfat has none, and nobody else writes there meanwhile.
            if linkat(descriptor, temporary, descriptor, name, 0) != 0 {
                let code = errno
                guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(code) else { throw SystemError(errno: code) }
                guard !isThere(name) else { throw SystemError(errno: EEXIST) }
                guard renameat(descriptor, temporary, descriptor, name) == 0 else { throw SystemError(errno: errno) }
            }
        } catch {
            unlinkat(descriptor, temporary, 0)
            throw error
        }
        unlinkat(descriptor, temporary, 0)
        guard fsync(descriptor) == 0 else {
            let code = errno
            unlinkat(descriptor, name, 0)
            throw SystemError(errno: code)
        }
    }

    /// A link that leads nowhere is there, too.
    private func isThere(_ name: String) -> Bool {
        var facts = stat()
        return fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// The same as `replace`. Where the new file is there and only not known to outlast a power cut, returns why, instead of saying that
    /// nothing was done.
    package func put(_ name: String, _ octets: [UInt8]) throws(SystemError) -> SystemError? {
        do throws(SystemError) {
            try replace(name, with: octets)
            return nil
        } catch {
            guard let found = try? read(name, most: octets.count), found == octets else { throw error }
            return error
        }
    }

    /// Removes a file, for good when this returns. One that is not there is removed already.
    package func remove(_ name: String) throws(SystemError) {
        try watch?(.remove, name)
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw SystemError(errno: errno) }
        try watch?(.syncFolder, name)
        guard fsync(descriptor) == 0 else { throw SystemError(errno: errno) }
    }

    /// The same, and what the file held is overwritten before. What a kill left of a replacement goes too.
    package func erase(_ name: String) throws(SystemError) {
        for name in [name, "." + name + ".new"] {
            let file = openat(descriptor, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            if file < 0, errno == ENOENT { continue }
            if file >= 0 {
                defer { close(file) }
                try watch?(.write, name)
                File.overwrite(file)
            }
            try remove(name)
        }
    }

    private func write(_ octets: Span<UInt8>, to temporary: String, for name: String) throws(SystemError) {
        try watch?(.create, name)
        var facts = stat()
        if fstatat(descriptor, temporary, &facts, AT_SYMLINK_NOFOLLOW) == 0 {
            guard facts.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile }
            // Perhaps another user's, or another name of a file that is not to be given away.
            guard unlinkat(descriptor, temporary, 0) == 0 || errno == ENOENT else { throw SystemError(errno: errno) }
        }
        let file = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard file >= 0 else { throw SystemError(errno: errno) }
        defer { close(file) }
        if isShared { try File.handOver(file, toOwnerOf: descriptor, mode: 0o644) }
        try watch?(.write, name)
        try File.write(octets, to: file)
        try watch?(.syncFile, name)
        // Before the new name: a name must never lead to octets that are not on the disk yet.
        guard fsync(file) == 0 else { throw SystemError(errno: errno) }
    }
}
