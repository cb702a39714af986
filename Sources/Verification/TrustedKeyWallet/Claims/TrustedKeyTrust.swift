import Cryptography

/// Whom answers are believed from: roots pinned for this purpose, and what is revoked (trustedkey.md sections 4 and 5).
public struct TrustedKeyTrust: Sendable {
    public let roots: [TrustedKeyRoot]
    /// Keys and certificates that are good no longer. That a list is missing or old is for whoever has the lists to judge.
    public let revoked: Set<RevokedAddress>

    public init(roots: [TrustedKeyRoot], revoked: Set<RevokedAddress> = []) {
        self.roots = roots
        self.revoked = revoked
    }
}

/// A certificate that somebody pinned as the end of paths. None comes with the gate: the published one has expired.
public struct TrustedKeyRoot: Sendable {
    let certificate: Certificate
    /// SHA-256 of the DER, by which it is named in reports.
    public let fingerprint: [UInt8]

    /// From DER. Whether it is an authority and in its time is asked for each answer.
    ///
    /// Throws `malformedCertificate`, `unavailable`.
    public init(_ der: Span<UInt8>) throws(CryptographyError) {
        let certificate = try Certificate(der)
        fingerprint = try certificate.fingerprint()
        self.certificate = certificate
    }

    /// Whether claims can be under it at all, in its time.
    public var isAuthority: Bool { ClaimIssuers.isAuthority(certificate) }

    /// In seconds since 1970, both ends inclusive; nil where it cannot be read.
    public var validity: ClosedRange<Int64>? { try? certificate.validity() }
}
