import Glibc

/// Sealing a segment, beginning the next one, and letting the oldest go.
extension AuditLog {
    /// Seals the current segment and begins the next one, letting the oldest go where there has to be room.
    func rotate() throws(AuditError) {
        guard let file else { throw .closed }
        guard let leaving = makingRoom() else { throw .logFull }
        var records = [AuditRecord(event: AuditLine.segmentEvent)]
        records[0].add("segment", .number(Int64(segment) + 1))
        if let record = try record(of: leaving) { records.append(record) }
        let part = AuditFolder.Part(number: segment, isSetAside: false, octets: file.end)
        do throws(AuditError) {
            // What was set aside for it and not used belongs to others.
            if file.reserved != .max { try file.cut(file.end) }
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

    /// Makes a new segment the current one: its first records are on the disk before the one before it changes its name. A kill in between leaves what
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
            let line = try AuditLine.compose(record, sequence: chain.sequence + 1, previous: chain.digest, at: Clock.wall(), up: Clock.monotonic())
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

    /// The segments that have to go so that another one has room; nil where they may not.
    func makingRoom() -> ArraySlice<AuditFolder.Part>? {
        // The new current segment, and the room kept for the one after it.
        let wanted = (file?.end ?? 0) + 2 * limits.segment
        var octets = sealedOctets
        var count = 0
        for part in parts where octets + wanted > limits.total {
            guard part.number <= exported || limits.whenFull == .dropOldest else { return nil }
            octets -= part.octets
            count += 1
        }
        return parts.prefix(count)
    }

    /// What is put on record of segments that go.
    private func record(of leaving: ArraySlice<AuditFolder.Part>) throws(AuditError) -> AuditRecord? {
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

    /// Makes the next segment's file and has the disk keep room for it, so that a disk somebody else fills stops nobody for a segment longer.
    func prepareSpare() {
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

    // MARK: what others ask for

    /// Looks up to where copies were made.
    func readMark() {
        let mark = AuditMark.read(folder)
        guard mark != lastMark else { return }
        lastMark = mark
        exported = AuditReport.exported(mark, folder, parts)
    }

    /// Seals what there is because somebody who exports it asked for that.
    func sealAsAsked() throws(AuditError) {
        if let file, file.end > preamble, makingRoom() != nil { try rotate() }
        try folder.remove(folder.request)
    }
}
