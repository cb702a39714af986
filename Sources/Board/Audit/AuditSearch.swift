import Glibc

/// Where a place is in a log, or what is there in its stead.
struct AuditSearch {
    /// A segment and its first record.
    struct Segment {
        /// Whoever takes it closes it.
        let descriptor: Int32
        let number: UInt32
        let isSetAside: Bool
        let first: AuditLine
    }

    /// The segment to go on with; nil where the log has no record yet.
    private(set) var found: Segment?
    /// Octets of it that are read already.
    private(set) var offset: Int64 = 0
    /// What the next record has to follow.
    private(set) var place: AuditPlace
    /// What is to be said before it.
    private(set) var items: [AuditQueue.Item] = []

    init(_ log: AuditSegments, _ place: AuditPlace) throws(AuditError) {
        self.place = place
        let all = try Self.segments(of: log)
        defer { for one in all where one.descriptor != found?.descriptor { Glibc.close(one.descriptor) } }
        try look(all)
    }

    private mutating func look(_ all: [Segment]) throws(AuditError) {
        guard let oldest = all.first else { return }
        guard place.sequence > 0 else {
            items = Self.missing(from: 1, to: oldest.first.sequence)
            return begin(oldest)
        }
        guard let index = all.lastIndex(where: { $0.first.sequence <= place.sequence }) else {
            // What comes after the place is not there any more.
            if oldest.first.sequence == place.sequence + 1, oldest.first.previous != place.digest {
                items = [.exchanged]
            } else {
                items = Self.missing(from: place.sequence + 1, to: oldest.first.sequence)
            }
            return begin(oldest)
        }
        if try look(all[index], isLast: index == all.count - 1) { return }
        if all[index].first.damaged != nil || all[index].first.lost != nil {
            // What was read behind the damage is not in the log any more; it goes on here.
            items = [.rewritten(all[index].first.sequence)]
            return begin(all[index])
        }
        items = [.exchanged]
        begin(oldest)
    }

    private mutating func begin(_ segment: Segment) {
        (found, offset, place) = (segment, 0, AuditPlace(before: segment.first))
    }

    /// Looks for the place in the segment that has to have it. False where it is of another log.
    private mutating func look(_ segment: Segment, isLast: Bool) throws(AuditError) -> Bool {
        var reader = AuditReader(descriptor: segment.descriptor), before: Int64 = 0
        var last = AuditPlace(before: segment.first)
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
    private mutating func rewritten(_ segment: Segment, _ last: AuditPlace, _ end: Int64) -> Bool {
        guard last.sequence + 1 == place.sequence, last.digest == place.previous else { return false }
        (found, offset, items, place) = (segment, end, [.rewritten(place.sequence)], last)
        return true
    }

    private static func missing(from first: UInt64, to next: UInt64) -> [AuditQueue.Item] {
        first < next ? [.missing(first...next - 1)] : []
    }

    /// The segments that have a first record, the oldest first. Descriptors of their own.
    private static func segments(of log: AuditSegments) throws(AuditError) -> [Segment] {
        var all: [Segment] = []
        do throws(AuditError) {
            for part in log.parts {
                guard let descriptor = try log.open(part) else { continue }
                add(descriptor, part.number, part.isSetAside, to: &all)
            }
            if let current = log.current { add(try AuditQueue.copy(current), log.number, false, to: &all) }
        } catch {
            for one in all { Glibc.close(one.descriptor) }
            throw error
        }
        return all
    }

    private static func add(_ descriptor: Int32, _ number: UInt32, _ isSetAside: Bool, to all: inout [Segment]) {
        guard let first = AuditSegments.firstLine(of: descriptor) else {
            Glibc.close(descriptor)
            return
        }
        all.append(Segment(descriptor: descriptor, number: number, isSetAside: isSetAside, first: first))
    }
}
