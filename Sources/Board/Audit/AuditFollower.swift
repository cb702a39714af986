import Glibc

/// The last lines of a log, and those that come: over all its segments, beside the gate that writes it. Takes no lock.
public final class AuditFollower {
    public enum Line: Hashable, Sendable {
        /// A record as it stands in the log, without its newline: JSON without white space that a terminal obeys.
        case record([UInt8])
        /// So many octets that are no record.
        case damaged(Int)
    }

    /// Records that can be asked for. `cat` prints more.
    public static let most = 1000

    /// What was there.
    public private(set) var last: [Line] = []

    private let path: String
    private let folder: AuditFolder
    /// The segment that is read; it stays open until the next one is found, so that no other file can get its inode. -1 for none.
    private var descriptor: Int32 = -1
    private var number: UInt32 = 0
    /// Behind its last whole line. What has no newline is read again: the gate is writing it, or another line takes its place.
    private var offset: Int64 = 0
    /// It is not written any more, and all of it was read.
    private var isOver = false

    /// - Parameters:
    ///   - path: the log's current segment.
    ///   - count: how many of its last lines are wanted, at most `most`.
    public init(_ path: String, last count: Int) throws(AuditError) {
        let segments = try AuditSegments(of: path), wanted = min(max(0, count), Self.most)
        self.path = path
        (folder, number) = (segments.folder, segments.number)
        if let current = segments.current {
            descriptor = try Self.copy(current)
            let tail = try Self.tail(of: current, wanted, isWritten: true)
            (last, offset) = (tail.lines, tail.end)
        } else {
            isOver = true
        }
        for part in segments.parts.reversed() where last.count < wanted {
            guard let older = try segments.open(part) else { continue }
            defer { Glibc.close(older) }
            last = try Self.tail(of: older, wanted - last.count, isWritten: false).lines + last
        }
    }

    /// Nothing was read yet: `take` begins with the segment that has the last record of an event, or with the oldest one that was looked
    /// through.
    ///
    /// - Parameters:
    ///   - path: the log's current segment.
    ///   - most: octets that are looked through, back from the log's end, but for the rest of a segment.
    package init(_ path: String, sinceLast event: String, most: Int64) throws(AuditError) {
        let segments = try AuditSegments(of: path), sign = Array("\"event\":\"\(event)\"".utf8)
        self.path = path
        (folder, number) = (segments.folder, segments.number)
        var seen: Int64 = 0, isFound = false
        if let current = segments.current {
            descriptor = try Self.copy(current)
            (isFound, seen) = try Self.has(sign, descriptor)
        }
        for part in segments.parts.reversed() where !isFound && seen < most {
            guard let older = try segments.open(part) else { continue }
            begin(older, part.number)
            let (found, octets) = try Self.has(sign, older)
            (isFound, seen) = (found, seen + octets)
        }
        // What was there went meanwhile: a log without a segment.
        if descriptor < 0 { throw .notFound }
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Hands over what has come since, in its order.
    ///
    /// - Parameter body: false ends it; the line it was handed counts as read.
    /// - Returns: false where `body` ended it.
    public func take(_ body: (Line) -> Bool) throws(AuditError) -> Bool {
        while true {
            if !isOver {
                // The order matters: what was written before the name went to another file is read after that was seen.
                let isLeft = folder.identity(folder.current)?.inode != AuditSegments.inode(of: descriptor)
                guard try read(isLast: isLeft, body) else { return false }
                guard isLeft else { return true }
                isOver = true
            }
            guard try turn() else { return true }
        }
    }

    // MARK: one segment

    /// - Parameter isLast: nobody writes it any more, so what has no newline never gets one.
    private func read(isLast: Bool, _ body: (Line) -> Bool) throws(AuditError) -> Bool {
        // A line that could not be brought to the disk is cut off again.
        let size = max(0, Int64(lseek(descriptor, 0, SEEK_END)))
        offset = min(offset, size)
        guard offset < size else { return true }
        var reader = AuditReader(descriptor: descriptor, from: offset, passesDamage: true)
        while let next = try reader.next() {
            if case .torn = next, !isLast { return true }
            offset = reader.end
            guard body(Self.line(next, reader.buffer)) else { return false }
        }
        return true
    }

    /// The last lines of a segment, and where the next one begins.
    private static func tail(
        of descriptor: Int32, _ count: Int, isWritten: Bool
    ) throws(AuditError) -> (lines: [Line], end: Int64) {
        let size = max(0, Int64(lseek(descriptor, 0, SEEK_END))), begin = max(0, size - Int64((count + 1) * AuditLine.capacity))
        var reader = AuditReader(descriptor: descriptor, from: begin, passesDamage: true)
        var lines: [Line] = []
        // The first line there may have lost its beginning.
        var isFirst = begin > 0
        while let next = try reader.next() {
            if case .torn = next, isWritten { break }
            if !isFirst { lines.append(line(next, reader.buffer)) }
            isFirst = false
        }
        return (Array(lines.suffix(count)), reader.end)
    }

    /// Whether a line of a segment has these octets, and how many octets it has.
    private static func has(_ sign: [UInt8], _ descriptor: Int32) throws(AuditError) -> (Bool, Int64) {
        var reader = AuditReader(descriptor: descriptor, passesDamage: true), isFound = false
        while let next = try reader.next() {
            guard !isFound, case .whole(let range) = next else { continue }
            isFound = reader.buffer.withUnsafeBytes { octets in
                var rest = UnsafeRawBufferPointer(rebasing: octets[range])
                while rest.count >= sign.count, let base = rest.baseAddress, let found = memchr(base, Int32(sign[0]), rest.count) {
                    rest = UnsafeRawBufferPointer(rebasing: rest[base.distance(to: UnsafeRawPointer(found))...])
                    if rest.starts(with: sign) { return true }
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
                }
                return false
            }
        }
        return (isFound, reader.end)
    }

    private static func line(_ line: AuditReader.Line, _ buffer: [UInt8]) -> Line {
        switch line {
        case .torn(let count), .tooLong(let count): return .damaged(count)
        case .whole(let range):
            let octets = [UInt8](buffer[range])
            // White space between members would be a terminal's to obey; the gate writes none.
            guard AuditLine(octets[...]) != nil, octets.allSatisfy({ $0 >= 0x20 }) else { return .damaged(octets.count) }
            return .record(octets)
        }
    }

    // MARK: the next segment

    /// Goes on to the segment behind this one; false where there is none yet.
    private func turn() throws(AuditError) -> Bool {
        let segments: AuditSegments
        do throws(AuditError) {
            segments = try AuditSegments(of: path)
        } catch {
            if error == .notFound { return false }
            throw error
        }
        for part in segments.parts where part.number > number {
            guard let next = try segments.open(part) else { continue }
            begin(next, part.number)
            return true
        }
        // Whatever its number: a log may begin anew.
        guard let current = segments.current, descriptor < 0 || AuditSegments.inode(of: current) != AuditSegments.inode(of: descriptor)
        else { return false }
        begin(try Self.copy(current), segments.number)
        return true
    }

    private func begin(_ next: Int32, _ number: UInt32) {
        if descriptor >= 0 { Glibc.close(descriptor) }
        (descriptor, self.number, offset, isOver) = (next, number, 0, false)
    }

    private static func copy(_ descriptor: Int32) throws(AuditError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw AuditError(errno: errno) }
        return copy
    }
}
