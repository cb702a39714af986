import Glibc

/// The records of a log behind a place in it, one after the other, over all its segments, beside the gate that writes it. Takes no lock and
/// writes nothing; what is torn at the end is waited for.
package final class AuditQueue {
    package enum Item: Hashable {
        /// A record, and its line without the newline.
        case record(AuditPlace, [UInt8])
        /// These records are not there: the gate let their segments go, or they are damaged.
        case missing(ClosedRange<UInt64>)
        /// So many octets that are no record.
        case damaged(Int)
        /// A line with a number that was read before: passed over.
        case outOfOrder(UInt64)
        /// The record that follows does not name the one before it.
        case broken(UInt64)
        /// From this number on the log was written anew, since what was read there never came to the disk, or was damaged.
        case rewritten(UInt64)
        /// The place is of another log: this one is read from its first record.
        case exchanged
    }

    /// Lines that are read before the first of them is handed out.
    private static let most = 256

    /// The last record that was read.
    package private(set) var place: AuditPlace

    private let path: String
    private let folder: AuditFolder
    /// The segment that is read; it stays open until the next one is found, so that no other file can get its inode. -1 for none.
    private var descriptor: Int32 = -1
    private var number: UInt32 = 0
    private var isSetAside = false
    private var offset: Int64 = 0
    /// It is not written any more, and all of it was read.
    private var isOver = false
    /// Something did not chain, and the place was looked up again: what does not chain now is in the log.
    private var isDoubtful = false
    /// How often the place went back since the log was last read further than ever: a log whose segments contradict each other must not be
    /// read for ever.
    private var regressions = 0
    private var highest: UInt64 = 0
    private static let mostRegressions = 8
    private var items: [Item] = []
    private var taken = 0

    /// - Parameters:
    ///   - path: the log's current segment, which need not be there yet.
    ///   - place: what was read before.
    package init(_ path: String, after place: AuditPlace) {
        self.path = path
        self.place = place
        folder = AuditFolder(of: path)
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Begins anew behind a place.
    package func rewind(to place: AuditPlace) {
        self.place = place
        items.removeAll(keepingCapacity: true)
        (taken, isDoubtful) = (0, false)
        forget()
    }

    /// What comes next; nil where there is nothing now.
    package func next() throws(AuditError) -> Item? {
        while true {
            if taken < items.count {
                taken += 1
                return items[taken - 1]
            }
            items.removeAll(keepingCapacity: true)
            taken = 0
            do throws(AuditError) {
                guard try fill() else { return items.isEmpty ? nil : try next() }
            } catch {
                // There is none yet, or its folder is being changed.
                guard error == .notFound else { throw error }
                return nil
            }
        }
    }

    // MARK: lines

    /// False where nothing more is to be had now.
    private func fill() throws(AuditError) -> Bool {
        guard descriptor >= 0 else { return try begin() }
        if !isOver {
            // The order matters: what was written before the name went to another file is read after that was seen.
            try folder.open()
            let isLeft = folder.identity(folder.current)?.inode != AuditSegments.inode(of: descriptor)
            guard try read(isLast: isLeft) else { return true }
            guard isLeft else { return false }
            isOver = true
            if !items.isEmpty { return true }
        }
        return try turn()
    }

    /// Takes lines of the segment. False where there are more than are taken at once, or the place has to be looked up again.
    private func read(isLast: Bool) throws(AuditError) -> Bool {
        // A line that could not be brought to the disk is cut off again.
        let size = max(0, Int64(lseek(descriptor, 0, SEEK_END)))
        offset = min(offset, size)
        guard offset < size else { return true }
        var reader = AuditReader(descriptor: descriptor, from: offset, passesDamage: true)
        while let next = try reader.next() {
            switch next {
            case .torn where !isLast: return true
            case .torn(let count), .tooLong(let count):
                // The chain goes on from the last good line, in the next segment.
                if isSetAside { return true }
                items.append(.damaged(count))
            case .whole(let range):
                let octets = [UInt8](reader.buffer[range])
                var taking = try take(octets)
                if taking == .doubtful {
                    let isFound = try regain()
                    isDoubtful = true
                    if isFound { return false }
                    taking = try take(octets)
                }
                if taking == .ends { return true }
            }
            offset = reader.end
            if items.count >= Self.most { return false }
        }
        return true
    }

    private enum Taking { case taken, ends, doubtful }

    private func take(_ octets: [UInt8]) throws(AuditError) -> Taking {
        // White space between members would be a terminal's to obey; the gate writes none.
        guard let line = AuditLine(octets[...]), octets.allSatisfy({ $0 >= 0x20 }) else {
            if isSetAside { return .ends }
            items.append(.damaged(octets.count))
            return .taken
        }
        if place.isFollowed(by: line) {
            isDoubtful = false
        } else {
            if isSetAside { return .ends }
            guard isDoubtful else { return .doubtful }
            // It follows, and is not the next one: its number is what is damaged, and would pass over all that come.
            guard line.previous != place.digest else {
                items.append(.damaged(octets.count))
                return .taken
            }
            guard line.sequence > place.sequence else {
                items.append(.outOfOrder(line.sequence))
                return .taken
            }
            if line.sequence > place.sequence + 1 {
                items.append(.missing(place.sequence + 1...line.sequence - 1))
            } else {
                items.append(.broken(line.sequence))
            }
        }
        place = try AuditPlace(line, octets[...])
        if place.sequence > highest { (highest, regressions) = (place.sequence, 0) }
        items.append(.record(place, octets))
        return .taken
    }

    // MARK: segments

    /// Goes on to the segment behind this one; false where there is none yet.
    private func turn() throws(AuditError) -> Bool {
        let segments = try AuditSegments(of: path)
        for part in segments.parts where part.number > number {
            guard let next = try segments.open(part) else { continue }
            set(next, part.number, isSetAside: part.isSetAside)
            return true
        }
        // Whatever its number: a log may begin anew.
        guard let current = segments.current, AuditSegments.inode(of: current) != AuditSegments.inode(of: descriptor) else { return false }
        set(try Self.copy(current), segments.number, isSetAside: false)
        return true
    }

    /// Looks up the place in the log. False where there is no record yet.
    private func begin() throws(AuditError) -> Bool {
        let search = try AuditSearch(AuditSegments(of: path), place)
        guard let found = search.found else { return false }
        adopt(search, found)
        return true
    }

    /// Looks up the place again, since what follows does not chain. False where it is to be taken as it is.
    private func regain() throws(AuditError) -> Bool {
        let search = try AuditSearch(AuditSegments(of: path), place)
        guard let found = search.found else { return false }
        if search.place.sequence < place.sequence {
            guard regressions < Self.mostRegressions else {
                Glibc.close(found.descriptor)
                return false
            }
            regressions += 1
        }
        adopt(search, found)
        return true
    }

    private func adopt(_ search: AuditSearch, _ found: AuditSearch.Found) {
        items += search.items
        place = search.place
        set(found.descriptor, found.number, isSetAside: found.isSetAside)
        offset = search.offset
    }

    private func set(_ descriptor: Int32, _ number: UInt32, isSetAside: Bool) {
        forget()
        (self.descriptor, self.number, self.isSetAside) = (descriptor, number, isSetAside)
    }

    private func forget() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        (descriptor, number, isSetAside, offset, isOver) = (-1, 0, false, 0, false)
    }

    static func copy(_ descriptor: Int32) throws(AuditError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw AuditError(errno: errno) }
        return copy
    }
}
