import Glibc

/// The lines of a segment for whoever looks at all of them, bad ones too: `AuditLines` ends at the first of those, this goes on behind it.
/// One buffer is used for all lines, so that a line costs no allocation.
///
/// A block of the disk that cannot be read throws, or counts as octets that are no record, where somebody has to come by it.
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
    /// Octets that are left out where one of them cannot be read: what the kernel reads at least.
    private static let block: Int64 = 4096
    /// Such blocks that are tried: a disk that is worn takes its time to refuse each. Behind them nothing is read.
    private static let mostBlocks = 16

    /// Valid until `next` is asked for again.
    private(set) var buffer: [UInt8]
    /// In the file, behind the newline of the last line that was returned.
    private(set) var end: Int64
    private let descriptor: Int32
    private let passesDamage: Bool
    private var unreadableBlocks = 0
    /// In the file, behind what is in the buffer.
    private var offset: Int64
    /// In the buffer: where the next line begins, from where no newline was looked for, and the end of what was read.
    private var (start, unseen, filled) = (0, 0, 0)
    /// Octets of the next line that are not kept: it is too long.
    private var skipped = 0

    /// - Parameters:
    ///   - offset: where a line begins.
    ///   - passesDamage: what cannot be read is taken for octets of zero.
    init(descriptor: Int32, from offset: Int64 = 0, passesDamage: Bool = false) {
        self.descriptor = descriptor
        self.passesDamage = passesDamage
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
        if got < 0 {
            let error = AuditError(errno: errno)
            guard passesDamage, error.isDamage else { throw error }
            got = unreadable()
        }
        filled += got
        offset += Int64(got)
        return got > 0
    }

    /// Zeros in place of the block that could not be read; how many, none at the end of the file, or where too many could not.
    private mutating func unreadable() -> Int {
        let size = Int64(lseek(descriptor, 0, SEEK_END)), next = (offset / Self.block + 1) * Self.block
        unreadableBlocks += 1
        if unreadableBlocks > Self.mostBlocks {
            skipped += Int(max(0, size - offset))
            offset = max(offset, size)
            return 0
        }
        // What has no size has no end either.
        let end = size < 0 ? next : min(next, size)
        let count = Int(max(0, min(end - offset, Int64(buffer.count - filled))))
        for index in filled..<filled + count { buffer[index] = 0 }
        return count
    }
}
