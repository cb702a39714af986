import COpenSSL

/// Keys from their components, as JWK (RFC 7517), COSE_Key (RFC 9052) and did:key carry them.
extension PublicKey {
    /// An ECDSA key from its affine coordinates, big-endian, each exactly `curve.coordinateLength` bytes.
    /// Throws `wrongLength`, `malformedKey` (not on the curve), `unavailable`.
    public init(curve: EllipticCurve, x: Span<UInt8>, y: Span<UInt8>) throws(CryptographyError) {
        guard x.count == curve.coordinateLength, y.count == curve.coordinateLength else { throw .wrongLength }
        var point: [UInt8] = [0x04]
        point.reserveCapacity(1 + x.count + y.count)
        for index in x.indices { point.append(x[index]) }
        for index in y.indices { point.append(y[index]) }
        try self.init(curve: curve, point: point.span)
    }

    /// An ECDSA key from its SEC 1 point: `04 x y`, or `02`/`03` and x. The point at infinity and the hybrid forms
    /// are refused. Throws `wrongLength`, `malformedKey`, `unavailable`.
    public init(curve: EllipticCurve, point: Span<UInt8>) throws(CryptographyError) {
        guard !point.isEmpty else { throw .wrongLength }
        switch point[0] {
        case 0x02, 0x03: guard point.count == 1 + curve.coordinateLength else { throw .wrongLength }
        case 0x04: guard point.count == 1 + 2 * curve.coordinateLength else { throw .wrongLength }
        default: throw .malformedKey
        }
        _ = Library.shared
        let key = point.withUnsafeBufferPointer {
            gatehouse_ec_public_key(curve.groupName, $0.baseAddress, $0.count)
        }
        guard let key else { throw Library.failure(.malformedKey) }
        try self.init(checking: KeyStorage(key))
        guard self.curve == curve else { throw .malformedKey }
    }

    /// An Ed25519 key from its 32 bytes (RFC 8032 section 5.1.5). Throws `wrongLength`, `malformedKey`,
    /// `unavailable`.
    public init(ed25519 bytes: Span<UInt8>) throws(CryptographyError) {
        guard bytes.count == 32 else { throw .wrongLength }
        _ = Library.shared
        let key = bytes.withUnsafeBufferPointer {
            EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, $0.baseAddress, $0.count)
        }
        guard let key else { throw Library.failure(.malformedKey) }
        try self.init(checking: KeyStorage(key))
    }

    /// An RSA key from modulus and exponent, big-endian; leading zeros are allowed, as in DER.
    /// Throws `keySizeRefused`, `malformedKey` (an even modulus, an exponent that is even, below 3 or above 64 bits),
    /// `unavailable`.
    public init(rsaModulus modulus: Span<UInt8>, exponent: Span<UInt8>) throws(CryptographyError) {
        // Lengths are bounded before libcrypto sees the numbers; the byte more is DER's sign byte.
        guard modulus.count <= Self.rsaBits.upperBound / 8 + 1 else { throw .keySizeRefused }
        guard exponent.count <= 9 else { throw .malformedKey }
        _ = Library.shared
        let key = modulus.withUnsafeBufferPointer { modulus in
            exponent.withUnsafeBufferPointer { exponent in
                gatehouse_rsa_public_key(modulus.baseAddress, modulus.count, exponent.baseAddress, exponent.count)
            }
        }
        guard let key else { throw Library.failure(.malformedKey) }
        try self.init(checking: KeyStorage(key))
    }

    /// Octets of the longest point: that of P-384.
    private static let longestPoint = 1 + 2 * 48

    /// The 32 bytes of an Ed25519 key, or the SEC 1 point of an ECDSA key: `04 x y`, or compressed as it came.
    /// Throws `unsupportedKey` for RSA, `unavailable`.
    public func point() throws(CryptographyError) -> [UInt8] {
        if case .rsa = kind { throw .unsupportedKey }
        var point = [UInt8](repeating: 0, count: Self.longestPoint)
        var length = 0
        guard EVP_PKEY_get_octet_string_param(storage.key, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &length) == 1,
            1...point.count ~= length
        else { throw Library.failure(.unavailable) }
        return Array(point[..<length])
    }

    /// X and Y of an ECDSA key, big-endian, each `curve.coordinateLength` octets, whatever form its point came in.
    /// Throws `unsupportedKey` for a key without a curve, `unavailable`.
    public func coordinates() throws(CryptographyError) -> [UInt8] {
        guard let curve else { throw .unsupportedKey }
        var octets: [UInt8] = []
        for name in [OSSL_PKEY_PARAM_EC_PUB_X, OSSL_PKEY_PARAM_EC_PUB_Y] {
            var number: OpaquePointer?
            let read = EVP_PKEY_get_bn_param(storage.key, name, &number)
            defer { BN_free(number) }
            var coordinate = [UInt8](repeating: 0, count: curve.coordinateLength)
            guard read == 1, let number, let length = Int32(exactly: coordinate.count), BN_bn2binpad(number, &coordinate, length) == length
            else { throw Library.failure(.unavailable) }
            octets += coordinate
        }
        return octets
    }
}
