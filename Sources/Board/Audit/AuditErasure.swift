import Glibc
import Linux

/// Erases an audit log whole: every segment, those set aside too, and what is kept beside them. Nothing of it is left to begin anew with.
///
/// Files are overwritten before their names go. A card that writes elsewhere than where it wrote before may keep what was there all the
/// same.
public enum AuditErasure {
    /// Throws `lockedByAnother` while a gate writes the log; where there is none, nothing is done. It may be called again after a cut.
    ///
    /// - Parameter path: of the current segment.
    public static func erase(_ path: String) throws(AuditError) {
        let folder = AuditFolder(of: path)
        do throws(AuditError) { try folder.open() } catch {
            if error == .notFound { return }
            throw error
        }
        try folder.takeLock()
        for name in try folder.everything() { try folder.erase(name) }
        try folder.sync()
    }
}

extension AuditFolder {
    /// The names of all that belongs to the log, the lock last.
    fileprivate func everything() throws(AuditError) -> [String] {
        guard let listing = opendir(path) else { throw AuditError(errno: errno) }
        defer { closedir(listing) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(listing) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if isOfLog(name) { names.append(name) }
        }
        guard errno == 0 else { throw AuditError(errno: errno) }
        return names.sorted { ($0 == lock ? 1 : 0, $0) < ($1 == lock ? 1 : 0, $1) }
    }

    /// Overwrites and removes.
    fileprivate func erase(_ name: String) throws(AuditError) {
        let file = openat(descriptor, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if file >= 0 {
            File.overwrite(file)
            Glibc.close(file)
        }
        try remove(name)
    }
}
