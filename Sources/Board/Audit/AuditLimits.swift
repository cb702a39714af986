/// How much room the audit log may take, and what becomes of it when that is used up.
public struct AuditLimits: Hashable, Sendable {
    /// What is done when the log has reached its bound and nothing of it is exported.
    public enum WhenFull: String, Hashable, Sendable, CaseIterable {
        /// Nobody can enter until the log is exported: no record is lost that nobody has a copy of.
        case stop
        /// The oldest sealed segments go, and a record says which.
        case dropOldest = "drop-oldest"
    }

    /// Octets after which a segment is sealed. One that was begun by an older program may be longer.
    public let segment: Int64
    /// Octets of everything together on the disk, the room kept for the next segment included.
    public let total: Int64
    public let whenFull: WhenFull
    /// The most damaged segments that are kept; the oldest goes first.
    static let mostSetAside = 8

    /// What can be chosen: a segment holds at least 16 of the longest lines, and the whole at least four segments.
    public static let segments: ClosedRange<Int64> = 65_536...(256 << 20)

    /// The standard: 4 MiB each, 256 MiB together. Nothing that nobody has a copy of is lost unless the operator says so.
    public init(segment: Int64 = 4 << 20, total: Int64 = 256 << 20, whenFull: WhenFull = .stop) {
        self.segment = min(max(segment, Self.segments.lowerBound), Self.segments.upperBound)
        self.total = max(total, 4 * self.segment)
        self.whenFull = whenFull
    }

    /// With segments so short that a disk of so many octets has room for sixteen.
    func fitting(disk size: Int64) -> AuditLimits {
        size > 0 ? AuditLimits(segment: min(segment, size / 16), total: total, whenFull: whenFull) : self
    }

    /// Octets that the log may have where it has `own` octets of the disk and `free` ones are left: an eighth is for what else is on it.
    func bound(own: Int64, free: Int64) -> Int64 {
        let room = own.addingReportingOverflow(free)
        return min(total, max(4 * segment, room.overflow ? .max : room.partialValue / 8 * 7))
    }
}
