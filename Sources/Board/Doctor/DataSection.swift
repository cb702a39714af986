import Glibc

/// Whether what is written is there after the next start.
public enum DataSection {
    /// Made by the image's initramfs, where the data partition could not be mounted and memory stands for it. One line, why.
    public static let flag = "/run/gatehouse-data-not-lasting"

    public static var isLost: Bool { access(flag, F_OK) == 0 }

    public static func examine(isLost: Bool = Self.isLost) -> DoctorReport.Section {
        var section = DoctorReport.Section("data")
        if isLost {
            section.trouble(
                "data", ClosedCause.dataNotLasting.code, ClosedCause.dataNotLasting.sentence, .init("Read why", "cat \(flag)"))
        } else {
            section.summary = "outlasts a restart, as far as the system says"
        }
        return section
    }
}
