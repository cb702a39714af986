import Glibc

/// What checking a whole audit log found: every segment there is, in its order.
public struct AuditReport: Hashable, Sendable {
    /// Why a line is bad.
    public enum Fault: String, Hashable, Sendable {
        /// It has no newline: a write was cut short, and opening the log will repair it.
        case torn
        /// It is longer than a line can be.
        case tooLong
        /// It is not a record.
        case malformed
        /// Its number does not follow.
        case outOfSequence
        /// It does not name the digest of the line before it.
        case broken
        /// A segment that was set aside is not the one that was.
        case otherDamage
    }

    /// Good records.
    public private(set) var records: UInt64 = 0
    /// How many of them are repairs.
    public private(set) var repairs: UInt64 = 0
    /// Number of the last good record.
    public var sequence: UInt64 { chain.sequence }
    /// Digest of the last good line, 64 digits: kept elsewhere, it also proves that nothing was cut off the end.
    public var digest: String { chain.digest }
    /// The first bad line, counted from 1 in its segment; nil when all are good.
    public private(set) var badLine: UInt64?
    public private(set) var fault: Fault?
    /// Path of the segment with the bad line.
    public private(set) var badFile: String?

    /// Segments that were read, the current one included, and their octets.
    public private(set) var segments = 0
    public private(set) var octets: Int64 = 0
    /// Number of the first segment there is; 0 when there is none.
    public private(set) var first: UInt32 = 0
    /// Number of the last one.
    public private(set) var last: UInt32 = 0
    /// Segments that were set aside as damaged, by their numbers, and those of them that are not there any more.
    public private(set) var setAside: [UInt32] = []
    public private(set) var setAsideMissing: [UInt32] = []
    /// Segments that were gone when the gate started.
    public private(set) var lost: [UInt32] = []
    /// Up to this segment records say that the oldest went.
    public private(set) var droppedTo: UInt32 = 0
    /// Up to this segment somebody has a copy.
    public private(set) var exportedTo: UInt32 = 0
    /// Octets of segments nobody has a copy of, damaged ones included.
    public private(set) var waiting: Int64 = 0
    /// There is a segment that is still written.
    public private(set) var hasCurrent = false
    /// The first segments are not there, and no record says that they were dropped.
    public var isBeginningMissing: Bool { first > 1 && droppedTo < first - 1 }

    private var chain = AuditEnd()
    private var line: UInt64 = 0

    /// Reads the log whose current segment is at `path`, from the first segment to the last line, up to the first bad line. Takes no lock,
    /// so a running gate is not disturbed; a line it is just writing may look torn.
    public init(checking path: String) throws(AuditError) {
        let folder = AuditFolder(of: path)
        try folder.open()
        // First of all: a segment that is sealed meanwhile keeps its octets and changes its name.
        let current = try folder.existing(folder.current)
        defer { if let current { Glibc.close(current) } }
        let parts = try folder.parts()
        guard current != nil || !parts.isEmpty else { throw .notFound }
        var currentNumber = UInt32.max
        if let current {
            hasCurrent = true
            var lines = AuditLines(descriptor: current)
            if case .whole(let octets) = try lines.next() { currentNumber = AuditLine(octets[...])?.segment ?? Self.following(parts) }
        }
        exportedTo = Self.exported(AuditMark.read(folder), folder, parts)
        for part in parts where part.number < currentNumber {
            try check(part, in: folder)
            guard fault == nil else { return }
        }
        if let current {
            let size = max(0, Int64(lseek(current, 0, SEEK_END)))
            note(currentNumber == .max ? Self.following(parts) : currentNumber, size)
            try check(current, folder.current, in: folder)
        }
    }

    // MARK: segments

    private mutating func note(_ number: UInt32, _ size: Int64) {
        segments += 1
        octets = octets.addingClamped(size)
        if first == 0 { first = number }
        last = number
        if number > exportedTo { waiting = waiting.addingClamped(size) }
    }

    private mutating func check(_ part: AuditFolder.Part, in folder: AuditFolder) throws(AuditError) {
        let name = folder.name(of: part)
        guard let descriptor = try folder.existing(name) else { return }
        defer { Glibc.close(descriptor) }
        note(part.number, part.octets)
        guard part.isSetAside else { return try check(descriptor, name, in: folder) }
        // Its good lines are part of the chain; the record that follows says what the whole of it is.
        do throws(AuditError) { try check(descriptor, name, in: folder) } catch {}
        (fault, badLine, badFile) = (nil, nil, nil)
    }

    private mutating func check(_ descriptor: Int32, _ name: String, in folder: AuditFolder) throws(AuditError) {
        line = 0
        var lines = AuditLines(descriptor: descriptor)
        while fault == nil, let next = try lines.next() {
            switch next {
            case .whole(let octets): try check(octets[...], in: folder)
            case .tooLong: blame(.tooLong)
            case .torn: blame(.torn)
            }
        }
        if fault != nil { badFile = folder.path == "." ? name : folder.path + "/" + name }
    }

    // MARK: lines

    private mutating func check(_ octets: ArraySlice<UInt8>, in folder: AuditFolder) throws(AuditError) {
        guard let found = AuditLine(octets) else { return blame(.malformed) }
        if line == 0, found.segment != nil { try begin(found, in: folder) }
        guard fault == nil else { return }
        guard found.sequence == chain.sequence + 1 else { return blame(.outOfSequence) }
        guard found.previous == chain.digest else { return blame(.broken) }
        line += 1
        records += 1
        if found.event == "repaired" { repairs += 1 }
        if let dropped = found.droppedTo {
            droppedTo = max(droppedTo, dropped)
            if found.isExported { exportedTo = max(exportedTo, dropped) }
        }
        if let dropped = found.droppedDamaged { setAsideMissing.removeAll { $0 == dropped } }
        chain = AuditEnd(sequence: found.sequence, digest: try AuditLine.digest(octets))
    }

    /// The first record of a segment: it may follow one that is not there, or not whole.
    private mutating func begin(_ found: AuditLine, in folder: AuditFolder) throws(AuditError) {
        if let number = found.segment, line == 0, number != last { return blame(.outOfSequence) }
        if segments == 1 {
            // What came before is not there: it begins where it says.
            chain = AuditEnd(sequence: found.sequence - 1, digest: found.previous)
        }
        if let number = found.lost { lost.append(number) }
        guard let damaged = found.damaged else { return }
        setAside.append(damaged)
        guard let descriptor = try folder.existing(folder.name(of: damaged, isSetAside: true)) else {
            // Somebody took it to look at it: its good lines are missing, and the record stands for them.
            setAsideMissing.append(damaged)
            chain = AuditEnd(sequence: found.sequence - 1, digest: found.previous)
            return
        }
        defer { Glibc.close(descriptor) }
        guard let wanted = found.damagedDigest else {
            // It could not be read then either.
            chain = AuditEnd(sequence: found.sequence - 1, digest: found.previous)
            return
        }
        if (try? AuditLines.digest(of: descriptor)) != wanted { blame(.otherDamage) }
    }

    private mutating func blame(_ fault: Fault) {
        guard self.fault == nil else { return }
        self.fault = fault
        badLine = line + 1
    }

    // MARK: files

    private static func following(_ parts: [AuditFolder.Part]) -> UInt32 { (parts.last?.number ?? 0) + 1 }

    /// The last segment a mark names, where it is of this log.
    static func exported(_ mark: AuditMark?, _ folder: AuditFolder, _ parts: [AuditFolder.Part]) -> UInt32 {
        // A mark of another log, or of one that was lost, says nothing of this one.
        guard let mark, let part = parts.last(where: { $0.number == mark.segment && $0.isSetAside == mark.isDamaged }) else { return 0 }
        return digest(of: part, folder, parts) == mark.digest ? mark.segment : 0
    }

    /// What a mark says of a segment: the digest of its last line, or of the whole of a damaged one as the next one has it; `unreadable`
    /// where not even that could be had.
    static func digest(of part: AuditFolder.Part, _ folder: AuditFolder, _ parts: [AuditFolder.Part]) -> String? {
        guard part.isSetAside else {
            guard let descriptor = try? folder.file(folder.name(of: part), O_RDONLY) else { return nil }
            defer { Glibc.close(descriptor) }
            return (try? AuditTail(descriptor: descriptor, size: off_t(part.octets)))?.chain.digest
        }
        let next = parts.first { $0.number == part.number + 1 }.map { folder.name(of: $0) } ?? folder.current
        guard let descriptor = try? folder.file(next, O_RDONLY) else { return nil }
        defer { Glibc.close(descriptor) }
        var lines = AuditLines(descriptor: descriptor)
        guard let line = try? lines.next(), case .whole(let octets) = line, let first = AuditLine(octets[...]), first.damaged == part.number
        else { return nil }
        return first.damagedDigest ?? "unreadable"
    }
}

extension Int64 {
    /// A sparse file may be of any length.
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let sum = addingReportingOverflow(other)
        return sum.overflow ? .max : sum.partialValue
    }
}
