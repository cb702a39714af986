import Envelopes
import JSON

/// Octets as an envelope has them: base64url, padded or not.
enum EnvelopeText {
    /// Octets of one length. Throws `fault` for another, and for what is no base64url.
    static func octets(_ value: JSONValue?, count: Int, orThrow fault: EnvelopeFault) throws(EnvelopeFault) -> [UInt8] {
        try octets(value, count: count...count, orThrow: fault)
    }

    /// Octets of one of some lengths, which are few.
    static func octets(_ value: JSONValue?, count: ClosedRange<Int>, orThrow fault: EnvelopeFault) throws(EnvelopeFault) -> [UInt8] {
        // An escape in JSON is longer than what it stands for: what is too long as it is written is only not looked at when it is far off.
        guard let value, value.kind == .string, value.sourceRange.count <= 6 * longest(count.upperBound) + 2,
            let text = value.stringBytes, count.contains(where: { Base64Reading.fits(text.count, octets: $0) }),
            let octets = Base64Reading.decode(text[...]), count.contains(octets.count)
        else { throw fault }
        return octets
    }

    /// Characters of the longest text of that many octets.
    private static func longest(_ octets: Int) -> Int { (octets + 2) / 3 * 4 }

    /// base64url without padding.
    static func text(_ octets: [UInt8]) -> String { String(decoding: Base64.encodeURL(octets), as: UTF8.self) }
}
