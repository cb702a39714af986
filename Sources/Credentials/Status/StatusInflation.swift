import CZlib

/// Inflates a status list. The cap is on what comes out: a few kilobytes can ask for gigabytes.
enum StatusInflation {
    enum Container: Int32 {
        /// RFC 1950, a window of up to 32 KiB.
        case zlib = 15
        /// RFC 1952, one member.
        case gzip = 31
    }

    /// Most bytes a list may have: 33 million entries of one bit.
    static let cap = 4 << 20
    private static let block = 64 << 10

    /// - Parameter compressed: exactly one stream.
    static func inflate(_ compressed: [UInt8], _ container: Container, cap: Int = cap) throws(StatusListError) -> [UInt8] {
        guard !compressed.isEmpty else { throw .truncated }
        guard let length = UInt32(exactly: compressed.count) else { throw .tooLarge }
        // zlib's state points back to its stream, so the stream needs an address that never changes.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard inflateInit2_(stream, container.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { throw .unavailable }
        defer { inflateEnd(stream) }
        var input = compressed
        return try input.withUnsafeMutableBufferPointer { (input) throws(StatusListError) in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = length
            return try drain(stream, cap: cap)
        }
    }

    private static func drain(_ stream: UnsafeMutablePointer<z_stream>, cap: Int) throws(StatusListError) -> [UInt8] {
        var output: [UInt8] = []
        var room = [UInt8](repeating: 0, count: block)
        while true {
            let (status, written) = room.withUnsafeMutableBufferPointer { room in
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(truncatingIfNeeded: room.count)
                let status = CZlib.inflate(stream, Z_NO_FLUSH)
                return (status, room.count - Int(stream.pointee.avail_out))
            }
            guard output.count + written <= cap else { throw .tooLarge }
            output.append(contentsOf: room.prefix(written))
            switch status {
            case Z_STREAM_END:
                guard stream.pointee.avail_in == 0 else { throw .trailingBytes }
                return output
            case Z_OK where written > 0 || stream.pointee.avail_in > 0:
                continue
            case Z_OK, Z_BUF_ERROR:
                throw .truncated
            case Z_DATA_ERROR, Z_NEED_DICT:
                throw .corrupt
            default:
                throw .unavailable
            }
        }
    }
}
