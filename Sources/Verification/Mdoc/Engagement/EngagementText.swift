import Envelopes

/// The text of the code on a phone's screen: `mdoc:` and base64url (mdoc.md section 1).
enum EngagementText {
    /// Octets of the longest text that is looked at: what a QR code of version 40 holds in byte mode (ISO/IEC 18004 table 7). Lower-case
    /// letters have no shorter mode.
    static let longest = 2953

    private static let scheme = Array("mdoc:".utf8)
    /// A few apps write the scheme as if it were that of a web address.
    private static let slashes = Array("//".utf8)

    /// The octets of the engagement. Throws `notAnEngagement` also for digits of the standard alphabet, blanks and bits left over.
    static func decode(_ text: [UInt8]) throws(EngagementError) -> [UInt8] {
        guard text.count <= longest, text.count > scheme.count,
            zip(text, scheme).allSatisfy({ lowercase($0) == $1 })
        else { throw .notAnEngagement }
        var digits = text.dropFirst(scheme.count)
        if digits.starts(with: slashes) { digits = digits.dropFirst(slashes.count) }
        // The standard has no padding, some encoders cannot do without.
        while digits.last == UInt8(ascii: "=") { digits = digits.dropLast() }
        guard !digits.isEmpty, let octets = Base64.decode(digits, alphabet: .url) else { throw .notAnEngagement }
        return octets
    }

    private static func lowercase(_ character: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character) ? character | 0x20 : character
    }
}
