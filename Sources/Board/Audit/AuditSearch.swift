import Glibc

/// Where a place is in a log, or what is there in its stead.
struct AuditSearch {
    /// The segment to go on with.
    struct Found {
        /// Whoever takes it closes it.
        let descriptor: Int32
        let number: UInt32
        let isSetAside: Bool
    }

    /// A segment and its first record. Not open: a log has more segments than a confined process may have descriptors.
    private struct Segment {
        /// Nil for the one that is written.
        let part: AuditFolder.Part?
        let first: AuditLine
    }

    private let log: AuditSegments
    /// Nil where the log has no record yet.
    private(set) var found: Found?
    /// Octets of it that are read already.
    private(set) var offset: Int64 = 0
    /// What the next record has to follow.
    private(set) var place: AuditPlace
    /// What is to be said before it.
    private(set) var items: [AuditQueue.Item] = []

    init(_ log: AuditSegments, _ place: AuditPlace) throws(AuditError) {
        (self.log, self.place) = (log, place)
        try look(try Self.segments(of: log))
    }

    private mutating func look(_ all: [Segment]) throws(AuditError) {
        guard let oldest = all.first else { return }
        guard place.sequence > 0 else {
            items = Self.missing(from: 1, to: oldest.first.sequence)
            return try begin(oldest)
        }
        guard let index = all.lastIndex(where: { $0.first.sequence <= place.sequence }) else {
            // What comes after the place is not there any more.
            if oldest.first.sequence == place.sequence + 1, oldest.first.previous != place.digest {
                items = [.exchanged]
            } else {
                items = Self.missing(from: place.sequence + 1, to: oldest.first.sequence)
            }
            return try begin(oldest)
        }
        if try look(all[index], isLast: index == all.count - 1) { return }
        // Its own record is damaged, at the beginning of a segment.
        if index + 1 < all.count, place.isFollowed(by: all[index + 1].first) { return try begin(all[index + 1]) }
        if all[index].first.damaged != nil || all[index].first.lost != nil {
            // What was read behind the damage is not in the log any more; it goes on here.
            items = [.rewritten(all[index].first.sequence)]
            return try begin(all[index])
        }
        items = [.exchanged]
        try begin(oldest)
    }

    private mutating func begin(_ segment: Segment) throws(AuditError) {
        (found, offset, place) = (try open(segment), 0, AuditPlace(before: segment.first))
    }

    /// Throws `notFound` for one that went since: the folder is being changed.
    private func open(_ segment: Segment) throws(AuditError) -> Found {
        if let part = segment.part {
            guard let descriptor = try log.open(part) else { throw .notFound }
            return Found(descriptor: descriptor, number: part.number, isSetAside: part.isSetAside)
        }
        guard let current = log.current else { throw .notFound }
        return Found(descriptor: try AuditQueue.copy(current), number: log.number, isSetAside: false)
    }

    /// Looks for the place in the segment that has to have it. False where it is of another log.
    private mutating func look(_ segment: Segment, isLast: Bool) throws(AuditError) -> Bool {
        let opened = try open(segment)
        do throws(AuditError) {
            if try look(opened, after: AuditPlace(before: segment.first), isLast: isLast) { return true }
        } catch {
            Glibc.close(opened.descriptor)
            throw error
        }
        Glibc.close(opened.descriptor)
        return false
    }

    private mutating func look(_ segment: Found, after start: AuditPlace, isLast: Bool) throws(AuditError) -> Bool {
        var reader = AuditReader(descriptor: segment.descriptor, passesDamage: true), before: Int64 = 0
        var last = start
        while let next = try reader.next() {
            guard case .whole(let range) = next, let line = AuditLine(reader.buffer[range]) else {
                before = reader.end
                continue
            }
            let here = try AuditPlace(line, reader.buffer[range])
            if line.sequence == place.sequence {
                if here.digest == place.digest {
                    (found, offset) = (segment, reader.end)
                    return true
                }
                return rewritten(segment, last, before)
            }
            guard line.sequence < place.sequence else { return false }
            (last, before) = (here, reader.end)
        }
        return isLast && rewritten(segment, last, before)
    }

    /// Whether the record before the place is the one that was there: then only the last one was written anew.
    private mutating func rewritten(_ segment: Found, _ last: AuditPlace, _ end: Int64) -> Bool {
        guard last.sequence + 1 == place.sequence, last.digest == place.previous else { return false }
        (found, offset, items, place) = (segment, end, [.rewritten(place.sequence)], last)
        return true
    }

    private static func missing(from first: UInt64, to next: UInt64) -> [AuditQueue.Item] {
        first < next ? [.missing(first...next - 1)] : []
    }

    /// The segments that have a record, the oldest first.
    private static func segments(of log: AuditSegments) throws(AuditError) -> [Segment] {
        var all: [Segment] = []
        for part in log.parts {
            guard let descriptor = try log.open(part) else { continue }
            defer { Glibc.close(descriptor) }
            if let first = try AuditSegments.firstRecord(of: descriptor) { all.append(Segment(part: part, first: first)) }
        }
        if let current = log.current, let first = try AuditSegments.firstRecord(of: current) {
            all.append(Segment(part: nil, first: first))
        }
        return all
    }
}
