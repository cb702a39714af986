/// RFC 9285, strictly: every text has one value and every value one text. QR codes hold it in their alphanumeric mode (pixelpass.md section
/// 1).
package enum Base45 {
    /// - Parameter text: ASCII; no white space, no small letters.
    /// - Returns: the octets, or nil for a character outside the alphabet, a lone character at the end, or a group beyond its octets
    ///   (pixelpass.md section 2, step 2).
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let (whole, rest) = text.count.quotientAndRemainder(dividingBy: 3)
        guard rest != 1 else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(whole * 2 + 1)
        for start in stride(from: 0, to: whole * 3, by: 3) {
            guard let group = value(text, start, 3), group <= 0xFFFF else { return nil }
            octets.append(UInt8(truncatingIfNeeded: group >> 8))
            octets.append(UInt8(truncatingIfNeeded: group))
        }
        if rest == 2 {
            guard let group = value(text, whole * 3, 2), group <= 0xFF else { return nil }
            octets.append(UInt8(truncatingIfNeeded: group))
        }
        return octets
    }

    /// The number that a group's characters make, the first one least significant (RFC 9285 section 4): at most 91,124.
    private static func value(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> UInt32? {
        var value: UInt32 = 0
        for place in (start..<start + count).reversed() {
            let digit = digits[Int(text[place])]
            guard digit != notADigit else { return nil }
            value = value * 45 + UInt32(digit)
        }
        return value
    }

    private static let notADigit: UInt8 = 0xFF
    private static let digits: [UInt8] = {
        var table = [UInt8](repeating: notADigit, count: 256)
        for (value, character) in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8.enumerated() {
            table[Int(character)] = UInt8(truncatingIfNeeded: value)
        }
        return table
    }()
}
