/// RFC 4648 sections 4 and 5, strictly: every text has one value and every value one text.
package enum Base64 {
    package enum Alphabet {
        /// `-` and `_`, never padded (RFC 7515 section 2).
        case url
        /// `+` and `/`, padded to a multiple of four.
        case standard
    }

    /// - Parameter text: ASCII; no white space.
    /// - Returns: the octets, or nil for a character outside the alphabet, a wrong length or padding, or non-zero trailing bits.
    static func decode(_ text: Span<UInt8>, alphabet: Alphabet) -> [UInt8]? {
        guard let digits = digitCount(text, alphabet) else { return nil }
        return decode(digits: text.extracting(0..<digits), alphabet: alphabet)
    }

    /// As above, of a text whose padding was looked at and left out.
    static func decode(digits text: Span<UInt8>, alphabet: Alphabet) -> [UInt8]? {
        let digits = text.count
        guard digits % 4 != 1 else { return nil }
        let table = alphabet == .url ? urlValues : standardValues
        let values = table.span
        let whole = digits / 4 * 4
        var invalid: UInt8 = 0
        var octets: [UInt8] = []
        octets.reserveCapacity(digits / 4 * 3 + 2)
        // Four digits at a time; whether all of them were digits is asked once at the end.
        for start in stride(from: 0, to: whole, by: 4) {
            let one = values[Int(text[start])], two = values[Int(text[start + 1])]
            let three = values[Int(text[start + 2])], four = values[Int(text[start + 3])]
            invalid |= one | two | three | four
            octets.append(one << 2 | two >> 4)
            octets.append(two << 4 | three >> 2)
            octets.append(three << 6 | four)
        }
        if digits > whole {
            let one = values[Int(text[whole])], two = values[Int(text[whole + 1])]
            let three = digits - whole == 3 ? values[Int(text[whole + 2])] : 0
            invalid |= one | two | three
            octets.append(one << 2 | two >> 4)
            if digits - whole == 3 { octets.append(two << 4 | three >> 2) }
            // Bits without a place in the octets must be zero, or several texts would mean one value.
            guard digits - whole == 3 ? three & 0x03 == 0 : two & 0x0F == 0 else { return nil }
        }
        return invalid & notADigit == 0 ? octets : nil
    }

    /// Characters before the padding; nil when the padding is not exactly what the alphabet asks for.
    private static func digitCount(_ text: Span<UInt8>, _ alphabet: Alphabet) -> Int? {
        guard alphabet == .standard else { return text.count }
        var digits = text.count
        while digits > 0, text.count - digits < 2, text[digits - 1] == UInt8(ascii: "=") { digits -= 1 }
        return text.count % 4 == 0 ? digits : nil
    }

    package static func decode(_ text: ArraySlice<UInt8>, alphabet: Alphabet = .url) -> [UInt8]? {
        decode(text.span, alphabet: alphabet)
    }

    package static func decode(_ text: String, alphabet: Alphabet = .url) -> [UInt8]? {
        decode(Array(text.utf8).span, alphabet: alphabet)
    }

    /// base64url without padding, as ASCII.
    package static func encodeURL(_ octets: [UInt8]) -> [UInt8] { encode(octets, "-_") }

    /// With padding, as ASCII.
    package static func encodeStandard(_ octets: [UInt8]) -> [UInt8] {
        let text = encode(octets, "+/")
        return text + [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    }

    private static func encode(_ octets: [UInt8], _ last: String) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(octets.count / 3 * 4 + 4)
        var bits: UInt32 = 0
        var pending = 0
        for octet in octets {
            bits = bits << 8 | UInt32(octet)
            pending += 8
            while pending >= 6 {
                pending -= 6
                text.append(digits[Int(bits >> pending & 63)])
            }
        }
        if pending > 0 { text.append(digits[Int(bits << (6 - pending) & 63)]) }
        return text
    }

    /// Set in the table for every character outside the alphabet.
    private static let notADigit: UInt8 = 0x80
    private static let urlValues = values("-", "_")
    private static let standardValues = values("+", "/")

    private static func values(_ sixtyTwo: Unicode.Scalar, _ sixtyThree: Unicode.Scalar) -> [UInt8] {
        var table = [UInt8](repeating: notADigit, count: 256)
        let common = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        for (value, character) in common.enumerated() { table[Int(character)] = UInt8(value) }
        table[Int(sixtyTwo.value)] = 62
        table[Int(sixtyThree.value)] = 63
        return table
    }
}
