import Glibc

/// Why a trace cannot be begun, or ended before the gate did.
public enum TraceError: Error, Hashable, Sendable {
    /// The file, or its folder, may not be written.
    case notPermitted
    /// The folder does not exist.
    case notFound
    /// Something is there that is no trace: a link, a folder, a device, a pipe, another file.
    case notTrace
    /// The disk, the quota or the file is full.
    case diskFull
    /// The trace has reached `Trace.capacity`.
    case full
    /// Any other refusal of the system.
    case system(errno: Int32)

    init(errno code: Int32) {
        self =
            switch code {
            case EACCES, EPERM, EROFS: .notPermitted
            case ENOENT, ENOTDIR: .notFound
            case ELOOP, EISDIR, EEXIST, ENXIO: .notTrace
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            default: .system(errno: code)
            }
    }
}
