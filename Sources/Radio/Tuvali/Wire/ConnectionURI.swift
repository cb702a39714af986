import Bluetooth

/// `OPENID4VP://connect?name=…&key=…`, what the QR code says (tuvali.md section 2).
/// The scheme is upper case: lower case sends Inji to online sharing.
public struct ConnectionURI: ~Copyable {
    /// 25 octets of form, a name of at most 14 octets of which each may take three, `&key=` and 64 hex digits.
    private var octets = OctetBuffer<160>()

    public init(_ name: VerifierName, key: PublicKeyOctets) {
        append("OPENID4VP://connect?name=")
        for index in 0..<name.count { appendEncoded(name.octet(index)) }
        append("&key=")
        for index in 0..<32 {
            octets.append(Self.hexDigit(key[index] >> 4, upper: false))
            octets.append(Self.hexDigit(key[index] & 0x0F, upper: false))
        }
    }

    /// Lends the URI's ASCII octets.
    public func withOctets<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result {
        body(octets.storage.span.extracting(0..<octets.count))
    }

    private mutating func append(_ text: StaticString) {
        for index in 0..<text.utf8CodeUnitCount { octets.append(text.utf8Start[index]) }
    }

    /// The set Android leaves bare; a space is `%20`, for iOS does not take `+` for one.
    private mutating func appendEncoded(_ octet: UInt8) {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x21, 0x2E, 0x7E, 0x27, 0x28, 0x29, 0x2A: octets.append(octet)
        default:
            octets.append(0x25)
            octets.append(Self.hexDigit(octet >> 4, upper: true))
            octets.append(Self.hexDigit(octet & 0x0F, upper: true))
        }
    }

    private static func hexDigit(_ value: UInt8, upper: Bool) -> UInt8 {
        value < 10 ? 0x30 + value : (upper ? 0x41 : 0x61) + value - 10
    }
}
