import Glibc

/// The lines of a segment for whoever looks at all of them, bad ones too: `AuditLines` ends at the first of those, this goes on behind it.
/// One buffer is used for all lines, so that a line costs no allocation.
struct AuditReader {
    enum Line: Hashable {
        /// Where in `buffer` it lies, without its newline; shorter than `AuditLine.capacity`.
        case whole(Range<Int>)
        /// So many octets, without the newline.
        case tooLong(Int)
        /// So many octets behind the last newline.
        case torn(Int)
    }

    /// Octets asked for at once: as fast as more of them.
    private static let length = 262_144

    /// Valid until `next` is asked for again.
    private(set) var buffer: [UInt8]
    /// In the file, behind the newline of the last line that was returned.
    private(set) var end: Int64
    private let descriptor: Int32
    /// In the file, behind what is in the buffer.
    private var offset: Int64
    /// In the buffer: where the next line begins, from where no newline was looked for, and the end of what was read.
    private var (start, unseen, filled) = (0, 0, 0)
    /// Octets of the next line that are not kept: it is too long.
    private var skipped = 0

    /// - Parameter offset: where a line begins.
    init(descriptor: Int32, from offset: Int64 = 0) {
        self.descriptor = descriptor
        self.offset = offset
        end = offset
        buffer = [UInt8](repeating: 0, count: Self.length)
    }

    /// The next line; nil behind the last one.
    mutating func next() throws(AuditError) -> Line? {
        while true {
            if let newline = newline() {
                let line = start..<newline, octets = skipped + line.count
                (start, unseen, skipped) = (newline + 1, newline + 1, 0)
                end += Int64(octets) + 1
                return octets < AuditLine.capacity ? .whole(line) : .tooLong(octets)
            }
            unseen = filled
            // A line without an end takes no room.
            if filled - start >= AuditLine.capacity {
                skipped += filled - start
                start = filled
            }
            guard try fill() else {
                let rest = skipped + filled - start
                (start, skipped) = (filled, 0)
                return rest > 0 ? .torn(rest) : nil
            }
        }
    }

    private func newline() -> Int? {
        guard unseen < filled else { return nil }
        return buffer.withUnsafeBytes { octets -> Int? in
            guard let base = octets.baseAddress, let found = memchr(base + unseen, 0x0A, filled - unseen) else { return nil }
            return base.distance(to: UnsafeRawPointer(found))
        }
    }

    /// Moves what is left to the beginning and reads on behind it. False at the end of the file.
    private mutating func fill() throws(AuditError) -> Bool {
        for index in start..<filled { buffer[index - start] = buffer[index] }
        (filled, unseen, start) = (filled - start, unseen - start, 0)
        let (file, from, at) = (descriptor, filled, off_t(offset))
        var got = 0
        repeat {
            got = buffer.withUnsafeMutableBytes { pread(file, $0.baseAddress.map { $0 + from }, $0.count - from, at) }
        } while got < 0 && errno == EINTR
        guard got >= 0 else { throw AuditError(errno: errno) }
        filled += got
        offset += Int64(got)
        return got > 0
    }
}
