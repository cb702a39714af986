/// Well-formed UTF-8, RFC 3629 section 4.
enum CBORText {
    /// The offset of the first byte that is not part of a well-formed sequence; nil where there is none.
    static func fault(in bytes: UnsafeRawBufferPointer) -> Int? {
        var position = 0
        while position < bytes.count {
            if bytes[position] < 0x80 {
                position += 1
                continue
            }
            guard let length = sequenceLength(bytes, at: position) else { return position }
            position += length
        }
        return nil
    }

    /// Length of the sequence at `position`, whose first byte is not ASCII; nil when it is not well-formed.
    private static func sequenceLength(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int? {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch bytes[position] {
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
}
