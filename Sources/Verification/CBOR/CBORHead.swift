/// The head of an item: its major type and argument (RFC 8949 section 3).
struct CBORHead {
    /// 0 to 7.
    let major: UInt8
    /// The five low bits of the first byte; 31 is an indefinite length or a break.
    let information: UInt8
    /// The value of the argument; 0 where `information` is 31.
    let argument: UInt64
    /// The offset after the head.
    let end: Int

    var isIndefinite: Bool { information == 31 }
    var isBreak: Bool { major == 7 && information == 31 }

    /// Reads the head at `start`. The argument is believed only as a number: nothing is known yet about the bytes it may count.
    init(_ bytes: Span<UInt8>, at start: Int, form: CBOROptions.Form) throws(CBORError) {
        guard start >= 0, start < bytes.count else { throw CBORError(.truncated, at: bytes.count) }
        let first = bytes[start]
        major = first >> 5
        information = first & 0x1F
        let width: Int
        switch information {
        case 0..<24, 31: width = 0
        case 24: width = 1
        case 25: width = 2
        case 26: width = 4
        case 27: width = 8
        default: throw CBORError(.reservedInformation, at: start)
        }
        // Integers and tags have no indefinite length (RFC 8949 section 3.2.1).
        if information == 31, major == 0 || major == 1 || major == 6 { throw CBORError(.reservedInformation, at: start) }
        guard bytes.count - start > width else { throw CBORError(.truncated, at: bytes.count) }
        var value: UInt64 = 0
        for position in start + 1..<start + 1 + width { value = value << 8 | UInt64(bytes[position]) }
        argument = width == 0 && information != 31 ? UInt64(information) : value
        end = start + 1 + width
        if major == 7 {
            if information == 24, argument < 32 { throw CBORError(.invalidSimple, at: start) }
        } else if form >= .shortest, width > 0, Self.width(of: argument) < width {
            throw CBORError(.notShortest, at: start)
        }
    }

    /// The bytes after the first one that the shortest head for `argument` takes.
    static func width(of argument: UInt64) -> Int {
        switch argument {
        case 0..<24: 0
        case 24...0xFF: 1
        case 0x100...0xFFFF: 2
        case 0x1_0000...0xFFFF_FFFF: 4
        default: 8
        }
    }
}
