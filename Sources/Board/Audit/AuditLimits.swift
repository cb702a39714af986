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

    /// Whether a log may have to stop, or let something go, that would not with the other limits.
    func isNarrower(than other: AuditLimits) -> Bool { total < other.total || (whenFull == .stop && other.whenFull == .dropOldest) }

    /// How many of the oldest segments have to go so that another one has room behind a current one of so many octets; nil where they may
    /// not. Below the log's own bound, a disk that is filling up is no reason to stop before it is full.
    ///
    /// - Parameters:
    ///   - bound: octets that the log may have, on this disk.
    ///   - exported: up to which segment somebody has a copy.
    func makingRoom(_ parts: [AuditFolder.Part], current: Int64, bound: Int64, exported: UInt32) -> Int? {
        // The new current segment, and the room kept for the one after it.
        let wanted = current + 2 * segment
        var octets = parts.reduce(0) { $0 + $1.octets }
        var count = 0
        for part in parts where octets + wanted > bound {
            guard mayGo(part, exported: exported) else {
                if octets + wanted > total { return nil }
                break
            }
            octets -= part.octets
            count += 1
        }
        return count
    }

    /// Octets that a segment has to have left behind `current` ones, for the longest record and what goes on record at its end.
    static func wanted(behind current: Int64) -> Int64 { current + Int64(AuditLine.capacity) + AuditLog.lastWords }

    /// Whether the bound leaves no room for another record: the current segment has none, and no other one can be begun.
    func isUsedUp(_ parts: [AuditFolder.Part], current: Int64, bound: Int64, exported: UInt32) -> Bool {
        Self.wanted(behind: current) > segment && makingRoom(parts, current: current, bound: bound, exported: exported) == nil
    }

    /// Whether a segment may go: somebody has a copy, or the operator said so.
    func mayGo(_ part: AuditFolder.Part, exported: UInt32) -> Bool { part.number <= exported || whenFull == .dropOldest }

    /// Octets that the log may have where it has `own` octets of the disk and `free` ones are left: an eighth is for what else is on it.
    func bound(own: Int64, free: Int64) -> Int64 {
        let room = own.addingReportingOverflow(free)
        return min(total, max(4 * segment, room.overflow ? .max : room.partialValue / 8 * 7))
    }
}
