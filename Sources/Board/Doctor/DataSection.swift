import Glibc

/// Whether what is written is there after the next start.
public enum DataSection {
    /// Made by the image's initramfs, where the data partition could not be mounted and memory stands for it. One line, why.
    public static let flag = "/run/gatehouse-data-not-lasting"

    public static var isLost: Bool { access(flag, F_OK) == 0 }

    /// Made by the image's initramfs, where the data partition could not be repaired and was made anew, with the number of the bundle that the image had
    /// then on its first line.
    public static let anewFlag = "/run/gatehouse-data-made-anew"

    /// Where what the gate knew is gone: the number of the bundle that was all that was left. A gate believes only one above it, which somebody has to
    /// bring: the one it had when it was delivered may believe issuers who are believed no more. Nil where nothing was lost.
    ///
    /// Looked at once, by a process that may still look: a confined one would find nothing.
    public static let anewAbove: Int64? = access(anewFlag, F_OK) == 0 ? SystemFolders.line(anewFlag).flatMap { Int64($0) } ?? 0 : nil

    public static func examine(isLost: Bool = Self.isLost, anewAbove: Int64? = Self.anewAbove) -> DoctorReport.Section {
        var section = DoctorReport.Section("data")
        if let anewAbove {
            section.note(
                "data", "made anew, because the partition could not be repaired: bundles above \(anewAbove) are believed",
                .init("Bring a newer trust bundle and the site file, and replace the card", "gatehouse trust install FILE"))
        }
        if isLost {
            section.trouble(
                "data", ClosedCause.dataNotLasting.code, ClosedCause.dataNotLasting.sentence, .init("Read why", "cat \(flag)"))
        } else if anewAbove == nil {
            section.summary = "outlasts a restart, as far as the system says"
        }
        return section
    }
}
