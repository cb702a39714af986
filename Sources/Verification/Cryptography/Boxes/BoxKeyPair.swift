import CSodium

/// The X25519 key of somebody a box is for or from.
public struct BoxPublicKey: Sendable {
    /// Octets of the key.
    public static let length = 32

    /// The little-endian u-coordinate.
    public let octets: InlineArray<32, UInt8>

    /// The X25519 form of an Ed25519 key, by the birational map (RFC 7748 section 4.1; aries.md section 2, step 3).
    ///
    /// - Parameter ed25519: the 32 octets of RFC 8032.
    /// Throws `wrongLength`, `unavailable`, and `malformedKey` for what is no point of the prime-order group.
    public init(ed25519: Span<UInt8>) throws(CryptographyError) {
        guard ed25519.count == Self.length else { throw .wrongLength }
        guard Sodium.isReady else { throw .unavailable }
        let mapped = InlineArray<32, UInt8>.filled { output in
            ed25519.withPointer { crypto_sign_ed25519_pk_to_curve25519(output, $0) }
        }
        guard let mapped else { throw .malformedKey }
        octets = mapped
    }

    init(_ octets: InlineArray<32, UInt8>) { self.octets = octets }

    /// The octets, for closures and spans: Swift 6.2 with its own checks on, as Debian builds it, gives up on an inline array that a
    /// closure captures, and on the span of one in a function that throws later.
    var array: [UInt8] { octets.indices.map { octets[$0] } }
}

/// An X25519 key pair for boxes. The secret half is overwritten when the value ends.
public struct BoxKeyPair: ~Copyable {
    /// Octets of the secret half, and of a seed.
    public static let secretLength = 32
    /// Octets of an Ed25519 secret key as libsodium keeps it: the seed and the public key.
    private static let signingKeyLength = 64

    public let publicKey: BoxPublicKey
    let secret: Secret

    /// The pair of a secret scalar. Throws `wrongLength`, `unavailable`.
    public init(_ secret: consuming Secret) throws(CryptographyError) {
        guard secret.count == Self.secretLength else { throw .wrongLength }
        guard Sodium.isReady else { throw .unavailable }
        let point = InlineArray<32, UInt8>.filled { output in secret.withPointer { crypto_scalarmult_base(output, $0) } }
        guard let point else { throw .unavailable }
        publicKey = BoxPublicKey(point)
        self.secret = secret
    }

    /// The X25519 form of an Ed25519 pair: its scalar is the first half of the seed's SHA-512, clamped (aries.md section 2, step 3).
    ///
    /// - Parameter ed25519Seed: 32 octets (RFC 8032 section 5.1.5). Throws `wrongLength`, `unavailable`.
    public init(ed25519Seed seed: borrowing Secret) throws(CryptographyError) {
        guard seed.count == Self.secretLength else { throw .wrongLength }
        guard Sodium.isReady else { throw .unavailable }
        var signing = try Secret(count: Self.signingKeyLength), scalar = try Secret(count: Self.secretLength)
        try signing.fill(orThrow: .unavailable) { signing in
            let point = InlineArray<32, UInt8>.filled { point in seed.withPointer { crypto_sign_seed_keypair(point, signing, $0) } }
            return point == nil ? -1 : 0
        }
        try scalar.fill(orThrow: .unavailable) { scalar in
            signing.withPointer { crypto_sign_ed25519_sk_to_curve25519(scalar, $0) }
        }
        try self.init(scalar)
    }

    /// Whether `scalar` is the secret half, in time that does not tell. For checks.
    package borrowing func hasSecret(_ scalar: Span<UInt8>) -> Bool { secret.matches(scalar) }
}
