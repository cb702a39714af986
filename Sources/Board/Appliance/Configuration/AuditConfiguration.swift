import Audit
import Devices

/// How much room the audit log may take: as options name it, each nil where none does.
package struct AuditConfiguration: Sendable {
    /// MiB.
    package static let usualSize: Int64 = 256

    /// MiB of the whole log.
    package var size: Int64?
    /// KiB after which a segment is sealed.
    package var segment: Int64
    package var full: String?

    package init(size: Int64?, segment: Int64, full: String?) {
        self.size = size
        self.segment = segment
        self.full = full
    }

    /// - Parameter site: what holds where no option says otherwise.
    package func limits(_ site: SiteSettings?) throws(ConfigurationError) -> AuditLimits {
        if let refusal = try refusal(of: site) { throw ConfigurationError(refusal) }
        return try nearest(site)
    }

    /// The limits; where the site file's size is refused, with that size all the same: for whoever only looks.
    package func nearest(_ site: SiteSettings?) throws(ConfigurationError) -> AuditLimits {
        let whenFull: AuditLimits.WhenFull
        if let full {
            guard let named = AuditLimits.WhenFull(rawValue: full) else {
                throw ConfigurationError("--audit-full \(full): use stop or drop-oldest")
            }
            whenFull = named
        } else {
            whenFull = site?.auditFull ?? .stop
        }
        let isRefused = try refusal(of: site) != nil
        let size = size ?? site?.auditSize ?? Self.usualSize
        guard (1...1_048_576).contains(size), isRefused || size * 1024 >= 4 * segment else {
            throw ConfigurationError("--audit-size \(size): use at least four segments of \(segment) KiB, at most 1048576")
        }
        return AuditLimits(segment: segment << 10, total: size << 20, whenFull: whenFull)
    }

    /// Why the site file's size cannot be with this command's segments; nil where it can, or is not used.
    package func refusal(of site: SiteSettings?) throws(ConfigurationError) -> String? {
        guard (64...262_144).contains(segment) else { throw ConfigurationError("--audit-segment \(segment): use 64 to 262144") }
        guard size == nil, let size = site?.auditSize, size * 1024 < 4 * segment else { return nil }
        return "site file: \(SiteMember.auditSize.rawValue) \(size): less than four segments of \(segment) KiB (--audit-segment)"
    }
}
