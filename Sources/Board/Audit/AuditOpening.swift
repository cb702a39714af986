import Glibc
import Linux

/// Finding the end of a log: after a clean end, a kill, a power cut, a damage or a loss.
extension AuditLog {
    /// Opens the current segment, whatever became of it; what has to be said of it is the first record of the next one.
    func open() throws(AuditError) {
        try folder.open()
        try folder.takeLock()
        parts = try folder.parts()
        hasSpare = false
        measure(isStart: true)
        readMark(isAnew: true)
        let base = endOfParts()
        guard let file = try currentFile() else { return try openWithoutCurrent(after: base) }
        if file.end == 0 {
            // Also one whose creator was killed before its first record.
            guard !parts.isEmpty else { return try take(new: file) }
            return try beginAnew(after: base)
        }
        let first = try firstLine(of: file.descriptor)
        let number = first?.segment ?? 1
        guard number > parts.last?.number ?? 0 else { return try setAside(file, number: (parts.last?.number ?? 0) + 1, after: base) }
        do throws(AuditError) {
            try readEnd(of: file, base: parts.isEmpty ? AuditEnd() : base)
        } catch {
            guard error.isDamage else { throw error }
            return try setAside(file, number: number, after: base)
        }
        self.file = file
        segment = number
        preamble = 0
        try removeDropped()
        readMark(isAnew: true)
    }

    /// Finds the last good line, and repairs what stands behind it.
    ///
    /// - Parameter promised: number of the last record that is known to be on the disk. Throws `chainBroken` when it is not.
    func readEnd(of file: AuditFile, base: AuditEnd, promised: UInt64 = 0) throws(AuditError) {
        let size = lseek(file.descriptor, 0, SEEK_END)
        guard size >= 0 else { throw AuditError(errno: errno) }
        // From the disk, not from memory, where a failed sync leaves what never got there.
        posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
        let tail = try AuditTail(descriptor: file.descriptor, size: size, base: base)
        guard tail.chain.sequence >= promised else { throw .chainBroken }
        chain = tail.chain
        settleDoubt(chain)
        file.end = Int64(tail.end)
        file.isDoubtful = false
        guard tail.end < size else { return }
        var record = AuditRecord(event: "repaired")
        record.add("removed", .number(Int64(size - tail.end)))
        let line = try AuditLine.compose(
            record, sequence: chain.sequence + 1, previous: chain.digest, at: Clock.wall(), up: Clock.monotonic())
        do throws(AuditError) {
            try add(line, to: file, isRepair: true)
        } catch {
            file.isDoubtful = true
            throw error
        }
        removedOctets += Int(size - tail.end)
        tell(.repaired(octets: Int(size - tail.end)))
    }

    // MARK: what is there

    private func currentFile() throws(AuditError) -> AuditFile? {
        do throws(AuditError) {
            return try AuditFile(folder.current, in: folder, creates: false)
        } catch {
            if error == .notFound { return nil }
            throw error
        }
    }

    /// The last line of the last sealed segment, or the last good one before a damage.
    func endOfParts() -> AuditEnd {
        guard let part = parts.last, let descriptor = try? folder.file(folder.name(of: part), O_RDONLY) else { return AuditEnd() }
        defer { Glibc.close(descriptor) }
        if !part.isSetAside, let tail = try? AuditTail(descriptor: descriptor, size: off_t(part.octets)), tail.end > 0 { return tail.chain }
        return AuditEnd.ofGoodLines(descriptor, number: part.number, after: AuditEnd())
    }

    func firstLine(of descriptor: Int32) throws(AuditError) -> AuditLine? {
        var lines = AuditLines(descriptor: descriptor)
        do throws(AuditError) {
            guard case .whole(let octets) = try lines.next() else { return nil }
            return AuditLine(octets[...])
        } catch {
            if error.isDamage { return nil }
            throw error
        }
    }

    /// A first segment.
    private func take(new file: AuditFile) throws(AuditError) {
        try file.sync()
        try folder.sync()
        (self.file, segment, chain, preamble) = (file, 1, AuditEnd(), 0)
    }

    /// There is no current segment: a new log, a seal that was cut short, or a loss.
    private func openWithoutCurrent(after base: AuditEnd) throws(AuditError) {
        guard let last = parts.last else { return try take(new: try AuditFile(folder.current, in: folder, creates: true)) }
        if folder.exists(folder.next) {
            let next = try AuditFile(folder.next, in: folder, creates: false)
            // A seal writes the first records of the next segment before it changes any name.
            if let first = try firstLine(of: next.descriptor), first.segment == last.number + 1,
                last.isSetAside == (first.damaged == last.number),
                last.isSetAside || (first.previous == base.digest && first.sequence == base.sequence + 1)
            {
                try readEnd(of: next, base: base)
                try folder.rename(folder.next, to: folder.current)
                (file, segment, preamble) = (next, last.number + 1, next.end)
                try removeDropped()
                return readMark(isAnew: true)
            }
        }
        try beginAnew(after: base)
    }

    // MARK: what is damaged or gone

    /// The current segment is lost: the next one says so.
    private func beginAnew(after base: AuditEnd) throws(AuditError) {
        let lost = (parts.last?.number ?? 0) + 1
        var record = AuditRecord(event: AuditLine.segmentEvent)
        record.add("segment", .number(Int64(lost) + 1))
        record.add("lost", .number(Int64(lost)))
        try turn(to: lost + 1, after: base, records: [record], currentBecomes: nil)
        tell(.lost(lost))
    }

    /// Gives a segment that cannot be continued another name. The next one says how long it was and what its digest is, and goes on after
    /// the last good line of it.
    ///
    /// - Parameter promised: the last record that was written, where that is known: of what cannot be read, this is the end.
    func setAside(_ file: AuditFile, number: UInt32, after base: AuditEnd, promised: AuditEnd? = nil) throws(AuditError) {
        // With what an attempt to repair it has left there.
        let size = max(0, Int64(lseek(file.descriptor, 0, SEEK_END)))
        var end = AuditEnd.ofGoodLines(file.descriptor, number: number, after: base)
        var record = AuditRecord(event: AuditLine.segmentEvent)
        record.add("segment", .number(Int64(number) + 1))
        record.add("damaged", .number(Int64(number)))
        record.add("octets", .number(size))
        do throws(AuditError) {
            record.add("sha256", .code(try AuditLines.digest(of: file.descriptor)))
        } catch {
            guard error.isDamage else { throw error }
            record.add("unreadable", .flag(true))
            if let promised { end = promised }
        }
        settleDoubt(end)
        var records = [record]
        let kept = parts.filter(\.isSetAside)
        let tooMany = kept.prefix(max(0, kept.count + 1 - AuditLimits.mostSetAside)).prefix(AuditLimits.mostSetAside).prefix(while: mayGo)
        for part in tooMany {
            var record = AuditRecord(event: AuditLine.droppedEvent)
            record.add("damaged", .number(Int64(part.number)))
            record.add("octets", .number(part.octets))
            record.add("exported", .flag(part.number <= exported))
            records.append(record)
        }
        // Only the room behind its end is given back, where that can be.
        do throws(AuditError) { try file.cut(size) } catch {}
        let name = folder.name(of: number, isSetAside: true)
        try turn(to: number + 1, after: end, records: records, currentBecomes: name)
        parts.append(.init(number: number, isSetAside: true, octets: size))
        tell(.setAside(name))
        for part in tooMany {
            tell(.dropped(part.number, part.number, isExported: part.number <= exported))
            try remove(part)
        }
        readMark(isAnew: true)
    }
}

extension AuditError {
    /// What is read is not what was written, or cannot be read at all.
    var isDamage: Bool {
        switch self {
        // What ext4 and others say of a checksum that does not hold, besides EIO.
        case .chainBroken, .system(errno: EIO), .system(errno: EUCLEAN), .system(errno: EBADMSG): true
        default: false
        }
    }
}
