import CZlib

/// The entries of a Token Status List (draft-ietf-oauth-status-list section 4): zlib, from the least significant bit on. One entry is taken
/// out while the list is inflated, so that a list of millions needs no memory.
enum StatusListBits {
    /// Most octets a list may have once inflated: 33 million entries of one bit. A few kilobytes can ask for gigabytes.
    static let longest: UInt64 = 4 << 20
    private static let block = 16 << 10
    /// Bits of the window, and with them the container: zlib's (RFC 1950).
    private static let window: Int32 = 15

    /// The entry of `bits` bits; nil where there is none, and for a list that is broken anywhere, also behind the entry.
    static func value(at index: UInt64, bits: UInt64, _ compressed: [UInt8]) -> UInt8? {
        guard [1, 2, 4, 8].contains(bits), index < longest * 8 else { return nil }
        let bit = index * bits
        guard let octet = octet(at: bit / 8, compressed) else { return nil }
        return octet >> UInt8(truncatingIfNeeded: bit % 8) & UInt8(truncatingIfNeeded: (UInt64(1) << bits) - 1)
    }

    private static func octet(at position: UInt64, _ compressed: [UInt8]) -> UInt8? {
        guard !compressed.isEmpty, let length = UInt32(exactly: compressed.count) else { return nil }
        // zlib's state points back to its stream, so the stream needs an address that never changes.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard inflateInit2_(stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(stream) }
        var input = compressed
        return input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = length
            return drain(stream, until: position)
        }
    }

    private static func drain(_ stream: UnsafeMutablePointer<z_stream>, until position: UInt64) -> UInt8? {
        var room = [UInt8](repeating: 0, count: block), passed: UInt64 = 0, found: UInt8?
        // Every turn fills the room or ends: at most `longest / block` and two.
        while passed <= longest {
            let (status, written) = room.withUnsafeMutableBufferPointer { room in
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(truncatingIfNeeded: room.count)
                let status = inflate(stream, Z_NO_FLUSH)
                return (status, room.count - Int(stream.pointee.avail_out))
            }
            if position >= passed, position - passed < UInt64(written) { found = room[Int(position - passed)] }
            passed += UInt64(written)
            if status == Z_STREAM_END { return stream.pointee.avail_in == 0 && passed <= longest ? found : nil }
            guard status == Z_OK, written > 0 || stream.pointee.avail_in > 0 else { return nil }
        }
        return nil
    }
}
