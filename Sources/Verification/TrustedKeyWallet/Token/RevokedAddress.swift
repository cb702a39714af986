import Cryptography
import Envelopes

/// The name of a key or of a certificate in a list of what is revoked: 20 octets (trustedkey.md section 5).
public struct RevokedAddress: Hashable, Sendable {
    /// Most significant first.
    package let octets: [UInt8]

    private static let length = 20

    /// From `0x` and 40 lower-case digits; nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.starts(with: "0x".utf8) else { return nil }
        let digits = Array(text.utf8.dropFirst(2))
        guard digits.count == 2 * Self.length, digits.allSatisfy({ !(UInt8(ascii: "A")...UInt8(ascii: "F") ~= $0) }),
            let octets = Hexadecimal.decode(digits[...])
        else { return nil }
        self.octets = octets
    }

    /// Nil where there are not 20 octets.
    package init?(octets: some Collection<UInt8>) {
        guard octets.count == Self.length else { return nil }
        self.octets = Array(octets)
    }

    /// Of a key: the end of SHA-256 of X and Y. Throws `unavailable`.
    init(ofCoordinates coordinates: [UInt8]) throws(CryptographyError) {
        octets = Array(try Digest.hash(coordinates.span, .sha256).suffix(Self.length))
    }

    /// Of a certificate: its serial number as 160 bits. Nil for one that is longer or negative, which no list can name.
    init?(serialOf certificate: Certificate) {
        guard let serial = certificate.serialNumber, serial.count <= Self.length else { return nil }
        octets = [UInt8](repeating: 0, count: Self.length - serial.count) + serial
    }

    /// `0x` and 40 lower-case digits.
    public var text: String { "0x" + Hexadecimal.text(octets) }
}
