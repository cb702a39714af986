import CZlib
import Cryptography

/// Inflates one gzip member (RFC 1952) into a caller's buffer, bounded by that buffer, without allocating.
///
/// zlib asks for its state and its window once; both come from a fixed block of this type's own. `reset` wipes the
/// block and sets the state up again, so nothing of one visitor's data is there for the next.
struct Inflater: ~Copyable {
    /// Room for zlib's state (about 10 KiB) and its 32 KiB window; other builds of zlib use a little more.
    static let workspaceSize = 64 * 1024

    private let stream: UnsafeMutablePointer<z_stream>
    private let workspace: UnsafeMutablePointer<Workspace>
    private var isReady: Bool

    init() throws(OpeningError) {
        // zlib's state points back to its stream, so the stream needs an address that never changes.
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        workspace = .allocate(capacity: 1)
        workspace.initialize(to: Workspace(size: Self.workspaceSize))
        isReady = Self.begin(stream, workspace)
    }

    deinit {
        if isReady { inflateEnd(stream) }
        workspace.pointee.release()
        workspace.deinitialize(count: 1)
        workspace.deallocate()
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Inflates all of `input`, which must be exactly one member, and returns the number of bytes written to the start
    /// of `output`. On an error `written` says how many bytes of `output` are to be wiped.
    mutating func inflate(
        _ input: UnsafeMutableRawBufferPointer, into output: UnsafeMutableRawBufferPointer, written: inout Int
    ) throws(OpeningError) -> Int {
        written = 0
        guard isReady, inflateReset(stream) == Z_OK, let availableOut = UInt32(exactly: output.count),
            let availableIn = UInt32(exactly: input.count)
        else { throw .unavailable }
        try Self.checkHeader(input)

        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = availableIn
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = availableOut
        // One call does it all: the whole input is here, and the output is the bound.
        let status = CZlib.inflate(stream, Z_FINISH)
        let unread = stream.pointee.avail_in
        let unwritten = stream.pointee.avail_out
        written = output.count - Int(min(unwritten, availableOut))
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil

        switch status {
        case Z_STREAM_END:
            guard unread == 0 else { throw .trailingBytes }
            return written
        case Z_OK, Z_BUF_ERROR:
            // A member that still has its trailer to read when the output is full is one the cap cut off.
            throw unwritten == 0 && unread > 0 ? .tooLarge : .truncated
        case Z_DATA_ERROR, Z_NEED_DICT:
            throw .corrupt
        default:
            throw .unavailable
        }
    }

    /// Wipes zlib's state and window and begins again in the same block.
    mutating func reset() {
        if isReady { inflateEnd(stream) }
        workspace.pointee.wipe()
        stream.pointee = z_stream()
        isReady = Self.begin(stream, workspace)
    }

    /// The two magic bytes decide between "no gzip at all" and "a broken one"; zlib checks the rest of the header,
    /// reserved flags and the header's CRC included.
    private static func checkHeader(_ input: UnsafeMutableRawBufferPointer) throws(OpeningError) {
        let magic: [2 of UInt8] = [0x1f, 0x8b]
        for index in 0..<2 {
            guard index < input.count else { throw .truncated }
            guard input[index] == magic[index] else { throw .notGzip }
        }
    }

    private static func begin(
        _ stream: UnsafeMutablePointer<z_stream>, _ workspace: UnsafeMutablePointer<Workspace>
    ) -> Bool {
        stream.pointee.opaque = UnsafeMutableRawPointer(workspace)
        stream.pointee.zalloc = { opaque, items, size in
            opaque?.assumingMemoryBound(to: Workspace.self).pointee.take(Int(items), Int(size))
        }
        // The block is given back as a whole by `reset`.
        stream.pointee.zfree = { _, _ in }
        return gatehouse_inflate_begin(stream) == Z_OK
    }
}

/// The block zlib allocates from: a bump pointer, because zlib takes twice and gives back never.
private struct Workspace {
    private let block: UnsafeMutableRawBufferPointer
    private var used = 0

    init(size: Int) {
        block = .allocate(byteCount: size, alignment: 64)
        block.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// nil, which zlib takes for "out of memory", when the block is too small.
    mutating func take(_ items: Int, _ size: Int) -> UnsafeMutableRawPointer? {
        let (bytes, overflow) = items.multipliedReportingOverflow(by: size)
        guard !overflow, bytes > 0, bytes <= block.count - used, let start = block.baseAddress else { return nil }
        let taken = start + used
        used = min(block.count, (used + bytes + 63) & ~63)
        return taken
    }

    mutating func wipe() {
        Cryptography.wipe(UnsafeMutableRawBufferPointer(rebasing: block[..<used]))
        used = 0
    }

    func release() {
        Cryptography.wipe(block)
        block.deallocate()
    }
}

extension MessageOpener {
    /// Of the zlib that is loaded.
    public static var inflaterVersion: String { zlibVersion().map { String(cString: $0) } ?? "unknown" }
}
