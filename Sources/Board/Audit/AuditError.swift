import Glibc

/// Why the audit log cannot be opened or written.
public enum AuditError: Error, Hashable, Sendable {
    /// The file, or its folder, may not be read or written.
    case notPermitted
    /// The folder does not exist.
    case notFound
    /// The path is a link, a folder or a device.
    case notRegularFile
    /// Another process writes this log.
    case lockedByAnother
    /// The disk, the quota or the file is full. The log is as it was and can be tried again.
    case diskFull
    /// The log has reached its bound, and nothing of it may go.
    case logFull
    /// The file system cannot be written.
    case readOnly
    /// The record is longer than `AuditLine.capacity`.
    case recordTooLong
    /// The end of a segment does not chain, and not because of one torn write.
    case chainBroken
    /// SHA-256 is not to be had.
    case noDigest
    /// The log was closed.
    case closed
    /// Any other refusal of the system.
    case system(errno: Int32)

    init(errno code: Int32) {
        self =
            switch code {
            case EACCES, EPERM: .notPermitted
            case EROFS: .readOnly
            case ENOENT, ENOTDIR: .notFound
            case ELOOP, EISDIR: .notRegularFile
            case EWOULDBLOCK: .lockedByAnother
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            default: .system(errno: code)
            }
    }

    /// Whether it can be over without anybody changing how the gate is set up.
    var mayPass: Bool {
        switch self {
        case .diskFull, .logFull, .readOnly, .system: true
        case .notPermitted, .notFound, .notRegularFile, .lockedByAnother, .recordTooLong, .chainBroken, .noDigest, .closed: false
        }
    }
}
