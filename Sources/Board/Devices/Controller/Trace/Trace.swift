import Glibc
import Linux

/// A recording of the packets between host and controller, in a btsnoop file, without the values of attributes and without keys.
///
/// A trace never harms the gate: packets are copied into a buffer made once, the buffer is written between turns of the loop, and
/// the first refusal of the system ends the trace with one line, and nothing else.
public final class Trace {
    /// Octets of the largest file. Reached, the trace ends: the beginning of a trouble says more than its end.
    public static let capacity = 64 << 20

    private var descriptor: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)
    private var filled = 0
    /// Octets of whole records in the file.
    private var written = 0
    private let limit: Int
    private var redaction = TraceRedaction()
    #if DEBUG
        private var showsSecrets = false
    #endif
    /// Microseconds from the format's epoch to the zero of the monotonic clock.
    private let zero: UInt64
    private let report: (String) -> Void

    /// Begins a trace at `path`, with mode 0600.
    ///
    /// The file is made anew: an earlier trace there is renamed to `path`.old, and whatever else is there is left alone and refused.
    /// - Parameter report: takes one line, when the trace ends before the gate does.
    public init(_ path: String, limit: Int = Trace.capacity, report: @escaping (String) -> Void) throws(TraceError) {
        try Self.putAside(path)
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TraceError(errno: errno) }
        self.descriptor = descriptor
        self.limit = limit
        self.report = report
        zero = BTSnoop.epoch &+ Clock.wall() / 1000 &- Clock.monotonic() / 1000
        if BTSnoop.writeHeader(to: buffer) { filled = BTSnoop.headerSize }
        do throws(TraceError) {
            try write()
        } catch {
            Glibc.close(descriptor)
            self.descriptor = -1
            throw error
        }
    }

    #if DEBUG
        /// A trace with everything in it, keys and credentials too: for development, with demonstration credentials.
        public convenience init(withSecrets path: String, report: @escaping (String) -> Void) throws(TraceError) {
            try self.init(path, report: report)
            showsSecrets = true
        }
    #endif

    deinit {
        close()
        buffer.deallocate()
    }

    /// Records one packet, H4 type octet first.
    ///
    /// - Parameter now: nanoseconds of the monotonic clock.
    package func record(_ packet: UnsafeRawBufferPointer, _ direction: BTSnoop.Direction, at now: UInt64) {
        let size = BTSnoop.recordHeaderSize + packet.count
        guard descriptor >= 0, let type = packet.first, size <= buffer.count else { return }
        guard written + filled + size <= limit else { return end(.full) }
        if filled + size > buffer.count { flush() }
        guard descriptor >= 0 else { return }
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + size)])
        guard BTSnoop.writeRecordHeader(to: room, packet: (type, packet.count), direction, time: zero &+ now / 1000) else { return }
        let shown = visibleCount(of: packet, direction)
        let copy = UnsafeMutableRawBufferPointer(rebasing: room[BTSnoop.recordHeaderSize...])
        copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[..<shown]))
        UnsafeMutableRawBufferPointer(rebasing: copy[shown...]).initializeMemory(as: UInt8.self, repeating: 0)
        filled += size
    }

    /// Writes what was recorded to the file.
    package func flush() {
        guard descriptor >= 0, filled > 0 else { return }
        do throws(TraceError) { try write() } catch { end(error) }
    }

    /// Ends the trace. Closing twice is allowed.
    package func close() {
        flush()
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    private func visibleCount(of packet: UnsafeRawBufferPointer, _ direction: BTSnoop.Direction) -> Int {
        #if DEBUG
            if showsSecrets { return packet.count }
        #endif
        return redaction.visibleCount(of: packet, direction)
    }

    private func write() throws(TraceError) {
        var start = 0
        while start < filled {
            let count = Glibc.write(descriptor, buffer.baseAddress.map { $0 + start }, filled - start)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                let error = TraceError(errno: count == 0 ? ENOSPC : errno)
                // A torn record would be the end of every reader.
                _ = ftruncate(descriptor, off_t(written))
                throw error
            }
            start += count
        }
        written += filled
        filled = 0
    }

    private func end(_ reason: TraceError) {
        if reason == .full { flush() } else { filled = 0 }
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
        report("the trace ends: \(reason)")
    }

    /// Renames an earlier trace, over an older one. A link, a pipe or somebody else's file is none, and stays.
    private static func putAside(_ path: String) throws(TraceError) {
        guard try isTrace(path) else { return }
        _ = try isTrace(path + ".old")
        guard rename(path, path + ".old") == 0 else { throw TraceError(errno: errno) }
    }

    /// Whether there is a trace; false where there is nothing.
    private static func isTrace(_ path: String) throws(TraceError) -> Bool {
        let old = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard old >= 0 else {
            if errno == ENOENT { return false }
            throw TraceError(errno: errno)
        }
        defer { Glibc.close(old) }
        var facts = stat()
        guard fstat(old, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw .notTrace }
        var first: UInt64 = 0
        let count = Glibc.read(old, &first, MemoryLayout<UInt64>.size)
        // An empty file is a trace whose disk was full.
        let isTrace = BTSnoop.identification.withUTF8Buffer { name in
            withUnsafeBytes(of: &first) { $0.elementsEqual(name) }
        }
        guard count == 0 || (count == MemoryLayout<UInt64>.size && isTrace) else { throw .notTrace }
        return true
    }
}
