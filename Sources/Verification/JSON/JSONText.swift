/// Strings: finding where one ends while checking every octet of it, and undoing its escapes. RFC 8259 section 7, RFC 3629.
enum JSONText {
    /// Checks the string whose opening quote is at `start`.
    /// - Returns: the offset after the closing quote, and whether the string holds a backslash.
    static func scan(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> (end: Int, escaped: Bool) {
        var position = start + 1
        var escaped = false
        while true {
            position = skipPlain(bytes, from: position)
            guard position < bytes.count else { throw JSONError(.truncated, at: bytes.count) }
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                return (position + 1, escaped)
            case UInt8(ascii: "\\"):
                escaped = true
                position = try escape(bytes, from: position)
            case 0..<0x20:
                throw JSONError(.controlCharacter, at: position)
            case 0x80...:
                guard let length = sequenceLength(bytes, at: position) else { throw JSONError(.invalidUTF8, at: position) }
                position += length
            default:
                position += 1
            }
        }
    }

    /// Steps over printable ASCII other than quote and backslash, a block at a time: a portrait is one string of half a megabyte.
    private static func skipPlain(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let block = 64
        var position = start
        bytes.withUnsafeBytes { bytes in
            while bytes.count - position >= block {
                // No branch inside, so the compiler makes vector instructions of it. As signed numbers all that is not ASCII is below 0x20.
                var stops: UInt8 = 0
                for offset in 0..<block {
                    let byte = bytes[position &+ offset]
                    stops |= (Int8(bitPattern: byte) < 0x20 ? 1 : 0) | (byte == 0x22 ? 1 : 0) | (byte == 0x5C ? 1 : 0)
                }
                if stops != 0 { break }
                position += block
            }
        }
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { break }
            position += 1
        }
        return position
    }

    /// Length of the well-formed UTF-8 sequence at `position` whose first octet is not ASCII (RFC 3629 section 4), or nil.
    private static func sequenceLength(_ bytes: Span<UInt8>, at position: Int) -> Int? {
        let first = bytes[position]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0:
            length = 3
            second = 0xA0...0xBF
        case 0xED:
            length = 3
            second = 0x80...0x9F
        case 0xE1...0xEF: length = 3
        case 0xF0:
            length = 4
            second = 0x90...0xBF
        case 0xF4:
            length = 4
            second = 0x80...0x8F
        case 0xF1...0xF3: length = 4
        default: return nil
        }
        guard bytes.count - position >= length, second.contains(bytes[position + 1]) else { return nil }
        for offset in 2..<max(length, 2) where bytes[position + offset] & 0xC0 != 0x80 { return nil }
        return length
    }

    /// Checks the escape whose backslash is at `start`; returns the offset after it.
    private static func escape(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> Int {
        guard start + 1 < bytes.count else { throw JSONError(.truncated, at: bytes.count) }
        switch bytes[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"):
            let unit = try codeUnit(bytes, at: start + 2)
            guard unit & 0xF800 == 0xD800 else { return start + 6 }
            guard unit < 0xDC00 else { throw JSONError(.loneSurrogate, at: start) }
            guard start + 7 < bytes.count else { throw JSONError(.truncated, at: bytes.count) }
            guard bytes[start + 6] == UInt8(ascii: "\\"), bytes[start + 7] == UInt8(ascii: "u") else {
                throw JSONError(.loneSurrogate, at: start)
            }
            guard try codeUnit(bytes, at: start + 8) & 0xFC00 == 0xDC00 else { throw JSONError(.loneSurrogate, at: start) }
            return start + 12
        default:
            throw JSONError(.invalidEscape, at: start)
        }
    }

    private static func codeUnit(_ bytes: Span<UInt8>, at start: Int) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for position in start..<start + 4 {
            guard position < bytes.count else { throw JSONError(.truncated, at: bytes.count) }
            guard let digit = hexDigit(bytes[position]) else { throw JSONError(.invalidEscape, at: position) }
            unit = unit << 4 | digit
        }
        return unit
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// Whether a checked string stands for exactly `text`. Costs no more than a few times the length of `text`, however long the content.
    static func isEqual(_ content: UnsafeRawBufferPointer, escaped: Bool, to text: String) -> Bool {
        guard escaped else { return content.elementsEqual(text.utf8) }
        // An escape takes up to six octets for one of its meaning, and never fewer than it means.
        guard content.count <= 6 * text.utf8.count else { return false }
        return unescape(content).elementsEqual(text.utf8)
    }

    /// The UTF-8 a checked string stands for. `content` is what lies between the quotes; an escape cut short (impossible after `scan`) ends
    /// the text.
    static func unescape(_ content: UnsafeRawBufferPointer) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var position = 0
        while position < content.count {
            let byte = content[position]
            guard byte == UInt8(ascii: "\\"), position + 1 < content.count else {
                text.append(byte)
                position += 1
                continue
            }
            let letter = content[position + 1]
            position += 2
            switch letter {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"): position = appendScalar(of: content, at: position, to: &text)
            default: text.append(letter)
            }
        }
        return text
    }

    private static func appendScalar(of content: UnsafeRawBufferPointer, at start: Int, to text: inout [UInt8]) -> Int {
        func unit(_ at: Int) -> UInt32 {
            var unit: UInt32 = 0
            for position in at..<at + 4 where position < content.count { unit = unit << 4 | (hexDigit(content[position]) ?? 0) }
            return unit
        }
        var value = unit(start)
        var end = start + 4
        if value & 0xFC00 == 0xD800 {
            value = 0x10000 + (value & 0x3FF) << 10 + (unit(start + 6) & 0x3FF)
            end = start + 10
        }
        if let scalar = Unicode.Scalar(value) { text.append(contentsOf: String(Character(scalar)).utf8) }
        return end
    }
}
