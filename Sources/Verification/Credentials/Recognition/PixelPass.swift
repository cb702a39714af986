import CBOR
import CZlib
import Cryptography
import Envelopes

/// What a PixelPass code holds: `base45(zlib(CBOR or text))` taken apart (pixelpass.md section 2). Nothing of it is believed.
enum PixelPass {
    /// What came out.
    enum Content {
        /// One CBOR item that is a COSE structure by its tag, or an array that can be nothing but a COSE_Sign1 without one.
        case token([UInt8])
        /// UTF-8: the text, or the JSON that was written as CBOR.
        case text([UInt8])
    }

    enum Fault: Error, Hashable {
        /// Not base45 of anything that begins as a zlib stream does: somebody else's text.
        case another
        /// Begins so, and is broken, too long or of no use behind that.
        case damaged
    }

    /// Most octets that may come out: twenty times what the largest code holds (pixelpass.md section 5).
    static let longest = 64 << 10

    /// - Parameter text: without the prefix that a site may have configured.
    static func content(of text: Span<UInt8>) throws(Fault) -> Content {
        guard beginsAsStream(text) else { throw .another }
        guard var compressed = Base45.decode(text) else { throw .damaged }
        defer { wipe(&compressed) }
        guard var octets = inflate(&compressed) else { throw .damaged }
        if isToken(octets) { return .token(octets) }
        defer { wipe(&octets) }
        return .text(try readable(octets))
    }

    /// Whether the first three characters are the two octets of a zlib header (RFC 1950 section 2.2): method 8, a window of at most 32 KiB,
    /// a check that fits. No other text of the closed list begins so.
    private static func beginsAsStream(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 3, let head = Base45.decode(text.extracting(first: 3)) else { return false }
        let method = head[0], check = UInt16(head[0]) << 8 | UInt16(head[1])
        return method & 0x0F == 8 && method >> 4 <= 7 && check.isMultiple(of: 31)
    }

    // MARK: Compression

    /// One whole stream of RFC 1950: nothing behind it, no dictionary, Adler-32 as it should be; nil for everything else.
    private static func inflate(_ compressed: inout [UInt8]) -> [UInt8]? {
        // zlib's state points back to its stream, so the stream needs an address that never changes.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard let available = UInt32(exactly: compressed.count),
            inflateInit2_(stream, 15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { inflateEnd(stream) }
        var room = [UInt8](repeating: 0, count: longest)
        defer { wipe(&room) }
        let count: Int? = compressed.withUnsafeMutableBufferPointer { input in
            room.withUnsafeMutableBufferPointer { room in
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = available
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(truncatingIfNeeded: room.count)
                // One call, so that zlib keeps no window of its own with what the code says. A dictionary is Z_NEED_DICT.
                guard CZlib.inflate(stream, Z_FINISH) == Z_STREAM_END, stream.pointee.avail_in == 0 else { return nil }
                return room.count - Int(min(stream.pointee.avail_out, UInt32(truncatingIfNeeded: room.count)))
            }
        }
        return count.map { Array(room.prefix($0)) }
    }

    // MARK: What it is

    private static let options = CBOROptions(bytes: longest)

    /// COSE before anything else (pixelpass.md section 2, step 4): `D2 84` is also the beginning of a text.
    private static func isToken(_ octets: [UInt8]) -> Bool {
        guard let first = octets.first, [0xD2, 0xD0, 0xD8, 0x84].contains(first),
            let root = try? CBORDocument(parsing: octets, options: options).root
        else { return false }
        if let tag = root.tag { return [CWT.tag, COSESign1.tag, COSEEncrypt0.tag].contains(tag) }
        return isUntagged(root)
    }

    /// JSON has no byte strings: nothing that was JSON looks like a COSE_Sign1.
    static func isUntagged(_ root: CBORItem) -> Bool {
        guard let parts = root.elements else { return false }
        return parts.count == 4 && parts[0].kind == .bytes
    }

    /// JSON, where it was written as CBOR: nothing that begins with 0x80 to 0xBB is UTF-8. What begins otherwise is the text.
    private static func readable(_ octets: [UInt8]) throws(Fault) -> [UInt8] {
        guard let first = octets.first else { throw .damaged }
        guard (0x80...0xBB).contains(first) else {
            guard String(validating: octets, as: UTF8.self) != nil else { throw .damaged }
            return octets
        }
        do throws(CBORError) {
            return try PixelPassJSON.text(of: CBORDocument(parsing: octets, options: options).root)
        } catch {
            throw .damaged
        }
    }
}
