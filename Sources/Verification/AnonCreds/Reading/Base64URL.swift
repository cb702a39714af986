/// base64url without padding (RFC 4648 section 5), strict: no other character, and no bit set that means nothing.
enum Base64URL {
    /// Nil for anything else.
    static func octets(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count <= Limits.messagePack / 3 * 4, text.count % 4 != 1 else { return nil }
        var octets: [UInt8] = [], bits: UInt32 = 0, count = 0
        octets.reserveCapacity(text.count / 4 * 3 + 2)
        for character in text {
            guard let digit = digit(character) else { return nil }
            bits = bits << 6 | digit
            count += 6
            if count >= 8 {
                count -= 8
                octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
            bits &= 0xFF
        }
        return bits & (1 << UInt32(count) - 1) == 0 ? octets : nil
    }

    private static func digit(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
