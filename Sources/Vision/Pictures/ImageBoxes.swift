/// Octets of a file of boxes (ISO/IEC 14496-12 section 4.2), read from the front, never behind their end.
struct ImageBoxes {
    private let octets: UnsafeRawBufferPointer
    private var position = 0

    init(_ octets: UnsafeRawBufferPointer) {
        self.octets = octets
    }

    /// A box and what is in it. Lives no longer than the file's octets.
    struct Box {
        let type: UInt32
        let content: UnsafeRawBufferPointer
    }

    private var left: Int { octets.count - position }
    var isAtEnd: Bool { left == 0 }
    /// Whether nothing but padding is left.
    var isPadded: Bool { octets[position...].allSatisfy { $0 == 0 } }

    /// Length 0 means up to the end, 1 that the length follows in 64 bits.
    mutating func nextBox() throws(PictureError) -> Box {
        let begin = position
        var length = UInt64(try number(4))
        let type = UInt32(truncatingIfNeeded: try number(4))
        if length == 1 { length = try number(8) } else if length == 0 { length = UInt64(octets.count - begin) }
        let header = UInt64(position - begin)
        guard length >= header else { throw .damaged }
        guard length <= UInt64(octets.count - begin) else { throw .truncated }
        return Box(type: type, content: try take(Int(length - header)))
    }

    /// A box with a version and flags at its beginning (section 4.2.2).
    mutating func version() throws(PictureError) -> (version: UInt8, flags: UInt32) {
        let both = try number(4)
        return (UInt8(truncatingIfNeeded: both >> 24), UInt32(both & 0xFF_FFFF))
    }

    /// A number of 0 to 8 octets, the highest first.
    mutating func number(_ count: Int) throws(PictureError) -> UInt64 {
        guard count <= 8, count <= left else { throw .truncated }
        var value: UInt64 = 0
        for octet in octets[position..<position + count] { value = value << 8 | UInt64(octet) }
        position += count
        return value
    }

    private mutating func take(_ count: Int) throws(PictureError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= left else { throw .truncated }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: octets[position..<position + count])
    }

    /// A name of four letters.
    static func name(_ text: StaticString) -> UInt32 {
        text.withUTF8Buffer { letters in letters.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    }
}
