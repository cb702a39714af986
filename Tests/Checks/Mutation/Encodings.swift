import Cryptography
import TestSupport

/// base64url without padding (RFC 4648 section 5).
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ octets: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var bits = 0, word = 0
        for octet in octets {
            word = (word << 8 | Int(octet)) & 0xFFFF
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[word >> bits & 63])
            }
        }
        if bits > 0 { text.append(alphabet[word << (6 - bits) & 63]) }
        return text
    }

    static func encode(_ text: String) -> [UInt8] { encode(Array(text.utf8)) }

    static func decode(_ text: [UInt8]) -> [UInt8]? {
        var octets: [UInt8] = []
        var bits = 0, word = 0
        for octet in text {
            guard let value = alphabet.firstIndex(of: octet) else { return nil }
            word = (word << 6 | value) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                octets.append(UInt8(truncatingIfNeeded: word >> bits))
            }
        }
        return octets
    }
}

/// ECDSA signatures have a twin that verifies as well: R and the group's order minus S.
enum MirroredSignature {
    static let orders: [[UInt8]] = [
        hex("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"),
        hex("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141"),
        hex("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973"),
    ]

    static func of(_ signature: [UInt8], order: [UInt8]) -> [UInt8] {
        guard signature.count == 2 * order.count else { return signature }
        var borrow = 0
        var result = Array(signature.suffix(order.count))
        for place in order.indices.reversed() {
            let difference = Int(order[place]) - Int(result[place]) - borrow
            result[place] = UInt8(difference & 0xFF)
            borrow = difference < 0 ? 1 : 0
        }
        return signature.prefix(order.count) + result
    }

    private static func hex(_ text: String) -> [UInt8] { Hex.decode(text.utf8) ?? [] }
}

extension Hex {
    /// The SHA-256 of these octets.
    static func digest(of octets: [UInt8]) throws -> String { text(try Digest.hash(octets.span, .sha256)) }
}
