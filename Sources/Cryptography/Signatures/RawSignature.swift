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
        let r = signature.extracting(0..<length)
        let s = signature.extracting(length..<(2 * length))
        guard isScalar(r, below: curve.order), isScalar(s, below: curve.order) else { throw .malformedSignature }

        var content: [UInt8] = []
        content.reserveCapacity(2 * (length + 3))
        appendInteger(r, to: &content)
        appendInteger(s, to: &content)
        // At most 2 * (2 + 49) = 102 bytes: a DER length of one byte suffices for every curve here.
        return [0x30, UInt8(truncatingIfNeeded: content.count)] + content
    }

    /// Whether 0 < value < limit, both big-endian and of one length. Signatures are public: variable time is fine.
    private static func isScalar(_ value: Span<UInt8>, below limit: [UInt8]) -> Bool {
        guard value.count == limit.count else { return false }
        var isZero = true
        for index in value.indices where value[index] != 0 { isZero = false }
        if isZero { return false }
        for index in value.indices where value[index] != limit[index] {
            return value[index] < limit[index]
        }
        return false
    }

    /// Appends a DER INTEGER: no superfluous leading zero, one where the top bit would read as a sign.
    private static func appendInteger(_ value: Span<UInt8>, to der: inout [UInt8]) {
        var start = 0
        while start < value.count - 1 && value[start] == 0 { start += 1 }
        let needsZero = value[start] & 0x80 != 0
        der.append(0x02)
        der.append(UInt8(truncatingIfNeeded: value.count - start + (needsZero ? 1 : 0)))
        if needsZero { der.append(0) }
        for index in start..<value.count { der.append(value[index]) }
    }
}
