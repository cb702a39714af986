/// The signature algorithms the gate believes, by their JOSE names (RFC 7518, RFC 8037, RFC 8812).
///
/// Anything absent here (none, HS256, RS1, ES512, ...) cannot be asked for.
public enum SignatureAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on P-384 with SHA-384.
    case es384 = "ES384"
    /// ECDSA on secp256k1 with SHA-256.
    case es256k = "ES256K"
    /// Ed25519.
    case edDSA = "EdDSA"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PSS with SHA-256, MGF1 with SHA-256, salt of 32 bytes.
    case ps256 = "PS256"

    /// Whether a key of this kind may sign with this algorithm. One table against algorithm confusion.
    public func fits(_ kind: PublicKey.Kind) -> Bool {
        switch (self, kind) {
        case (.es256, .p256), (.es384, .p384), (.es256k, .secp256k1), (.edDSA, .ed25519), (.rs256, .rsa), (.ps256, .rsa):
            true
        default:
            false
        }
    }

    /// libcrypto's name of the digest; nil where the scheme has its own (Ed25519).
    var digestName: String? {
        switch self {
        case .es256, .es256k, .rs256, .ps256: "SHA2-256"
        case .es384: "SHA2-384"
        case .edDSA: nil
        }
    }
}
