import Glibc

/// The audit log: whether its chain is whole.
public enum AuditSection {
    public static func examine(_ path: String) -> DoctorReport.Section {
        var section = DoctorReport.Section("audit log")
        if access(path, F_OK) != 0, errno == ENOENT {
            section.summary = "none yet at \(path)"
            return section
        }
        do throws(AuditError) {
            let report = try AuditReport(checking: path)
            guard let line = report.badLine, let fault = report.fault else {
                section.summary = "\(report.records) records, \(report.repairs) repairs, last digest \(report.digest)"
                return section
            }
            let away = "mv \(DoctorReport.Remedy.word(path)) \(DoctorReport.Remedy.word(path + ".damaged"))"
            let command = fault == .torn ? "systemctl start gatehouse" : away
            section.trouble(
                "audit log", "audit-\(fault == .torn ? "torn" : "broken")",
                "line \(line) of \(path) \(fault.sentence). \(report.records) records before it are whole", .init(fault.remedy, command))
        } catch {
            section.trouble("audit log", "audit-unreadable", "\(path): \(error)", 
                .init("Look what is there", "ls -ld \(DoctorReport.Remedy.word(path))"))
        }
        return section
    }
}
