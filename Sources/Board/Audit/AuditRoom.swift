import Glibc

/// How much room the log has: by its limits, and on the disk.
extension AuditLog {
    /// Octets that are left free at the end of each segment: what goes because the disk is full is put on record there.
    static let lastWords: Int64 = 512

    /// Percent of the room that records take which nobody has a copy of.
    public var fill: Int {
        let waiting = parts.reduce(0) { $0 + ($1.number > exported ? $1.octets : 0) } + (file?.end ?? 0)
        return Int(clamping: waiting * 100 / max(1, bound - 2 * limits.segment))
    }

    func tellFill() {
        let fill = fill
        let step = [100, 90, 75].first { fill >= $0 } ?? 0
        if step > toldFill { tell(.filling(fill)) }
        toldFill = step
    }

    var sealedOctets: Int64 { parts.reduce(0) { $0 + $1.octets } }

    // MARK: the disk

    /// Asks the disk how much of it the log can have: a disk may be smaller than the bound, or others may fill it.
    ///
    /// - Parameter isStart: also how long segments are, which then stays: a disk has room for sixteen.
    func measure(isStart: Bool = false) {
        guard let space = folder.space() else { return }
        if isStart {
            limits = limits.fitting(disk: space.size)
            onTrial = onTrial?.fitting(disk: space.size)
        }
        let own =
            sealedOctets + max(file?.end ?? 0, file.map { $0.reserved == .max ? 0 : $0.reserved } ?? 0) + (hasSpare ? limits.segment : 0)
        bound = limits.bound(own: own, free: space.available)
    }

    /// Whether there is room for the longest record, on the disk and below the bound.
    func judge() throws(AuditError) -> AuditState {
        guard let file else { return state }
        let wanted = AuditLimits.wanted(behind: file.end)
        if cannotSeal {
            if sealedOctets + wanted > limits.total { return .full(.logFull) }
            return file.reserved >= wanted || reserve([wanted + 65_536, wanted], for: file) ? .writable : .full(.diskFull)
        }
        if limits.isUsedUp(parts, current: file.end, bound: bound, exported: exported) { return .full(.logFull) }
        if wanted > limits.segment {
            // The longest record goes into the next segment.
            try findRoom()
            return spareRefusal == .diskFull ? .full(.diskFull) : .writable
        }
        if file.reserved >= wanted || reserve([limits.segment, wanted], for: file) || hasSpare { return .writable }
        try findRoom()
        return hasSpare || reserve([limits.segment, wanted], for: file) ? .writable : .full(.diskFull)
    }

    /// Has the disk keep room for the rest of the segment, or at least for a record.
    private func reserve(_ lengths: [Int64], for file: AuditFile) -> Bool {
        for length in lengths {
            do throws(AuditError) {
                try file.reserve(length)
                return true
            } catch {}
        }
        return false
    }

    /// Has the disk keep room for the next segment; where it has none, the oldest that may go, go.
    func findRoom() throws(AuditError) {
        prepareSpare()
        while spareRefusal == .diskFull, try letGo() { prepareSpare() }
    }

    /// Makes the next segment's file and has the disk keep room for it, so that a disk somebody else fills stops nobody for a segment
    /// longer.
    private func prepareSpare() {
        spareRefusal = nil
        guard !hasSpare, !cannotSeal, let file, sealedOctets + file.end + limits.segment <= limits.total else { return }
        do throws(AuditError) {
            let next = try AuditFile(folder.next, in: folder, creates: true)
            if next.end > 0 { try next.cut(0) }
            try next.reserve(limits.segment)
            hasSpare = next.reserved != .max
        } catch {
            // Tried again at the next attendance.
            spareRefusal = error
        }
    }

    // MARK: what goes

    func mayGo(_ part: AuditFolder.Part) -> Bool { limits.mayGo(part, exported: exported) }

    /// The segments that have to go so that another one has room; nil where they may not.
    func makingRoom() -> ArraySlice<AuditFolder.Part>? {
        limits.makingRoom(parts, current: file?.end ?? 0, bound: bound, exported: exported).map { parts.prefix($0) }
    }

    /// The disk is full: lets the oldest that may go, go, until a segment has room. Their record goes into the current segment first, where
    /// octets are left for it. False where none may.
    func letGo() throws(AuditError) -> Bool {
        guard let file, !file.isDoubtful else { return false }
        var freed: Int64 = 0
        var count = 0
        for part in parts where freed < limits.segment {
            guard mayGo(part) else { break }
            freed += part.octets
            count += 1
        }
        let leaving = parts.prefix(count)
        guard let record = try record(of: leaving) else { return false }
        try add(try compose(record), to: file)
        for part in leaving { try remove(part) }
        try folder.sync()
        return true
    }

    // MARK: what others ask for

    /// Looks up to where copies were made.
    ///
    /// - Parameter isAnew: the segments have changed since.
    func readMark(isAnew: Bool = false) {
        let mark = AuditMark.read(folder)
        guard isAnew || mark != lastMark else { return }
        lastMark = mark
        exported = AuditReport.exported(mark, folder, parts)
        // Written once, so that whoever exports a log that has filled the disk can write it again.
        if mark == nil { AuditMark.keepRoom(folder) }
    }

    /// Seals what there is because somebody who exports it asked for that. A request that cannot be met yet is left in its place.
    func sealAsAsked() throws(AuditError) {
        guard let request = folder.identity(folder.request), request != stuckRequest, !cannotSeal else { return }
        // Whoever asks has copied what was sealed, perhaps since the last look.
        readMark()
        if let file, file.end > preamble {
            guard makingRoom() != nil else { return }
            do throws(AuditError) {
                try rotate()
            } catch {
                guard error == .diskFull else { throw error }
                return
            }
            guard !cannotSeal else { return }
        }
        do throws(AuditError) {
            try folder.remove(folder.request)
        } catch {
            // It is no reason to stop, nor one to seal again.
            stuckRequest = request
            tell(.stuckRequest(error))
        }
    }
}
