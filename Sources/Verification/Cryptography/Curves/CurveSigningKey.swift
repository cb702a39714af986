import COpenSSL

/// An ECDSA private key on a curve of NIST: a reader's, which says who asks (mdoc.md section 4).
///
/// libcrypto's key object never changes once built, which is why a copy of this may be shared; its number is wiped with the last one.
public struct CurveSigningKey: Sendable {
    /// Octets of the longest signature in DER: two integers of 67 octets with their heads, and the head around them.
    private static let longestSignature = 2 * (67 + 2) + 3

    public let curve: NISTCurve
    private let storage: KeyStorage

    /// The key of a PEM text "PRIVATE KEY" or "EC PRIVATE KEY" (RFC 5958, RFC 5915), not encrypted. libcrypto reads it, because it wipes
    /// what it read. Throws `malformedKey` (also for an encrypted key), `unsupportedKey` for another kind and another curve.
    public init(pem: Span<UInt8>) throws(CryptographyError) {
        let key = try PrivateKeyText.read(pem)
        storage = KeyStorage(key)
        guard let curve = NISTCurve(of: key) else { throw Library.failure(.unsupportedKey) }
        self.curve = curve
    }

    /// Whether the certificate is of this key.
    public func isKey(of certificate: Certificate) -> Bool {
        defer { ERR_clear_error() }
        guard let key = X509_get0_pubkey(certificate.storage.certificate) else { return false }
        return EVP_PKEY_eq(storage.key, key) == 1
    }

    /// The signature of `message`, r and s of `curve.coordinateLength` octets each. Throws `unavailable`.
    public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw Library.failure(.unavailable) }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit_ex(context, nil, curve.digestName, nil, nil, storage.key, nil) == 1 else {
            throw Library.failure(.unavailable)
        }
        var der = [UInt8](repeating: 0, count: Self.longestSignature)
        var length = der.count
        let isSigned = message.withUnsafeBufferPointer { message in
            der.withUnsafeMutableBufferPointer { EVP_DigestSign(context, $0.baseAddress, &length, message.baseAddress, message.count) == 1 }
        }
        var raw = [UInt8](repeating: 0, count: 2 * curve.coordinateLength)
        guard isSigned, length <= der.count, gatehouse_ecdsa_raw(der, length, &raw, curve.coordinateLength) == 1 else {
            throw Library.failure(.unavailable)
        }
        return raw
    }
}
