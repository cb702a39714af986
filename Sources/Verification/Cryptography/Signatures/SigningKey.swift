import COpenSSL

/// An Ed25519 private key (RFC 8032), for the tools that sign trust bundles. A gate in service holds none.
public struct SigningKey: ~Copyable {
    /// Length of the seed, in bytes.
    public static let seedLength = 32
    /// Length of a signature, in bytes.
    public static let signatureLength = 64

    private let key: OpaquePointer
    /// The 32 bytes others verify with.
    public let publicKey: InlineArray<32, UInt8>

    /// The key of a seed. Throws `wrongLength`, `unavailable`.
    public init(seed: Span<UInt8>) throws(CryptographyError) {
        guard seed.count == Self.seedLength else { throw .wrongLength }
        _ = Library.shared
        let key = seed.withUnsafeBufferPointer {
            EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, $0.baseAddress, $0.count)
        }
        guard let key else { throw Library.failure(.unavailable) }
        try self.init(owning: key)
    }

    /// The key of a PEM text "PRIVATE KEY" (RFC 8410 section 7), as `openssl genpkey -algorithm ed25519` writes it. libcrypto reads it,
    /// because it wipes what it read. Throws `malformedKey` (also for an encrypted key), `unsupportedKey` for another algorithm,
    /// `unavailable`.
    public init(pem: Span<UInt8>) throws(CryptographyError) {
        let key = try PrivateKeyText.read(pem)
        guard EVP_PKEY_is_a(key, "ED25519") == 1 else {
            EVP_PKEY_free(key)
            throw Library.failure(.unsupportedKey)
        }
        try self.init(owning: key)
    }

    private init(owning key: OpaquePointer) throws(CryptographyError) {
        var publicKey = InlineArray<32, UInt8>(repeating: 0)
        var output = publicKey.mutableSpan
        var length = 32
        let read = output.withUnsafeMutableBytes {
            EVP_PKEY_get_raw_public_key(key, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), &length)
        }
        guard read == 1, length == 32 else {
            EVP_PKEY_free(key)
            throw Library.failure(.unavailable)
        }
        self.key = key
        self.publicKey = publicKey
    }

    /// The key of a secret seed. Throws `wrongLength`, `unavailable`.
    public init(seed: borrowing Secret) throws(CryptographyError) {
        self = try seed.withBytes { (seed) throws(CryptographyError) in try SigningKey(seed: seed) }
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// The 64-byte signature of `message`. Throws `unavailable`.
    public borrowing func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw Library.failure(.unavailable) }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit_ex(context, nil, nil, nil, nil, key, nil) == 1 else {
            throw Library.failure(.unavailable)
        }
        var signature = [UInt8](repeating: 0, count: Self.signatureLength)
        var length = Self.signatureLength
        let signed = message.withUnsafeBufferPointer { message in
            signature.withUnsafeMutableBufferPointer {
                EVP_DigestSign(context, $0.baseAddress, &length, message.baseAddress, message.count)
            }
        }
        guard signed == 1, length == Self.signatureLength else { throw Library.failure(.unavailable) }
        return signature
    }
}
