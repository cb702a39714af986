/// One PEM block (RFC 7468), read strictly. libcrypto's reader skips text it does not know; a trust store must not.
enum PEM {
    /// The decoded content of the single block labelled `label`. Only white space may stand around it, only Base64 and
    /// line ends inside it. Throws `malformedKey` also when the content exceeds `longest` bytes.
    static func decode(_ text: Span<UInt8>, label: StaticString, longest: Int) throws(CryptographyError) -> [UInt8] {
        // Base64 with line ends and labels stays below twice the content.
        guard text.count <= 2 * longest + 128 else { throw .malformedKey }
        var position = 0
        skipSpace(text, &position)
        guard take("-----BEGIN ", text, &position), take(label, text, &position), take("-----", text, &position) else {
            throw .malformedKey
        }
        var sextets: [UInt8] = []
        sextets.reserveCapacity(text.count)
        var padding = 0
        while position < text.count, text[position] != UInt8(ascii: "-") {
            let byte = text[position]
            position += 1
            if isSpace(byte) { continue }
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = sextet(byte) else { throw .malformedKey }
            sextets.append(value)
        }
        guard take("-----END ", text, &position), take(label, text, &position), take("-----", text, &position) else {
            throw .malformedKey
        }
        skipSpace(text, &position)
        guard position == text.count, padding <= 2, (sextets.count + padding) % 4 == 0 else { throw .malformedKey }
        return try join(sextets, longest)
    }

    private static func join(_ sextets: [UInt8], _ longest: Int) throws(CryptographyError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sextets.count * 3 / 4)
        var bits: UInt32 = 0
        var held = 0
        for value in sextets {
            bits = (bits << 6 | UInt32(value)) & 0xffff
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        // Bits left over must be zero, or several texts would mean one key.
        guard held < 6, bits & ((1 << UInt32(held)) - 1) == 0, !bytes.isEmpty, bytes.count <= longest else {
            throw .malformedKey
        }
        return bytes
    }

    private static func take(_ expected: StaticString, _ text: Span<UInt8>, _ position: inout Int) -> Bool {
        guard text.count - position >= expected.utf8CodeUnitCount else { return false }
        for offset in 0..<expected.utf8CodeUnitCount
        where text[position + offset] != expected.utf8Start[offset] {
            return false
        }
        position += expected.utf8CodeUnitCount
        return true
    }

    private static func skipSpace(_ text: Span<UInt8>, _ position: inout Int) {
        while position < text.count, isSpace(text[position]) { position += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }

    private static func sextet(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
