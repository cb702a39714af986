/// Why a cryptographic operation was refused. One enum for the module; a caller maps it to its own reasons.
public enum CryptographyError: Error, Hashable, Sendable, CaseIterable {
    // The library
    /// libcrypto lacks an algorithm this module needs, or had no memory left.
    case unavailable
    /// The random generator could not be seeded.
    case noRandomness

    // Agreement and opening
    /// A key, nonce, digest or buffer does not have the one length it may have.
    case wrongLength
    /// The peer's X25519 key has a low order: the shared secret would be all zero (RFC 7748 section 6.1).
    case lowOrderPoint
    /// The private key was forgotten before this call.
    case keyForgotten
    /// The authentication tag does not match: wrong key, wrong nonce or a changed message.
    case authenticationFailed

    // Public keys
    /// The bytes are no key: bad encoding, bytes left over, a point that is not on its curve, an impossible modulus.
    case malformedKey
    /// A key of a kind this module does not verify with.
    case unsupportedKey
    /// An RSA modulus below 2048 bits or above 8192.
    case keySizeRefused

    // Signatures
    /// The algorithm does not belong to this kind of key.
    case algorithmMismatch
    /// The signature has the wrong length or a component outside its range. DER-encoded ECDSA signatures end here.
    case malformedSignature
    /// The signature does not verify.
    case badSignature

    // Certificates
    /// A certificate does not parse, is oversized, or has bytes left over.
    case malformedCertificate
    /// The time is after a certificate's notAfter.
    case certificateExpired
    /// The time is before a certificate's notBefore.
    case certificateNotYetValid
    /// No path leads to a pinned root.
    case untrustedRoot
    /// A signature in the chain does not verify.
    case badCertificateSignature
    /// A certificate signs another without being a certification authority, or outside its path length.
    case notAnAuthority
    /// A key or a digest in the chain is below 112 bits of security (SHA-1, RSA-1024).
    case weakCertificate
    /// A certificate carries a critical extension or a name constraint that was not satisfied.
    case certificateConstraint
    /// The leaf or an intermediate says what it is for, and that is something else.
    case certificateUsage
    /// A certificate requires that one policy holds for the whole path, and none does; or its policies are malformed.
    case certificatePolicy
    /// More certificates than a chain may have.
    case chainTooLong
}
