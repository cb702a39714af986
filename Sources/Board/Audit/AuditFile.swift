import Glibc
import Linux

/// A segment that is being written: whole lines, each on the disk before `write` returns.
final class AuditFile {
    let descriptor: Int32
    private let name: String
    private let folder: AuditFolder
    /// Where the next line begins.
    var end: Int64
    /// Octets the file system has set aside, from the beginning; `.max` where it sets nothing aside.
    private(set) var reserved: Int64 = 0
    /// It is not known what of the last line is on the disk: the end has to be read again before the next one.
    var isDoubtful = false
    /// How often in a row the disk has failed to take what was written here.
    private(set) var failures = 0
    /// Why the last write failed: ENOSPC is a disk, EFBIG a file, EDQUOT a user that has no room.
    private(set) var refusal: Int32 = 0

    /// Opens a file; without `creates`, it has to exist. What is in it is the caller's to find out.
    init(_ name: String, in folder: AuditFolder, creates: Bool) throws(AuditError) {
        self.name = name
        self.folder = folder
        descriptor = try folder.file(name, O_RDWR | (creates ? O_CREAT : 0))
        end = max(0, Int64(lseek(descriptor, 0, SEEK_END)))
    }

    deinit { Glibc.close(descriptor) }

    /// Writes lines at `end`, with one call where nothing is in its way, makes them the end of the file and waits for the disk.
    ///
    /// - Parameter isRepair: they lie on a torn line, of which nothing may be left behind them.
    func write(_ lines: [UInt8], isRepair: Bool = false) throws(AuditError) {
        try folder.watch?(.write, name)
        let code = put(lines)
        guard code == 0 else {
            refusal = code
            if AuditError(errno: code).isDamage { failures += 1 }
            // What was written of the line must go, or a later success would stand behind it. Not so in a repair: there it lies on
            // another torn line, and the next attempt has to find that something was torn.
            if isRepair { isDoubtful = true } else { cutQuietly(end) }
            throw AuditError(errno: code)
        }
        if isRepair { try cut(end + Int64(lines.count)) }
        do throws(AuditError) {
            try folder.watch?(.sync, name)
            guard fdatasync(descriptor) == 0 else { throw AuditError(errno: errno) }
        } catch {
            // After a failed sync the kernel forgets what was dirty: only the disk itself tells what is there.
            isDoubtful = true
            if error.isDamage { failures += 1 }
            throw error
        }
        failures = 0
        end += Int64(lines.count)
    }

    /// 0, or why not all of it could be written. A short write is something filling up; the next one says what.
    private func put(_ lines: [UInt8]) -> Int32 {
        var rest = lines[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(end) + off_t(lines.count - rest.count)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : ENOSPC }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// Makes `length` the file's end. Room behind it is given back.
    func cut(_ length: Int64) throws(AuditError) {
        do throws(AuditError) {
            try folder.watch?(.cut, name)
            guard ftruncate(descriptor, off_t(length)) == 0 else { throw AuditError(errno: errno) }
            reserved = min(reserved, length)
        } catch {
            isDoubtful = true
            throw error
        }
    }

    private func cutQuietly(_ length: Int64) {
        do throws(AuditError) { try cut(length) } catch {}
    }

    /// Has the file system set room aside for the first `length` octets, so that nothing else on the disk can take it. What cannot be had
    /// at once may be had later.
    func reserve(_ length: Int64) throws(AuditError) {
        guard reserved < length else { return }
        try folder.watch?(.reserve, name)
        switch File.reserve(descriptor, length) {
        case 0: reserved = length
        // A file system without it, or a filter of system calls: a write will tell.
        case EOPNOTSUPP, ENOSYS, EPERM: reserved = .max
        case let code: throw AuditError(errno: code)
        }
    }

    func sync() throws(AuditError) {
        try folder.watch?(.sync, name)
        guard fsync(descriptor) == 0 else { throw AuditError(errno: errno) }
    }
}
