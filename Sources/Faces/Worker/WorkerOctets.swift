/// Takes numbers out of octets, little endian, one after the other. Past the end it stays at the end and remembers; the octets come with each call,
/// since a value cannot keep a span.
struct OctetReader {
    private(set) var position = 0
    /// Whether more was taken than there is; everything taken is 0 then.
    private(set) var isPastEnd = false

    mutating func octet(_ octets: borrowing Span<UInt8>) -> UInt8 {
        guard position < octets.count else {
            isPastEnd = true
            return 0
        }
        defer { position += 1 }
        return octets[position]
    }

    mutating func little16(_ octets: borrowing Span<UInt8>) -> UInt16 {
        UInt16(octet(octets)) | UInt16(octet(octets)) << 8
    }

    mutating func little32(_ octets: borrowing Span<UInt8>) -> UInt32 {
        UInt32(little16(octets)) | UInt32(little16(octets)) << 16
    }

    mutating func little64(_ octets: borrowing Span<UInt8>) -> UInt64 {
        UInt64(little32(octets)) | UInt64(little32(octets)) << 32
    }

    mutating func float(_ octets: borrowing Span<UInt8>) -> Float { Float(bitPattern: little32(octets)) }
    mutating func double(_ octets: borrowing Span<UInt8>) -> Double { Double(bitPattern: little64(octets)) }

    /// So many octets as text; nil where one is not allowed.
    mutating func text(_ octets: borrowing Span<UInt8>, count: Int, where isAllowed: (UInt8) -> Bool) -> String? {
        var text: [UInt8] = []
        for _ in 0..<count {
            let octet = octet(octets)
            guard isAllowed(octet) else { return nil }
            text.append(octet)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Everything was taken and nothing more.
    func isAtEnd(_ octets: borrowing Span<UInt8>) -> Bool { !isPastEnd && position == octets.count }
}

/// Puts numbers into octets, little endian. What does not fit is left out, and remembered.
struct OctetWriter {
    private(set) var position: Int
    private(set) var isPastEnd = false

    init(at position: Int = 0) {
        self.position = position
    }

    mutating func octet(_ value: UInt8, _ octets: inout MutableSpan<UInt8>) {
        guard position >= 0, position < octets.count else {
            isPastEnd = true
            return
        }
        octets[position] = value
        position += 1
    }

    mutating func little16(_ value: UInt16, _ octets: inout MutableSpan<UInt8>) {
        octet(UInt8(truncatingIfNeeded: value), &octets)
        octet(UInt8(truncatingIfNeeded: value >> 8), &octets)
    }

    mutating func little32(_ value: UInt32, _ octets: inout MutableSpan<UInt8>) {
        little16(UInt16(truncatingIfNeeded: value), &octets)
        little16(UInt16(truncatingIfNeeded: value >> 16), &octets)
    }

    mutating func little64(_ value: UInt64, _ octets: inout MutableSpan<UInt8>) {
        little32(UInt32(truncatingIfNeeded: value), &octets)
        little32(UInt32(truncatingIfNeeded: value >> 32), &octets)
    }

    mutating func float(_ value: Float, _ octets: inout MutableSpan<UInt8>) { little32(value.bitPattern, &octets) }
    mutating func double(_ value: Double, _ octets: inout MutableSpan<UInt8>) { little64(value.bitPattern, &octets) }

    mutating func text(_ text: String, _ octets: inout MutableSpan<UInt8>) {
        for unit in text.utf8 { octet(unit, &octets) }
    }
}
