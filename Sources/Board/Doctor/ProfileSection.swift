import Devices

/// The board's profile: which board it is, and what it leaves out.
public enum ProfileSection {
    /// - Parameter profile: nil where none was named, and options and defaults say everything.
    public static func examine(_ profile: BoardProfile?) -> DoctorReport.Section {
        var section = DoctorReport.Section("profile")
        guard let profile else {
            section.summary = "none: options and defaults"
            return section
        }
        section.summary = profile.name
        section.add("camera", profile.camera.map { "\($0)" } ?? "absent: no faces are compared")
        section.add("audit", profile.audit ?? "absent: the log is in the data folder")
        return section
    }
}
