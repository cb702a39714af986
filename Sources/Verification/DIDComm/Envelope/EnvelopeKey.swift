import Cryptography

/// The gate's key pair of one visit: Ed25519 by name, X25519 at work (aries.md section 2, step 3). It is wiped when the value ends.
public struct EnvelopeKey: ~Copyable {
    /// Octets of a seed.
    public static let seedLength = SigningKey.seedLength

    /// By which a wallet addresses the gate.
    public let recipient: EnvelopeRecipient
    package let pair: BoxKeyPair

    /// A fresh pair. Throws `unavailable`, `noRandomness`.
    public init() throws(CryptographyError) {
        let seed = try Secret(randomCount: Self.seedLength)
        self = try EnvelopeKey(seed: seed)
    }

    /// The pair of a seed of 32 octets (RFC 8032 section 5.1.5). Throws `wrongLength`, `unavailable`.
    public init(seed: borrowing Secret) throws(CryptographyError) {
        let signing = try SigningKey(seed: seed)
        let key = signing.publicKey, octets = key.indices.map { key[$0] }
        let recipient = try EnvelopeRecipient(ed25519: octets.span), pair = try BoxKeyPair(ed25519Seed: seed)
        self.recipient = recipient
        self.pair = pair
    }

    /// The key in base58.
    public var kid: String { recipient.kid }
    /// The key as a did:key.
    public var didKey: String { recipient.didKey }

    /// Whether `scalar` is the secret X25519 key, in time that does not tell. For checks.
    package borrowing func hasSecret(_ scalar: Span<UInt8>) -> Bool { pair.hasSecret(scalar) }
}
