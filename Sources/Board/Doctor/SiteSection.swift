import Credentials

/// What the gate is called, and what its site file sets.
public enum SiteSection {
    /// - Parameter identity: nil where the board has no serial number and no id was drawn yet.
    public static func examine(_ identity: GateIdentity?, _ finding: SiteFinding) -> DoctorReport.Section {
        var section = DoctorReport.Section("gate")
        if let identity {
            section.add("id", "\(identity.id), \(identity.source == .board ? "the board's serial number" : "drawn once")")
        } else {
            section.note("id", "none yet: the board has no serial number, and one is drawn when the gate starts with a signed bundle")
        }
        let renew = DoctorReport.Remedy("Install a new one", "gatehouse site install FILE")
        switch finding {
        case .none: section.add("site file", "none")
        case .installed(let site):
            switch site.standing {
            case .proven: section.add("site file", "\(site.number)")
            case .onTrial(let count):
                section.note("site file", "\(site.number), on trial: started \(count) times, at most \(SiteInstallation.mostTrials) before it is given up")
            case .previous:
                section.trouble("site file", "site-damaged", "the newest is damaged, and the one before it, \(site.number), is used", renew)
            }
        case .unusable(let error):
            section.trouble("site file", "site-unusable", "it cannot be used, so faces are compared in any case: \(error)", renew)
        }
        return section
    }

    /// - Parameter rows: name, value and origin of each setting.
    public static func settings(_ rows: [(name: String, value: String, origin: String)]) -> DoctorReport.Section {
        var section = DoctorReport.Section("settings", summary: "an option comes before the site file, that before the board profile, that before the default")
        for row in rows { section.add(row.name, "\(row.value) (\(row.origin))") }
        return section
    }
}
