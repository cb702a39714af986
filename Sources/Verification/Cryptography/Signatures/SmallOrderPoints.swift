import COpenSSL

/// The encodings of Ed25519 points of order 1, 2, 4 and 8. A public key that is one of them lets anyone make a
/// signature that verifies, often for every message at once; RFC 8032 leaves refusing them to the verifier.
enum SmallOrderPoints {
    /// Throws `malformedKey` when `key`, an Ed25519 key, has small order.
    static func refuse(_ key: OpaquePointer) throws(CryptographyError) {
        var bytes = InlineArray<32, UInt8>(repeating: 0)
        var output = bytes.mutableSpan
        var length = 32
        let read = output.withUnsafeMutableBytes {
            EVP_PKEY_get_raw_public_key(key, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), &length)
        }
        guard read == 1, length == 32 else { throw Library.failure(.malformedKey) }
        // The last bit is the sign of x: both signs of a small-order y are of small order.
        bytes[31] &= 0x7f
        for y in yCoordinates where constantTimeEqual(bytes.span, y.span) { throw .malformedKey }
    }

    /// Little-endian y with the sign bit clear: 0, 1, the two of order 8, p - 1, and p and p + 1, which some
    /// decoders reduce to 0 and 1.
    private static let yCoordinates: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
            0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ],
        [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
            0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
        ],
        [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        [0xee] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
    ]
}
