import Cryptography

/// The number of an attribute's text (anoncreds.md section 3).
enum Encoding {
    /// A text of digits whose value fits 32 bits is that value; any other is its SHA-256. Throws `unavailable`.
    static func number(of raw: String) throws(PresentationReason) -> ProofNumber {
        let text = Array(raw.utf8)
        if let value = integer(text) { return ProofNumber(Int64(value)) }
        let digest = try available { () throws(CryptographyError) in try Digest.hash(text.span, .sha256) }
        return ProofNumber(magnitude: digest)
    }

    /// `^[+-]?[0-9]+$` between -2^31 and 2^31 - 1.
    private static func integer(_ text: [UInt8]) -> Int32? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative || text.first == UInt8(ascii: "+") ? text.dropFirst() : text[...]
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            // Once it is too large it stays so; the rest must be digits all the same.
            value = min(value * 10 + Int64(digit - UInt8(ascii: "0")), Int64(UInt32.max))
        }
        return Int32(exactly: isNegative ? -value : value)
    }
}
