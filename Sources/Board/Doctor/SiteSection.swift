import Appliance
import Devices
import Trust

/// What the gate is called, and what its site file sets.
public enum SiteSection {
    /// - Parameters:
    ///   - identity: nil where the board has no serial number and no id was drawn yet, or it is damaged.
    ///   - orders: the highest number taken of each kind; nil where that is lost.
    public static func examine(
        _ identity: GateIdentity?, _ finding: SiteFinding, isIDDamaged: Bool = false, orders: OrderNumbers? = OrderNumbers()
    ) -> DoctorReport.Section {
        var section = DoctorReport.Section("gate")
        if let identity {
            section.add("id", "\(identity.id), \(identity.source == .board ? "the board's serial number" : "drawn once")")
        } else if isIDDamaged {
            section.trouble(
                "id", "id-damaged", "\(TrustInstallationError.idDamaged)",
                .init("Where no copy of the old one is to be had", "rm gate-id gate-id.copy"))
        } else {
            section.note("id", "none yet: the board has no serial number, and one is drawn when the gate starts with a signed bundle")
        }
        if let orders {
            let taken = Order.Kind.allCases.filter { orders.highest($0) > 0 }.map { "\($0.rawValue) \(orders.highest($0))" }
            section.add("orders taken", taken.isEmpty ? "none" : taken.joined(separator: ", "))
        } else {
            section.trouble(
                "orders taken", "orders-lost",
                "both copies of their record are damaged: only orders made after a time that has passed are taken",
                .init("Look at the disk; the next order that is taken makes the record anew", "gatehouse order build"))
        }
        let renew = DoctorReport.Remedy("Install a new one", "gatehouse site install FILE --root FILE --into FOLDER")
        switch finding {
        case .none: section.add("site file", "none")
        case .reset:
            section.trouble(
                "site file", "site-reset", "the gate was reset, and none was installed since: nobody can enter",
                .init("Install a trust bundle, then a site file", "gatehouse site install FILE --root FILE --into FOLDER"))
        case .installed(let site):
            switch site.standing {
            case .proven: section.add("site file", "\(site.number)")
            case .onTrial(let count):
                section.note(
                    "site file",
                    "\(site.number), on trial: started \(count) times, at most \(SiteInstallation.mostTrials) before it is given up")
            case .otherCopy:
                section.trouble(
                    "site file", "site-copy-lost",
                    "\(site.number), of which one of two copies is lost: the gate makes it anew when it starts next",
                    .init("Look at the disk; then start the gate", "systemctl restart gatehouse"))
            case .previous:
                section.trouble(
                    "site file", "site-damaged",
                    "the newest is damaged or gone: the one before it, \(site.number), is used, and faces are compared in any case", renew)
            }
        case .unusable(.order(.disk(let error))):
            section.trouble(
                "site file", "site-unusable", "whether there is one cannot be told, so faces are compared in any case: \(error)",
                .init("Give what is in the trust folder to the gate's user", "chown -R gatehouse:gatehouse FOLDER"))
        case .unusable(let error):
            section.trouble("site file", "site-unusable", "it cannot be used, so faces are compared in any case: \(error)", renew)
        }
        return section
    }

    /// - Parameter rows: name, value and origin of each setting.
    public static func settings(_ rows: [(name: String, value: String, origin: String)]) -> DoctorReport.Section {
        var section = DoctorReport.Section(
            "settings", summary: "an option comes before the site file, that before the board profile, that before the default")
        for row in rows { section.add(row.name, "\(row.value) (\(row.origin))") }
        return section
    }
}

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
