import Cryptography

/// `@id` of a message of ours, and the service of a visit: a random UUID of version 4 (RFC 9562 section 5.4), lower case.
public struct MessageIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// `xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx`.
    public let description: String

    /// Throws `noRandomness`.
    public init() throws(CryptographyError) {
        let octets: InlineArray<16, UInt8> = try Random.array()
        self.init(octets)
    }

    /// The identifier of 16 random octets, of which six bits are overwritten by the version and the variant.
    public init(_ random: InlineArray<16, UInt8>) {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for index in random.indices {
            var octet = random[index]
            if index == 6 { octet = octet & 0x0F | 0x40 }
            if index == 8 { octet = octet & 0x3F | 0x80 }
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(octet >> 4)])
            text.append(digits[Int(octet & 15)])
        }
        description = String(decoding: text, as: UTF8.self)
    }
}
