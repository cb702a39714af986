import Cryptography

/// base58btc (draft-msporny-base58-03): Bitcoin's alphabet, most significant digit first.
package enum Base58 {
    /// Characters of the longest text worth decoding: an ECDSA P-384 signature, 96 octets, takes 132. The work grows with the square of the
    /// length.
    static let longest = 160

    /// - Parameter text: ASCII without a multibase prefix.
    /// - Returns: the octets, or nil for an empty or longer text and for a character outside the alphabet.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
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

    /// The text of some octets, for keys of our own: the work grows with the square of their number.
    package static func encode(_ octets: some Collection<UInt8>) -> String {
        // Digits of the number, least significant first while it grows.
        var digits: [Int] = []
        for octet in octets {
            var carry = Int(octet)
            for index in digits.indices {
                carry += digits[index] << 8
                digits[index] = carry % 58
                carry /= 58
            }
            while carry > 0 {
                digits.append(carry % 58)
                carry /= 58
            }
        }
        let zeros = octets.prefix { $0 == 0 }.count
        return String(decoding: [UInt8](repeating: alphabet[0], count: zeros) + digits.reversed().map { alphabet[$0] }, as: UTF8.self)
    }

    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
}

/// Self-describing text (Controlled Documents 1.0 section 2.4). Of all its encodings this verifier reads one.
package enum Multibase {
    /// The octets of `z` and base58btc; nil for anything else.
    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.first == UInt8(ascii: "z") else { return nil }
        return Base58.decode(text.dropFirst())
    }
}

/// A public key behind its multicodec prefix (Controlled Documents 1.0 section 2.2.2), as `publicKeyMultibase` and did:key carry it.
package enum Multikey {
    /// - Parameter text: `z` and base58btc.
    /// - Returns: nil for another encoding, an unknown prefix, a wrong length and a point that is not on its curve.
    package static func publicKey(_ text: String) -> PublicKey? {
        guard let octets = Multibase.decode(Array(text.utf8)), octets.count > 2 else { return nil }
        let key = Array(octets.dropFirst(2))
        switch (octets[0], octets[1]) {
        case (0xED, 0x01): return try? PublicKey(ed25519: key.span)
        case (0x80, 0x24): return compressed(key, .p256)
        case (0x81, 0x24): return compressed(key, .p384)
        case (0xE7, 0x01): return compressed(key, .secp256k1)
        default: return nil
        }
    }

    /// A Multikey holds the compressed point and no other form.
    private static func compressed(_ point: [UInt8], _ curve: EllipticCurve) -> PublicKey? {
        guard point.count == 1 + curve.coordinateLength else { return nil }
        return try? PublicKey(curve: curve, point: point.span)
    }
}
