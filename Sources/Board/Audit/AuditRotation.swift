import Glibc
import Linux

/// Sealing a segment, beginning the next one, and letting the oldest go.
extension AuditLog {
    /// Seals the current segment and begins the next one, letting the oldest go where there has to be room.
    func rotate() throws(AuditError) {
        do throws(AuditError) {
            try seal()
        } catch {
            guard error == .diskFull, file != nil, try letGo() else { throw error }
            try seal()
        }
    }

    private func seal() throws(AuditError) {
        guard let file else { throw .closed }
        guard let leaving = makingRoom() else { throw .logFull }
        var records = [AuditRecord(event: AuditLine.segmentEvent)]
        records[0].add("segment", .number(Int64(segment) + 1))
        if let record = try record(of: leaving) { records.append(record) }
        let part = AuditFolder.Part(number: segment, isSetAside: false, octets: file.end)
        do throws(AuditError) {
            // What was set aside for it and not used belongs to others. A file that cannot be changed any more is sealed as it is.
            if file.reserved != .max, file.failures == 0 { try file.cut(file.end) }
            try turn(to: segment + 1, after: chain, records: records, currentBecomes: folder.name(of: part))
        } catch {
            guard error == .notPermitted, self.file != nil else { throw error }
            if !cannotSeal { tell(.cannotSeal) }
            cannotSeal = true
            return
        }
        parts.append(part)
        for part in leaving { try remove(part) }
        if !leaving.isEmpty { try folder.sync() }
    }

    /// Makes a new segment the current one: its first records are on the disk before the one before it changes its name. A kill in between
    /// leaves what
    /// `open` finishes.
    func turn(to number: UInt32, after end: AuditEnd, records: [AuditRecord], currentBecomes name: String?) throws(AuditError) {
        let next = try AuditFile(folder.next, in: folder, creates: true)
        if next.end > 0 {
            try next.cut(0)
            next.end = 0
        }
        // What cannot be had now is tried again when the next record is written.
        do throws(AuditError) { try next.reserve(limits.segment) } catch {}
        var chain = end
        var lines: [UInt8] = []
        for record in records {
            let line = try AuditLine.compose(
                record, sequence: chain.sequence + 1, previous: chain.digest, at: Clock.wall(), up: Clock.monotonic())
            chain = AuditEnd(sequence: chain.sequence + 1, digest: try AuditLine.digest(line.dropLast()))
            lines += line
        }
        try next.write(lines)
        // Its name too, before anything depends on it.
        try folder.sync()
        if let name {
            guard !folder.exists(name) else { throw .system(errno: EEXIST) }
            do throws(AuditError) {
                try folder.rename(folder.current, to: name)
            } catch {
                // Without the permission nothing has changed; otherwise the disk has to be asked.
                if error != .notPermitted { file = nil }
                throw error
            }
        }
        file = nil
        try folder.rename(folder.next, to: folder.current)
        (file, segment, preamble, hasSpare) = (next, number, next.end, false)
        self.chain = chain
    }

    // MARK: the bound

    /// What is put on record of segments that go.
    func record(of leaving: ArraySlice<AuditFolder.Part>) throws(AuditError) -> AuditRecord? {
        guard let first = leaving.first, let last = leaving.last else { return nil }
        var record = AuditRecord(event: AuditLine.droppedEvent)
        record.add("from", .number(Int64(first.number)))
        record.add("to", .number(Int64(last.number)))
        record.add("octets", .number(leaving.reduce(0) { $0 + $1.octets }))
        if let kept = try firstLine(of: parts.count > leaving.count ? folder.name(of: parts[leaving.count]) : folder.current) {
            if let oldest = try firstLine(of: folder.name(of: first)), oldest.sequence <= kept.sequence {
                record.add("records", .number(Int64(clamping: kept.sequence - oldest.sequence)))
            }
            record.add("keptFrom", .number(Int64(clamping: kept.sequence)))
            record.add("digest", .code(kept.previous))
        }
        let isExported = last.number <= exported
        record.add("exported", .flag(isExported))
        tell(.dropped(first.number, last.number, isExported: isExported))
        return record
    }

    private func firstLine(of name: String) throws(AuditError) -> AuditLine? {
        let descriptor: Int32
        do throws(AuditError) {
            descriptor = try folder.file(name, O_RDONLY)
        } catch {
            // Gone: there is nothing to say of it.
            if error == .notFound { return nil }
            throw error
        }
        defer { Glibc.close(descriptor) }
        return try firstLine(of: descriptor)
    }

    func remove(_ part: AuditFolder.Part) throws(AuditError) {
        try folder.remove(folder.name(of: part))
        parts.removeAll { $0 == part }
    }

    /// Removes what is on record as dropped and still there: the gate was killed between the two.
    func removeDropped() throws(AuditError) {
        guard let file, !parts.isEmpty else { return }
        var lines = AuditLines(descriptor: file.descriptor)
        for _ in 0..<(2 + AuditLimits.mostSetAside) {
            guard case .whole(let octets) = try lines.next(), let line = AuditLine(octets[...]) else { return }
            if let last = line.droppedTo { for part in parts where part.number <= last { try remove(part) } }
            if let damaged = line.droppedDamaged { for part in parts where part.isSetAside && part.number == damaged { try remove(part) } }
        }
    }
}
