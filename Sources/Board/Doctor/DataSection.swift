import Appliance

/// Whether what is written is there after the next start.
public enum DataSection {
    public static func examine(isLost: Bool = DataPartition.isLost, anewAbove: Int64? = DataPartition.anewAbove) -> DoctorReport.Section {
        var section = DoctorReport.Section("data")
        if let anewAbove {
            section.note(
                "data", "made anew, because the partition could not be repaired: bundles above \(anewAbove) are believed",
                .init("Bring a newer trust bundle and the site file, and replace the card", "gatehouse trust install FILE"))
        }
        if isLost {
            section.trouble(
                "data", ClosedCause.dataNotLasting.code, ClosedCause.dataNotLasting.sentence, .init("Read why", "cat \(DataPartition.flag)")
            )
        } else if anewAbove == nil {
            section.summary = "outlasts a restart, as far as the system says"
        }
        return section
    }
}
