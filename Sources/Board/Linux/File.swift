import CLinux
import Glibc

/// What is read, kept room for and brought to the disk of a file as a whole.
package enum File {
    /// The bytes of a file, from its beginning.
    ///
    /// - Throws: `SystemError.fileTooLarge` where there are more than `most`.
    package static func read(_ path: String, most: Int) throws(SystemError) -> [UInt8] {
        // Non-blocking, so that a FIFO of that name cannot hold the gate up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        defer { close(descriptor) }
        return try read(descriptor, most: most)
    }

    /// The bytes from where the descriptor stands.
    package static func read(_ descriptor: Int32, most: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(errno: errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk.prefix(count))
            guard bytes.count <= most else { throw .fileTooLarge }
        }
    }

    /// Puts other octets in the place of a file that others read: they find the old ones or the new ones, whole. Unlike `DurableFolder` it
    /// waits for no disk: for what is written anew in a moment.
    ///
    /// - Parameter path: with a folder in it. Everybody may read the file, whatever the umask.
    package static func exchange(_ path: String, for bytes: [UInt8]) throws(SystemError) {
        guard let slash = path.lastIndex(of: "/") else { throw SystemError(errno: EINVAL) }
        let temporary = "\(path[..<slash])/.\(path[path.index(after: slash)...]).new"
        unlink(temporary)
        do throws(SystemError) {
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard descriptor >= 0 else { throw SystemError(errno: errno) }
            defer { close(descriptor) }
            fchmod(descriptor, 0o644)
            try write(bytes, to: descriptor)
            guard rename(temporary, path) == 0 else { throw SystemError(errno: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Writes all of it where the descriptor stands.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(errno: count == 0 ? ENOSPC : errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The same, from where they lie.
    package static func write(_ bytes: Span<UInt8>, to descriptor: Int32) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(errno: count == 0 ? ENOSPC : errno) }
            done += count
        }
    }

    /// Puts zeros in the place of all that a plain file holds, as far as its medium writes where it wrote before. A page that cannot be
    /// written any more is left: its name goes all the same.
    package static func overwrite(_ descriptor: Int32) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
        let zeros = [UInt8](repeating: 0, count: 65_536)
        var place: off_t = 0
        while place < facts.st_size {
            let count = min(zeros.count, Int(clamping: facts.st_size - place))
            let written = zeros.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, count, place) }
            if written < 0, errno == EINTR { continue }
            // What cannot be overwritten here may be behind it.
            place += off_t(written > 0 ? written : count)
        }
        fsync(descriptor)
    }

    /// Gives what root just made in a folder to the owner of that folder, whom root's umask might keep from it. Others own what they make,
    /// and read it: for them nothing is done.
    ///
    /// Where the file system knows no other owners it is enough that everybody may read the file.
    ///
    /// - Parameters:
    ///   - descriptor: of a folder, or of a file that has no other name: one that somebody linked here is not given away.
    ///   - folder: the descriptor of the folder it is in.
    ///   - mode: what it gets, whatever the umask; nil leaves that.
    package static func handOver(_ descriptor: Int32, toOwnerOf folder: Int32, mode: mode_t? = nil) throws(SystemError) {
        guard geteuid() == 0 else { return }
        var (owner, facts) = (stat(), stat())
        guard fstat(folder, &owner) == 0, fstat(descriptor, &facts) == 0 else { throw SystemError(errno: errno) }
        guard facts.st_nlink == 1 || facts.st_mode & S_IFMT == S_IFDIR else { return }
        var found = facts.st_mode & 0o777
        if let mode, found != mode {
            // The folder's owner is who writes, and a sandbox may not let it: it reads its file by any mode.
            guard fchmod(descriptor, mode) == 0 || facts.st_uid == owner.st_uid else { throw SystemError(errno: errno) }
            found = mode
        }
        guard facts.st_uid != owner.st_uid, fchown(descriptor, owner.st_uid, owner.st_gid) != 0 else { return }
        guard found & 0o004 != 0 else { throw SystemError(errno: errno) }
    }

    /// Makes a folder for the owner of the folder it is in, where there is none.
    package static func makeFolder(_ name: String, in folder: String) throws(SystemError) {
        let parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw SystemError(errno: errno) }
        defer { close(parent) }
        guard mkdirat(parent, name, 0o755) == 0 else {
            if errno == EEXIST { return }
            throw SystemError(errno: errno)
        }
        // Whoever is not root has nothing to give away, and may not be able to open it by its own umask.
        guard geteuid() == 0 else { return }
        let made = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard made >= 0 else { throw SystemError(errno: errno) }
        defer { close(made) }
        try handOver(made, toOwnerOf: parent, mode: 0o755)
    }

    /// Has the file system set aside room for the first `length` bytes (fallocate(2)); the file's length stays. 0, or the errno:
    /// EOPNOTSUPP where the file system has no such thing.
    package static func reserve(_ descriptor: Int32, _ length: Int64) -> Int32 { system_reserve(descriptor, length) }

    /// Waits until all of a descriptor's file system is on its medium (syncfs(2)). 0, or the errno.
    package static func syncAll(_ descriptor: Int32) -> Int32 { system_sync_all(descriptor) }
}
