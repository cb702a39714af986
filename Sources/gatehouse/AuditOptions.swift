import ArgumentParser
import Board

/// How much room the audit log may take.
struct AuditOptions: ParsableArguments {
    @Option(help: ArgumentHelp("MiB of the whole audit log on the disk, at least four segments; the room kept for the next segment is part of it.  (default: \(usualSize))", valueName: "MiB"))
    var auditSize: Int64?

    @Option(help: ArgumentHelp("KiB after which a segment of the audit log is sealed, 64 to 262144.", valueName: "KiB"))
    var auditSegment: Int64 = 4096

    @Option(help: ArgumentHelp(
        "When the audit log is full and its oldest segment not exported: stop (nobody can enter until it is) or drop-oldest (it goes, and a record says so).  (default: \(AuditLimits.WhenFull.stop.rawValue))",
        valueName: "what"))
    var auditFull: String?

    static let usualSize: Int64 = 256

    /// - Parameter site: what holds where no option says otherwise.
    func limits(_ site: SiteSettings?) throws -> AuditLimits {
        if let refusal = try refusal(of: site) { throw ValidationError(refusal) }
        return try nearest(site)
    }

    /// The limits; where the site file's size is refused, with that size all the same: for whoever only looks.
    func nearest(_ site: SiteSettings?) throws -> AuditLimits {
        let whenFull: AuditLimits.WhenFull
        if let auditFull {
            guard let named = AuditLimits.WhenFull(rawValue: auditFull) else { throw ValidationError("--audit-full \(auditFull): use stop or drop-oldest") }
            whenFull = named
        } else {
            whenFull = site?.auditFull ?? .stop
        }
        let isRefused = try refusal(of: site) != nil
        let auditSize = auditSize ?? site?.auditSize ?? Self.usualSize
        guard (1...1_048_576).contains(auditSize), isRefused || auditSize * 1024 >= 4 * auditSegment else {
            throw ValidationError("--audit-size \(auditSize): use at least four segments of \(auditSegment) KiB, at most 1048576")
        }
        return AuditLimits(segment: auditSegment << 10, total: auditSize << 20, whenFull: whenFull)
    }

    /// Why the site file's size cannot be with this command's segments; nil where it can, or is not used.
    func refusal(of site: SiteSettings?) throws -> String? {
        guard (64...262_144).contains(auditSegment) else { throw ValidationError("--audit-segment \(auditSegment): use 64 to 262144") }
        guard auditSize == nil, let size = site?.auditSize, size * 1024 < 4 * auditSegment else { return nil }
        return "site file: \(SiteMember.auditSize.rawValue) \(size): less than four segments of \(auditSegment) KiB (--audit-segment)"
    }
}
