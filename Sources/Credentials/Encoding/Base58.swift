/// base58btc (draft-msporny-base58-03): Bitcoin's alphabet, most significant digit first.
enum Base58 {
    /// Characters of the longest text worth decoding: an ECDSA P-384 signature, 96 octets, takes 132. The work grows with the square of the length.
    static let longest = 160

    /// - Parameter text: ASCII without a multibase prefix.
    /// - Returns: the octets, or nil for an empty or longer text and for a character outside the alphabet.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard !text.isEmpty, text.count <= longest else { return nil }
        // Least significant octet first while the number grows.
        var number: [UInt8] = []
        for character in text {
            guard var carry = alphabet.firstIndex(of: character) else { return nil }
            for index in number.indices {
                carry += Int(number[index]) * 58
                number[index] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            // Never more than one octet: 255 * 58 + 57 is below 2^16.
            if carry > 0 { number.append(UInt8(truncatingIfNeeded: carry)) }
        }
        // Each leading digit zero stands for one octet zero.
        let zeros = text.prefix { $0 == alphabet[0] }.count
        return [UInt8](repeating: 0, count: zeros) + number.reversed()
    }

    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
}

/// Self-describing text (Controlled Documents 1.0 section 2.4). Of all its encodings this verifier reads one.
enum Multibase {
    /// The octets of `z` and base58btc; nil for anything else.
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.first == UInt8(ascii: "z") else { return nil }
        return Base58.decode(text.dropFirst())
    }
}
