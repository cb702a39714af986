import Envelopes
import Glibc
import Linux
import Trust

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

    /// What the disk refuses.
    case disk(SystemError)
    /// This user may not read a file of the folder.
    case unreadable(String)
    /// A gate's id was drawn once, and neither copy of it can be read.
    case idDamaged
    /// libcrypto has no random numbers.
    case noRandomness
}
