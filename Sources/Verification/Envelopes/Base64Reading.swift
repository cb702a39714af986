/// base64 as agents write it: padded or not (aries.md sections 2 and 3). Still strict: padding is whole or not there, alphabets are not
/// mixed, and bits without a place are zero.
package enum Base64Reading {
    /// - Parameters:
    ///   - text: ASCII; no white space.
    ///   - allowsStandard: also the alphabet with `+` and `/`; otherwise only that of base64url.
    /// - Returns: the octets, or nil.
    package static func decode(_ text: ArraySlice<UInt8>, allowsStandard: Bool = false) -> [UInt8]? {
        let octets = text.span
        var count = octets.count
        while count > 0, octets.count - count < 2, octets[count - 1] == UInt8(ascii: "=") { count -= 1 }
        // `=` only where it fills up the last four.
        guard count == octets.count || octets.count % 4 == 0 else { return nil }
        let isStandard = allowsStandard && text.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
        return Base64.decode(digits: octets.extracting(0..<count), alphabet: isStandard ? .standard : .url)
    }

    /// Whether a text of that many characters can be that of `octets` octets: without padding, or with it.
    package static func fits(_ characters: Int, octets: Int) -> Bool {
        characters == (octets * 4 + 2) / 3 || characters == (octets + 2) / 3 * 4
    }
}
