import Credentials
import Glibc

/// Why a trust bundle is not installed or not used. What was installed before stays as it is.
public enum TrustInstallationError: Error, Hashable, Sendable {
    /// There is no bundle in the folder.
    case notInstalled
    /// The bundle itself is refused.
    case bundle(TrustBundleError)
    /// Older than what this gate has had: `highest` is that one's sequence number.
    case rolledBack(sequence: Int64, highest: Int64)
    /// Another bundle than the one this gate has had under the same sequence number.
    case sequenceTaken(Int64)
    /// Older than what this system image may start with.
    case belowImage(sequence: Int64, lowest: Int64)
    /// What the gate knew is lost, and the bundle is not newer than what was left.
    case afterLoss(sequence: Int64, above: Int64)
    /// Made in the future by a clock that nothing speaks against.
    case madeInFuture(created: Seconds, clock: Seconds)

    // The disk
    /// The file has more octets than it can have.
    case fileTooLarge
    /// The folder, or a file in it, may not be read or written.
    case notPermitted
    /// The folder does not exist.
    case notFound
    /// Where a file belongs is a link, a folder or a device.
    case notRegularFile
    /// Another process installs at this moment.
    case lockedByAnother
    /// The disk or the quota is full.
    case diskFull
    /// A gate's id was drawn once, and neither copy of it can be read.
    case idDamaged
    /// libcrypto has no random numbers.
    case noRandomness
    /// Any other refusal of the system.
    case system(errno: Int32)

    init(errno code: Int32) {
        self = switch code {
        case EACCES, EPERM, EROFS: .notPermitted
        case ENOENT, ENOTDIR: .notFound
        case ELOOP, EISDIR: .notRegularFile
        case EWOULDBLOCK: .lockedByAnother
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        default: .system(errno: code)
        }
    }
}
