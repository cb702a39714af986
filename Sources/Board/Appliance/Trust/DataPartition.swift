import Glibc
import Linux

/// Whether what is written is there after the next start, as the image's initramfs found it.
public enum DataPartition {
    /// There where the data partition could not be mounted and memory stands for it. One line, why.
    public static let flag = "/run/gatehouse-data-not-lasting"

    public static var isLost: Bool { access(flag, F_OK) == 0 }

    /// There where the data partition could not be repaired and was made anew, with the number of the bundle that the image had then on its
    /// first line.
    public static let anewFlag = "/run/gatehouse-data-made-anew"

    /// Where what the gate knew is gone: the number of the bundle that was all that was left. A gate believes only one above it, which
    /// somebody has to bring: the one it had when it was delivered may believe issuers who are believed no more. Nil where nothing was
    /// lost.
    ///
    /// Looked at once, by a process that may still look: a confined one would find nothing.
    public static let anewAbove: Int64? = access(anewFlag, F_OK) == 0 ? SystemFolders.line(anewFlag).flatMap { Int64($0) } ?? 0 : nil
}
