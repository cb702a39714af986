import Appliance
import ArgumentParser
import Audit

/// How much room the audit log may take.
struct AuditOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "MiB of the whole audit log on the disk, at least four segments; the room kept for the next segment is part of it.  (default: \(AuditConfiguration.usualSize))",
            valueName: "MiB"))
    var auditSize: Int64?

    @Option(help: ArgumentHelp("KiB after which a segment of the audit log is sealed, 64 to 262144.", valueName: "KiB"))
    var auditSegment: Int64 = 4096

    @Option(
        help: ArgumentHelp(
            "When the audit log is full and its oldest segment not exported: stop (nobody can enter until it is) or drop-oldest (it goes, and a record says so).  (default: \(AuditLimits.WhenFull.stop.rawValue))",
            valueName: "what"))
    var auditFull: String?

    var configuration: AuditConfiguration { AuditConfiguration(size: auditSize, segment: auditSegment, full: auditFull) }
}
