import COpenSSL

/// A key pair that was just made: a signer's, or an issuer's in a trial. A gate in service makes none.
public struct KeyPair: ~Copyable {
    public enum Kind: Hashable, Sendable, CaseIterable {
        case ed25519, p256
    }

    private let key: OpaquePointer
    public let publicKey: PublicKey

    /// Throws `unavailable`, which a random generator without a seed is too.
    public init(_ kind: Kind) throws(CryptographyError) {
        _ = Library.shared
        let made =
            switch kind {
            case .ed25519: gatehouse_new_ed25519_key()
            case .p256: gatehouse_new_p256_key()
            }
        guard let made else { throw Library.failure(.unavailable) }
        let known: PublicKey
        do throws(CryptographyError) {
            // By way of its encoding: a `PublicKey` can be copied, and must not hold the private half.
            let info = try PublicKey.subjectPublicKeyInfo(of: made)
            known = try PublicKey(der: info.span)
        } catch {
            EVP_PKEY_free(made)
            throw error
        }
        key = made
        publicKey = known
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// The private key as a PEM text "PRIVATE KEY" (RFC 5958, RFC 7468 section 10), not encrypted: whoever reads it signs with it.
    /// Throws `unavailable`.
    public borrowing func privatePEM() throws(CryptographyError) -> Secret { try PrivateKeyText.write(key) }
}
