import COpenSSL

/// ECDSA signatures as COSE carries them, with the digest that belongs to the curve (RFC 9053 section 2.1).
///
/// `PublicKey` verifies what wallets of other forms hand over; P-521 is a curve of mdocs alone.
extension CurvePoint {
    /// Octets of the longest signature in DER: two integers of 67 octets with their heads, and the head around them.
    private static let longestDER = 2 * (67 + 2) + 3

    /// Returns if `signature`, r and s of `curve.coordinateLength` octets each, is this key's signature of `message`.
    ///
    /// Throws `malformedSignature` for another length, `badSignature` (also for r or s outside 1 ..< n), `unavailable`.
    public func verify(signature: Span<UInt8>, over message: Span<UInt8>) throws(CryptographyError) {
        guard signature.count == 2 * curve.coordinateLength else { throw .malformedSignature }
        let der = try Self.der(signature, curve.coordinateLength)
        guard let context = EVP_MD_CTX_new() else { throw Library.failure(.unavailable) }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit_ex(context, nil, curve.digestName, nil, nil, storage.key, nil) == 1 else {
            throw Library.failure(.unavailable)
        }
        let result = der.withUnsafeBufferPointer { der in
            message.withUnsafeBufferPointer { EVP_DigestVerify(context, der.baseAddress, der.count, $0.baseAddress, $0.count) }
        }
        // 0 is "does not verify", negative is "could not tell": only 1 is yes.
        guard result == 1 else { throw Library.failure(.badSignature) }
        ERR_clear_error()
    }

    /// The DER form, which libcrypto wants. Both numbers are taken as they are: libcrypto looks whether they lie in 1 ..< n.
    private static func der(_ signature: Span<UInt8>, _ width: Int) throws(CryptographyError) -> [UInt8] {
        guard let width = Int32(exactly: width), let pair = ECDSA_SIG_new() else { throw Library.failure(.unavailable) }
        defer { ECDSA_SIG_free(pair) }
        let (r, s) = signature.withUnsafeBufferPointer { octets in
            (BN_bin2bn(octets.baseAddress, width, nil), BN_bin2bn(octets.baseAddress.map { $0 + Int(width) }, width, nil))
        }
        guard let r, let s, ECDSA_SIG_set0(pair, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            throw Library.failure(.unavailable)
        }
        var der = [UInt8](repeating: 0, count: longestDER)
        let length = Int(i2d_ECDSA_SIG(pair, nil))
        guard 1...der.count ~= length else { throw Library.failure(.unavailable) }
        let written = der.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return Int(i2d_ECDSA_SIG(pair, &cursor))
        }
        guard written == length else { throw Library.failure(.unavailable) }
        return Array(der.prefix(length))
    }
}

extension Certificate {
    /// The subject's key on a curve of NIST.
    ///
    /// Throws `unsupportedKey` for another curve and another kind of key, `malformedKey` for a point that is none of the curve it names.
    public func curveKey() throws(CryptographyError) -> CurvePoint {
        guard let key = X509_get0_pubkey(storage.certificate) else {
            // A curve that this libcrypto does not know at all is not a broken key.
            let known = [NID_X9_62_prime256v1, NID_secp384r1, NID_secp521r1].contains(gatehouse_certificate_curve(storage.certificate))
            throw Library.failure(known ? .malformedKey : .unsupportedKey)
        }
        guard let curve = NISTCurve(of: key) else { throw Library.failure(.unsupportedKey) }
        guard EVP_PKEY_up_ref(key) == 1 else { throw Library.failure(.unavailable) }
        return try CurvePoint(curve, checking: KeyStorage(key))
    }
}

extension CurvePoint {
    /// A key object of libcrypto's that is known to be on `curve`. Throws `malformedKey`, `unavailable`.
    fileprivate init(_ curve: NISTCurve, checking storage: KeyStorage) throws(CryptographyError) {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, storage.key, nil) else { throw Library.failure(.unavailable) }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_public_check_quick(context) == 1 else { throw Library.failure(.malformedKey) }
        self.curve = curve
        self.storage = storage
    }
}
