/// RFC 4648 sections 4 and 5, strictly: every text has one value and every value one text.
enum Base64 {
    enum Alphabet {
        /// `-` and `_`, never padded (RFC 7515 section 2).
        case url
        /// `+` and `/`, padded to a multiple of four.
        case standard
    }

    /// - Parameter text: ASCII; no white space.
    /// - Returns: the octets, or nil for a character outside the alphabet, a wrong length or padding, or non-zero trailing bits.
    static func decode(_ text: some Sequence<UInt8>, count: Int, alphabet: Alphabet) -> [UInt8]? {
        let table = alphabet == .url ? urlValues : standardValues
        var octets: [UInt8] = []
        octets.reserveCapacity(count / 4 * 3 + 3)
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        for character in text {
            if character == UInt8(ascii: "="), alphabet == .standard {
                padding += 1
                continue
            }
            let value = table[Int(character)]
            guard value < 64, padding == 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            digits += 1
            if digits == 4 {
                octets.append(UInt8(truncatingIfNeeded: bits >> 16))
                octets.append(UInt8(truncatingIfNeeded: bits >> 8))
                octets.append(UInt8(truncatingIfNeeded: bits))
                bits = 0
                digits = 0
            }
        }
        switch digits {
        case 0: break
        case 2 where bits & 0x0F == 0: octets.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3 where bits & 0x03 == 0:
            octets.append(UInt8(truncatingIfNeeded: bits >> 10))
            octets.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return nil
        }
        let due = alphabet == .standard && digits != 0 ? 4 - digits : 0
        return padding == due ? octets : nil
    }

    static func decode(_ text: ArraySlice<UInt8>, alphabet: Alphabet = .url) -> [UInt8]? {
        decode(text, count: text.count, alphabet: alphabet)
    }

    static func decode(_ text: String, alphabet: Alphabet = .url) -> [UInt8]? {
        decode(text.utf8, count: text.utf8.count, alphabet: alphabet)
    }

    /// base64url without padding, as ASCII.
    static func encodeURL(_ octets: [UInt8]) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
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

    private static let urlValues = values("-", "_")
    private static let standardValues = values("+", "/")

    private static func values(_ sixtyTwo: Unicode.Scalar, _ sixtyThree: Unicode.Scalar) -> [UInt8] {
        var table = [UInt8](repeating: 0xFF, count: 256)
        let common = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        for (value, character) in common.enumerated() { table[Int(character)] = UInt8(value) }
        table[Int(sixtyTwo.value)] = 62
        table[Int(sixtyThree.value)] = 63
        return table
    }
}

extension String {
    /// Equal octet for octet. `==` also holds for canonically equivalent texts, which no identifier in a credential may rely on.
    func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
