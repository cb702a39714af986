import Glibc

/// The system refused something: `errno`, and which of the refusals it is that somebody can do something about.
public struct SystemError: Error, Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// A file or its folder may not be read or written.
        case notPermitted
        /// The file system cannot be written at all.
        case readOnly
        /// The file or its folder does not exist.
        case notFound
        /// Where a file belongs is a link, a folder or a device.
        case notRegularFile
        /// Another process has it for itself.
        case lockedByAnother
        /// The disk, the quota or the file is full.
        case diskFull
        /// A file has more bytes than it can have.
        case fileTooLarge
        case other
    }

    public let errno: Int32

    public init(errno: Int32) {
        self.errno = errno
    }

    public static let notPermitted = SystemError(errno: EACCES)
    public static let notFound = SystemError(errno: ENOENT)
    public static let notRegularFile = SystemError(errno: EISDIR)
    public static let lockedByAnother = SystemError(errno: EWOULDBLOCK)
    public static let diskFull = SystemError(errno: ENOSPC)
    /// No call says so of a file that is read: a reader with a bound does.
    public static let fileTooLarge = SystemError(errno: EOVERFLOW)

    public var kind: Kind {
        switch errno {
        case EACCES, EPERM: .notPermitted
        case EROFS: .readOnly
        case ENOENT, ENOTDIR: .notFound
        case ELOOP, EISDIR: .notRegularFile
        case EWOULDBLOCK: .lockedByAnother
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EOVERFLOW: .fileTooLarge
        default: .other
        }
    }

    /// In words, as `strerror` has them: `no such file or directory`.
    public var cause: String { systemCause(errno) }
}

extension SystemError: CustomStringConvertible {
    /// For the operator, of files and folders that the gate keeps things in.
    public var description: String {
        switch kind {
        case .notPermitted, .readOnly: "not permitted: the user has to own the folder"
        case .notFound: "the folder does not exist"
        case .notRegularFile: "where a file belongs is a link, a folder or a device"
        case .lockedByAnother: "another program has it at this moment"
        case .diskFull: "the disk is full"
        case .fileTooLarge: "the file is larger than it can be"
        case .other: "the system refused (\(cause))"
        }
    }
}
