import Glibc

/// The audit log: JSON lines, each naming the digest of the one before, each on the disk before `append` returns.
///
/// A kill or a power cut at any moment leaves at most one torn line at the end. Opening cuts it off by writing a `repaired` record in
/// its place, so the cut itself is part of the chain. One process writes; a second one is refused.
public final class AuditLog {
    /// Octets of torn lines that were removed; 0 when the log was whole.
    public private(set) var removedOctets = 0
    /// Number of the last record; 0 in an empty log.
    public private(set) var sequence: UInt64 = 0

    /// Whether the next record can be written. Nobody can enter while it is anything but `writable`.
    public private(set) var state = AuditState.writable
    public let path: String

    private var descriptor: Int32 = -1
    private var isClosed = false
    /// Digest of the last line.
    private var previous = AuditLine.firstPrevious
    /// Where the next line begins: the file's length.
    private var end: off_t = 0
    /// It is not known what of the last record is on the disk: the end has to be read again before the next one.
    var isDoubtful = false
    /// A torn line may reach beyond the record that takes its place.
    private var isRepairing = false

    /// Opens or creates the log at `path`, with mode 0600, and repairs its end.
    ///
    /// The file has to be a regular file in an existing folder; symbolic links are refused. A disk that is full, read-only or failing is
    /// no reason to throw: `state` says so, and `append` and `attend` try again.
    public init(_ path: String) throws(AuditError) {
        self.path = path
        do throws(AuditError) {
            try open()
        } catch {
            guard error.mayPass else { throw error }
            state = AuditState(error)
        }
    }

    private func open() throws(AuditError) {
        descriptor = try Self.openFile(path)
        do throws(AuditError) {
            // Before reading: what another writer has half written is not torn.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw AuditError(errno: errno) }
            if lseek(descriptor, 0, SEEK_END) == 0 { try syncFolder(of: path) }
            try readEnd()
        } catch {
            Glibc.close(descriptor)
            descriptor = -1
            throw error
        }
    }

    deinit {
        close()
    }

    /// Writes a record and waits until it is on the disk.
    ///
    /// - Throws: `diskFull` with the log as it was before; `system` when it is not known whether the record is on the disk. The next
    ///   call finds that out first, so a disk that comes back is used again.
    public func append(_ record: AuditRecord) throws(AuditError) {
        guard !isClosed else { throw .closed }
        do throws(AuditError) {
            if descriptor < 0 { try open() } else if isDoubtful { try readEnd() }
            try chain(record)
            state = .writable
        } catch {
            if error != .recordTooLong { state = AuditState(error) }
            throw error
        }
    }

    /// What is done between visits: a log that could not be written is tried again, so that `state` becomes `writable` without a visitor.
    public func attend() {
        guard !isClosed, state != .writable else { return }
        do throws(AuditError) {
            if descriptor < 0 { try open() } else if isDoubtful { try readEnd() }
            try probe()
            state = .writable
        } catch {
            state = AuditState(error)
        }
    }

    /// Whether there is room for a line behind the last one.
    private func probe() throws(AuditError) {
        let line = [UInt8](repeating: 0, count: AuditLine.capacity)
        let count = line.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, end) }
        let code = count < 0 ? errno : ENOSPC
        guard ftruncate(descriptor, end) == 0 else {
            isDoubtful = true
            throw AuditError(errno: errno)
        }
        guard count == line.count else { throw AuditError(errno: code) }
    }

    private func chain(_ record: AuditRecord) throws(AuditError) {
        let line = try AuditLine.compose(
            record, sequence: sequence + 1, previous: previous, at: Clock.wall(), up: Clock.monotonic())
        let digest = try AuditLine.digest(line.dropLast())
        try write(line)
        sequence += 1
        previous = digest
        end += off_t(line.count)
    }

    /// Closes the log and lets another process have it. Closing twice is allowed.
    public func close() {
        isClosed = true
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    // MARK: Writing

    /// Writes a line at `end` with one call, makes it the end of the file and waits for the disk.
    private func write(_ line: [UInt8]) throws(AuditError) {
        var count = -1
        repeat {
            count = line.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, end) }
        } while count < 0 && errno == EINTR
        guard count == line.count else {
            // A short write is the disk filling up; the next one would say so.
            let code = count < 0 ? errno : ENOSPC
            // What was written of the line must go, or a later success would stand behind it. Not so in a repair: there it lies on
            // another torn line, and the next attempt has to find that something was torn.
            if isRepairing || ftruncate(descriptor, end) != 0 { isDoubtful = true }
            throw AuditError(errno: code)
        }
        // Cuts off what is left of a longer torn line under this one. Otherwise the length is right already.
        guard !isRepairing || ftruncate(descriptor, end + off_t(line.count)) == 0, fdatasync(descriptor) == 0 else {
            let code = errno
            // After a failed sync the kernel forgets what was dirty: only the disk itself tells what is there.
            isDoubtful = true
            throw AuditError(errno: code)
        }
    }

    // MARK: Opening

    private static func openFile(_ path: String) throws(AuditError) -> Int32 {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var descriptor = Glibc.open(path, flags | O_CREAT, 0o600)
        while descriptor < 0 && errno == EINTR { descriptor = Glibc.open(path, flags | O_CREAT, 0o600) }
        guard descriptor >= 0 else { throw AuditError(errno: errno) }
        var facts = stat()
        let code: AuditError? =
            if fstat(descriptor, &facts) != 0 {
                AuditError(errno: errno)
            } else if facts.st_mode & S_IFMT != S_IFREG {
                .notRegularFile
            } else if facts.st_mode & 0o777 != 0o600 && fchmod(descriptor, 0o600) != 0 {
                AuditError(errno: errno)
            } else {
                nil
            }
        if let code {
            Glibc.close(descriptor)
            throw code
        }
        return descriptor
    }

    /// Makes the name of a new file last (also of one whose creator was killed before its first record): syncs the file, then the
    /// folder.
    private func syncFolder(of path: String) throws(AuditError) {
        guard fsync(descriptor) == 0 else { throw AuditError(errno: errno) }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let handle = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { throw AuditError(errno: errno) }
        defer { Glibc.close(handle) }
        guard fsync(handle) == 0 else { throw AuditError(errno: errno) }
    }

    /// Finds the last good line, and repairs what stands behind it.
    private func readEnd() throws(AuditError) {
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else { throw AuditError(errno: errno) }
        // From the disk, not from memory, where a failed sync leaves what never got there.
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        let tail = try AuditTail(descriptor: descriptor, size: size)
        sequence = tail.sequence
        previous = tail.digest
        end = tail.end
        isDoubtful = false
        guard tail.end < size else { return }
        removedOctets += Int(size - tail.end)
        isRepairing = true
        defer { isRepairing = false }
        var record = AuditRecord(event: "repaired")
        record.add("removed", .number(Int64(size - tail.end)))
        try chain(record)
    }
}
