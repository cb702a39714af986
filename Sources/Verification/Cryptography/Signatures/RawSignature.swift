/// An ECDSA signature as JOSE, COSE and the W3C suites carry it: r then s, each as long as a coordinate
/// (RFC 7518 section 3.4). libcrypto wants DER, so this is where the one becomes the other.
///
/// DER from outside is refused: two encodings of one signature are one too many. Its length never equals the raw one
/// for honest signatures, and where it does by chance its bytes are read as r and s and verify nothing.
struct RawSignature {
    /// The DER form of `signature` for `curve`. Throws `malformedSignature` unless it has exactly two coordinates'
    /// length and both components lie in 1 ..< n.
    static func der(_ signature: Span<UInt8>, _ curve: EllipticCurve) throws(CryptographyError) -> [UInt8] {
        let length = curve.coordinateLength
        guard signature.count == 2 * length else { throw .malformedSignature }
        let r = 0..<length
        let s = length..<(2 * length)
        let order = curve.order
        guard isScalar(signature, r, below: order), isScalar(signature, s, below: order) else {
            throw .malformedSignature
        }

        var content: [UInt8] = []
        content.reserveCapacity(2 * (length + 3))
        appendInteger(signature, r, to: &content)
        appendInteger(signature, s, to: &content)
        // At most 2 * (2 + 49) = 102 bytes: a DER length of one byte suffices for every curve here.
        return [0x30, UInt8(truncatingIfNeeded: content.count)] + content
    }

    /// Whether 0 < value < limit for the number in `range`, both big-endian and of one length. Signatures are public:
    /// variable time is fine.
    private static func isScalar(_ bytes: Span<UInt8>, _ range: Range<Int>, below limit: [UInt8]) -> Bool {
        guard range.count == limit.count, range.contains(where: { bytes[$0] != 0 }) else { return false }
        for (index, bound) in zip(range, limit) where bytes[index] != bound {
            return bytes[index] < bound
        }
        return false
    }

    /// Appends a DER INTEGER: no superfluous leading zero, one where the top bit would read as a sign.
    private static func appendInteger(_ bytes: Span<UInt8>, _ range: Range<Int>, to der: inout [UInt8]) {
        let significant = range.drop { $0 < range.upperBound - 1 && bytes[$0] == 0 }
        let needsZero = bytes[significant.lowerBound] & 0x80 != 0
        der.append(0x02)
        der.append(UInt8(truncatingIfNeeded: significant.count + (needsZero ? 1 : 0)))
        if needsZero { der.append(0) }
        for index in significant { der.append(bytes[index]) }
    }
}
