import Audit
import Glibc

/// The audit log: whether its chain is whole, how much room it has, and what of it somebody has a copy of.
public enum AuditSection {
    /// - Parameter refusal: why the gate does not start with the size that its site file sets.
    public static func examine(_ path: String, limits: AuditLimits = AuditLimits(), refusal: String? = nil) -> DoctorReport.Section {
        var section = DoctorReport.Section("audit log")
        if let refusal {
            section.trouble(
                "size", "audit-size", refusal + ": the gate does not start with it",
                .init(
                    "Install a site file with a larger one, or start the gate with shorter segments",
                    "gatehouse site install FILE --root FILE --into FOLDER"))
        }
        do throws(AuditError) {
            let report = try AuditReport(checking: path)
            section.summary = "\(report.records) records, \(report.repairs) repairs, last digest \(report.digest)"
            if let line = report.badLine, let fault = report.fault {
                blame(
                    fault, "line \(line) of \(report.badFile ?? path) \(fault.sentence). \(line - 1) records before it are whole", path,
                    in: &section)
            } else {
                describe(report, path, limits, in: &section)
            }
        } catch {
            if error == .notFound {
                section.summary = "none yet at \(path)"
                return section
            }
            section.trouble(
                "audit log", "audit-unreadable", "\(path): \(error)",
                .init("Look what is there", "ls -ld \(DoctorReport.Remedy.word(path))"))
        }
        return section
    }

    private static func blame(_ fault: AuditReport.Fault, _ sentence: String, _ path: String, in section: inout DoctorReport.Section) {
        let folder = AuditFolder(of: path).path
        let copy = "cp -a \(DoctorReport.Remedy.word(folder)) \(DoctorReport.Remedy.word(folder + ".copy"))"
        section.trouble(
            "audit log", "audit-\(fault == .torn ? "torn" : "broken")", sentence,
            .init(fault.remedy, fault == .torn ? "systemctl start gatehouse" : copy))
    }

    private static func describe(_ report: AuditReport, _ path: String, _ limits: AuditLimits, in section: inout DoctorReport.Section) {
        let export = DoctorReport.Remedy(
            "Copy it to a stick", "gatehouse audit export --data \(DoctorReport.Remedy.word(AuditFolder(of: path).path)) --into FOLDER")
        if report.isBeginningMissing {
            section.trouble(
                "beginning", "audit-beginning-missing",
                "the log begins with segment \(report.first), and no record says that the ones before were let go",
                .init("Find out who removed them", "ls -l \(DoctorReport.Remedy.word(AuditFolder(of: path).path))"))
        }
        section.add("segments", report.first == report.last ? "\(report.first)" : "\(report.first) to \(report.last)")
        describeRoom(report, path, limits, export, in: &section)
        section.add("exported", report.exportedTo == 0 ? "nothing of it" : "up to segment \(report.exportedTo)")
        if report.droppedTo > 0 { section.add("let go", "up to segment \(report.droppedTo)") }
        if !report.lost.isEmpty {
            section.note(
                "lost", "segment \(list(report.lost)) was gone when the gate started",
                .init("Find out who removed it", "ls -l \(DoctorReport.Remedy.word(AuditFolder(of: path).path))"))
        }
        if !report.setAside.isEmpty {
            let gone = report.setAsideMissing.isEmpty ? "" : "; not there any more: \(list(report.setAsideMissing))"
            section.note("set aside", "segment \(list(report.setAside)) was damaged\(gone)", export)
        }
    }

    private static func describeRoom(
        _ report: AuditReport, _ path: String, _ limits: AuditLimits, _ export: DoctorReport.Remedy, in section: inout DoctorReport.Section
    ) {
        let occupancy: AuditOccupancy
        do throws(AuditError) {
            occupancy = try AuditOccupancy(of: path, limits: limits, exported: report.exportedTo)
        } catch {
            return section.trouble(
                "room", "audit-unreadable", "\(path): \(error)", .init("Look what is there", "ls -ld \(DoctorReport.Remedy.word(path))"))
        }
        let percent = occupancy.percent(report.waiting)
        let room =
            "\(report.octets) octets of at most \(occupancy.bound); when full: \(limits.whenFull.rawValue); \(percent) % of the room is not exported"
        switch occupancy.refusal {
        case .diskFull: section.trouble("room", "audit-full", room + "; the disk has no room for another record: nobody can enter", export)
        case .some: section.trouble("room", "audit-full", room + ": nobody can enter", export)
        // A gate that stops goes on beyond what it should have of the disk, for as long as there is any.
        case nil where percent >= 75 && limits.whenFull == .stop:
            section.note("room", room + ": to be exported before nobody can enter", export)
        case nil where percent >= 75: section.note("room", room, export)
        case nil: section.add("room", room)
        }
    }

    private static func list(_ numbers: [UInt32]) -> String { numbers.map(String.init).joined(separator: ", ") }
}
