import Cryptography
import Glibc

/// The lines of a segment, one after the other, from its beginning.
struct AuditLines {
    enum Line {
        /// A line without its newline, shorter than `AuditLine.capacity`.
        case whole([UInt8])
        case tooLong
        /// What stands behind the last newline.
        case torn
    }

    private let descriptor: Int32
    private var offset: off_t = 0
    private var chunk: [UInt8] = []
    private var position = 0
    private var isOver = false

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The next line; nil behind the last one, and behind one that is torn or too long.
    mutating func next() throws(AuditError) -> Line? {
        guard !isOver else { return nil }
        var line: [UInt8] = []
        while true {
            if position == chunk.count, try !fill() {
                isOver = true
                return line.isEmpty ? nil : .torn
            }
            let rest = chunk[position...]
            let newline = rest.firstIndex(of: UInt8(ascii: "\n"))
            line += rest[..<(newline ?? rest.endIndex)]
            position = newline.map { $0 + 1 } ?? rest.endIndex
            if line.count >= AuditLine.capacity {
                isOver = true
                return .tooLong
            }
            if newline != nil { return .whole(line) }
        }
    }

    private mutating func fill() throws(AuditError) -> Bool {
        chunk = try Self.read(descriptor, from: offset, count: 65_536)
        position = 0
        offset += off_t(chunk.count)
        return !chunk.isEmpty
    }

    /// Up to `count` octets; fewer where the file ends.
    static func read(_ descriptor: Int32, from start: off_t, count: Int) throws(AuditError) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = octets.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + filled }, count - filled, start + off_t(filled))
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw AuditError(errno: errno) }
            guard got > 0 else { break }
            filled += got
        }
        return filled == count ? octets : Array(octets[..<filled])
    }

    /// SHA-256 of a whole file, as 64 digits.
    static func digest(of descriptor: Int32) throws(AuditError) -> String {
        try digest { (offset) throws(AuditError) in try read(descriptor, from: offset, count: 65_536) }
    }

    /// - Parameter next: the octets from an offset on; none at the end.
    static func digest(_ next: (off_t) throws(AuditError) -> [UInt8]) throws(AuditError) -> String {
        guard var digest = try? Digest(.sha256) else { throw .noDigest }
        var offset: off_t = 0
        while true {
            let octets = try next(offset)
            offset += off_t(octets.count)
            do throws(CryptographyError) {
                if octets.isEmpty { return AuditLine.hexadecimal(try digest.finish()) }
                try digest.update(octets.span)
            } catch {
                throw .noDigest
            }
        }
    }
}

/// Where the chain is: number and digest of a line.
struct AuditEnd: Hashable {
    var sequence: UInt64 = 0
    var digest = AuditLine.firstPrevious

    /// The end after the good lines at the beginning of a segment; `start` when there is none. What cannot be read is not good.
    static func ofGoodLines(_ descriptor: Int32, number: UInt32, after start: AuditEnd) -> AuditEnd {
        var end = start
        var lines = AuditLines(descriptor: descriptor)
        var isFirst = true
        do throws(AuditError) {
            while case .whole(let octets) = try lines.next(), let line = AuditLine(octets[...]) {
                // A segment that says where it begins is believed so, but no other in its place.
                if isFirst, line.segment == number { end = AuditEnd(sequence: line.sequence - 1, digest: line.previous) }
                isFirst = false
                guard line.sequence == end.sequence + 1, line.previous == end.digest else { break }
                end = AuditEnd(sequence: line.sequence, digest: try AuditLine.digest(octets[...]))
            }
        } catch {}
        return end
    }
}
