import Glibc

/// The end of a segment: its last good line, and where the file would end if what follows were cut off.
///
/// Only the last lines are read, so opening a log of years takes no longer than opening one of a day. `AuditReport` checks it all.
struct AuditTail {
    /// The last good line; what came before the segment when there is none.
    private(set) var chain: AuditEnd
    /// Octets up to and including its newline.
    private(set) var end: off_t = 0

    /// Eight lines: a torn one, a bad one, and two to check, each as long as a line can be, with room to spare.
    private static var window: off_t { off_t(8 * AuditLine.capacity) }

    /// - Parameter base: what the first line of the segment chains to, unless it says that itself.
    /// - Throws: `chainBroken` when more than the last line (and a torn one behind it) is wrong.
    init(descriptor: Int32, size: off_t, base: AuditEnd = AuditEnd()) throws(AuditError) {
        chain = base
        let start = max(0, size - Self.window)
        let octets = try Self.read(descriptor, from: start, count: Int(size - start))
        var lines = Self.completeLines(of: octets)
        // The first line of the window may have lost its beginning.
        if start > 0 && !lines.isEmpty { lines.removeFirst() }
        // A log longer than the window with no line in it, or only one, was not written by this program.
        if start > 0 && lines.count < 3 { throw .chainBroken }
        if lines.isEmpty { return }
        let isWhole = start == 0
        if try !accept(octets, lines, isWhole: isWhole, start: start) {
            // A write that was torn in the middle: its blocks reached the disk in another order. No more than one can have been, and
            // what is missing reads as zeros. A line that is whole and does not chain is no torn one: somebody changed the log, and
            // cutting it off would hide that.
            if let last = lines.last, AuditLine(octets[last]) != nil { throw .chainBroken }
            lines.removeLast()
            if lines.isEmpty { return }
            guard try accept(octets, lines, isWhole: isWhole, start: start) else { throw .chainBroken }
        }
    }

    /// Takes the last of `lines` as the end of the log, if it is a line and chains to the one before it.
    private mutating func accept(_ octets: [UInt8], _ lines: [Range<Int>], isWhole: Bool, start: off_t) throws(AuditError) -> Bool {
        guard let last = lines.last, let line = AuditLine(octets[last]) else { return false }
        if lines.count > 1 {
            let before = lines[lines.count - 2]
            guard let earlier = AuditLine(octets[before]), earlier.sequence + 1 == line.sequence,
                try AuditLine.digest(octets[before]) == line.previous
            else { return false }
        } else {
            guard isWhole, line.segment != nil || (line.sequence == chain.sequence + 1 && line.previous == chain.digest) else {
                return false
            }
        }
        chain = AuditEnd(sequence: line.sequence, digest: try AuditLine.digest(octets[last]))
        end = start + off_t(last.upperBound) + 1
        return true
    }

    /// The lines that end with a newline, without it.
    private static func completeLines(of octets: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for (index, octet) in octets.enumerated() where octet == UInt8(ascii: "\n") {
            lines.append(start..<index)
            start = index + 1
        }
        return lines
    }

    private static func read(_ descriptor: Int32, from start: off_t, count: Int) throws(AuditError) -> [UInt8] {
        let octets = try AuditLines.read(descriptor, from: start, count: count)
        // Nobody else may write the file, so it does not shrink; if it does, what is missing reads as zeros and fails the check.
        return octets + [UInt8](repeating: 0, count: count - octets.count)
    }
}
