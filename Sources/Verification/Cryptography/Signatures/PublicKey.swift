import COpenSSL

/// A public key that was checked when it was made: its kind is one the gate verifies with, its point lies on its
/// curve, its modulus has a permitted size. It never changes, so it can be shared.
public struct PublicKey: Sendable, Equatable {
    public enum Kind: Hashable, Sendable {
        case p256, p384, secp256k1, ed25519
        /// `bits` is the length of the modulus.
        case rsa(bits: Int)
    }

    /// RSA moduli outside these lengths are refused: below is weak, above lets a stranger's key cost whole seconds.
    public static let rsaBits = 2048...8192

    public let kind: Kind
    let storage: KeyStorage

    init(kind: Kind, storage: KeyStorage) {
        self.kind = kind
        self.storage = storage
    }

    /// Whether both are the same key: the same kind and the same numbers, whatever encoding they came in.
    public static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.kind == right.kind && EVP_PKEY_eq(left.storage.key, right.storage.key) == 1
    }

    /// The elliptic curve of an ECDSA key.
    public var curve: EllipticCurve? {
        switch kind {
        case .p256: .p256
        case .p384: .p384
        case .secp256k1: .secp256k1
        case .ed25519, .rsa: nil
        }
    }

    /// Returns if `signature` is this key's signature of `message`; throws otherwise.
    ///
    /// ECDSA signatures are raw r and s, never DER. Throws `algorithmMismatch` where `algorithm` does not belong to
    /// this kind of key, `malformedSignature`, `badSignature`, `unavailable`.
    public func verify(
        signature: Span<UInt8>, over message: Span<UInt8>, algorithm: SignatureAlgorithm
    ) throws(CryptographyError) {
        guard algorithm.fits(kind) else { throw .algorithmMismatch }
        switch kind {
        case .p256, .p384, .secp256k1:
            guard let curve else { throw .unsupportedKey }
            let der = try RawSignature.der(signature, curve)
            try check(der.span, over: message, algorithm)
        case .ed25519:
            guard signature.count == 64 else { throw .malformedSignature }
            try check(signature, over: message, algorithm)
        case .rsa(let bits):
            guard signature.count == (bits + 7) / 8 else { throw .malformedSignature }
            try check(signature, over: message, algorithm)
        }
    }

    private func check(
        _ signature: Span<UInt8>, over message: Span<UInt8>, _ algorithm: SignatureAlgorithm
    ) throws(CryptographyError) {
        guard let context = EVP_MD_CTX_new() else { throw Library.failure(.unavailable) }
        defer { EVP_MD_CTX_free(context) }
        // Owned by `context`.
        var keyContext: OpaquePointer?
        guard
            EVP_DigestVerifyInit_ex(context, &keyContext, algorithm.digestName, nil, nil, storage.key, nil) == 1
        else { throw Library.failure(.unavailable) }
        if case .rsa = kind {
            guard setPadding(keyContext, algorithm) else { throw Library.failure(.unavailable) }
        }
        let result = signature.withUnsafeBufferPointer { signature in
            message.withUnsafeBufferPointer { message in
                EVP_DigestVerify(
                    context, signature.baseAddress, signature.count, message.baseAddress, message.count)
            }
        }
        // 0 is "does not verify", negative is "could not tell": only 1 is yes.
        guard result == 1 else { throw Library.failure(.badSignature) }
        ERR_clear_error()
    }

    private func setPadding(_ context: OpaquePointer?, _ algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm {
        case .rs256:
            return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        case .ps256:
            return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context, Library.shared.sha256) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, 32) == 1
        case .es256, .es384, .es256k, .edDSA:
            return false
        }
    }
}

/// Owns one reference to libcrypto's key object, which is immutable once built and safe to use from any thread.
final class KeyStorage: @unchecked Sendable {
    let key: OpaquePointer

    /// Takes ownership of `key`.
    init(_ key: OpaquePointer) {
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }
}
