import Glibc

extension AuditExport {
    /// Which of the sealed segments are copied. They are copied whole, as a chain is checked over whole segments.
    public enum Choice: Hashable, Sendable {
        /// What the gate was not told to be copied.
        case waiting
        /// Also what was exported before.
        case all
        /// From the segment on that has the record of this number, exported before or not.
        case record(UInt64)
        /// What was sealed after this segment.
        case behind(UInt32)

        func of(_ parts: [AuditFolder.Part], exported: UInt32, in folder: AuditFolder) -> [AuditFolder.Part] {
            switch self {
            case .waiting: parts.filter { $0.number > exported }
            case .all: parts
            case .record(let number): Self.from(number, parts, folder)
            case .behind(let segment): parts.filter { $0.number > segment }
            }
        }

        /// A segment is left out only where it is certain that the record comes behind it: one that follows begins at the record or before
        /// it. A last one that ends before it has nothing of what is wanted, either.
        private static func from(_ number: UInt64, _ parts: [AuditFolder.Part], _ folder: AuditFolder) -> [AuditFolder.Part] {
            let start = parts.lastIndex { part in first(of: part, folder).map { $0 <= number } ?? false } ?? 0
            var wanted = parts.suffix(from: min(start, parts.count))
            if wanted.count == 1, let only = wanted.first, let last = last(of: only, folder), last < number { wanted = [] }
            return Array(wanted)
        }

        private static func first(of part: AuditFolder.Part, _ folder: AuditFolder) -> UInt64? {
            guard let descriptor = try? folder.file(folder.name(of: part), O_RDONLY) else { return nil }
            defer { Glibc.close(descriptor) }
            var lines = AuditLines(descriptor: descriptor)
            guard let line = try? lines.next(), case .whole(let octets) = line else { return nil }
            return AuditLine(octets[...])?.sequence
        }

        /// Nil where the end cannot be trusted.
        private static func last(of part: AuditFolder.Part, _ folder: AuditFolder) -> UInt64? {
            guard !part.isSetAside, let descriptor = try? folder.file(folder.name(of: part), O_RDONLY) else { return nil }
            defer { Glibc.close(descriptor) }
            guard let tail = try? AuditTail(descriptor: descriptor, size: off_t(part.octets)), tail.end > 0 else { return nil }
            return tail.chain.sequence
        }
    }
}
