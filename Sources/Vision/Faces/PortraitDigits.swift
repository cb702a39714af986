/// Base64 as issuers write portraits, RFC 4648 sections 4 and 5. Looser than what signatures rest on, which has its own in Credentials:
/// either alphabet, but not both in one text; padded or not; line ends anywhere (RFC 2045 section 6.8).
enum PortraitDigits {
    private static let plain: UInt8 = 0x3F
    /// Set for the two digits of each alphabet that the other does not have.
    private static let standard: UInt8 = 0x40
    private static let url: UInt8 = 0x80
    private static let lineEnd: UInt8 = 0xC0
    private static let padding: UInt8 = 0xC1
    private static let none: UInt8 = 0xFF

    /// - Parameter octets: has room for three octets for each four characters begun.
    /// - Returns: how many were written, or nil for what is no base64.
    static func decode(_ text: Span<UInt8>, into octets: UnsafeMutableRawBufferPointer) -> Int? {
        let values = table.span
        var (digits, paddings, written) = (0, 0, 0)
        var bits: UInt32 = 0
        var alphabets: UInt8 = 0
        for index in text.indices {
            let value = values[Int(text[index])]
            if value == lineEnd { continue }
            if value == padding {
                paddings += 1
                continue
            }
            guard value != none, paddings == 0 else { return nil }
            alphabets |= value & ~plain
            bits = bits << 6 | UInt32(value & plain)
            digits += 1
            if digits & 3 == 0 {
                guard octets.count - written >= 3 else { return nil }
                octets[written] = UInt8(truncatingIfNeeded: bits >> 16)
                octets[written + 1] = UInt8(truncatingIfNeeded: bits >> 8)
                octets[written + 2] = UInt8(truncatingIfNeeded: bits)
                written += 3
            }
        }
        guard alphabets != standard | url, paddings <= 2, paddings == 0 || (digits + paddings) & 3 == 0 else { return nil }
        // Bits without a place in the octets are zero.
        switch digits & 3 {
        case 0:
            return paddings == 0 ? written : nil
        case 2:
            guard bits & 0x0F == 0, octets.count - written >= 1 else { return nil }
            octets[written] = UInt8(truncatingIfNeeded: bits >> 4)
            return written + 1
        case 3:
            guard bits & 0x03 == 0, octets.count - written >= 2 else { return nil }
            octets[written] = UInt8(truncatingIfNeeded: bits >> 10)
            octets[written + 1] = UInt8(truncatingIfNeeded: bits >> 2)
            return written + 2
        default:
            return nil
        }
    }

    private static let table: [UInt8] = {
        var table = [UInt8](repeating: none, count: 256)
        for (value, character) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8.enumerated() {
            table[Int(character)] = UInt8(value)
        }
        table[Int(UInt8(ascii: "+"))] = 62 | standard
        table[Int(UInt8(ascii: "/"))] = 63 | standard
        table[Int(UInt8(ascii: "-"))] = 62 | url
        table[Int(UInt8(ascii: "_"))] = 63 | url
        table[Int(UInt8(ascii: "\r"))] = lineEnd
        table[Int(UInt8(ascii: "\n"))] = lineEnd
        table[Int(UInt8(ascii: "="))] = padding
        return table
    }()
}
