/// RFC 4648 section 8, in either case.
package enum Hexadecimal {
    /// - Parameter text: ASCII; no white space.
    /// - Returns: nil for an odd number of characters and for anything but digits.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(text.count / 2)
        var high: UInt8?
        for character in text {
            guard let value = value(character) else { return nil }
            if let top = high {
                octets.append(top << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return octets
    }

    /// Two lower-case digits for each octet.
    package static func text(_ octets: some Collection<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The digit's value; nil for anything else.
    package static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
