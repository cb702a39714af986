import Credentials
import Visit

/// Every buffer and bound of a visit.
public enum BufferSection {
    public static func examine() -> DoctorReport.Section {
        var section = DoctorReport.Section("buffers")
        for row in GateStorage.rows { section.add("\(row.name)", "\(row.size) octets, \(row.purpose)") }
        for row in CredentialVerifier.bounds { section.add("at most \(row.name)", "\(row.size), \(row.purpose)") }
        return section
    }
}
