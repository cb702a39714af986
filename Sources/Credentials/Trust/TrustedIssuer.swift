import Cryptography

/// One issuer as the operator pinned it: who it is, how it signs, and for what it is believed.
public struct TrustedIssuer: Sendable {
    /// The exact `iss` values that mean this issuer.
    public let ids: [String]
    /// For people.
    public let name: String?
    public let keys: [TrustedKey]
    /// Pinned certificates that `x5c` chains may end in.
    public let roots: [Certificate]
    /// Names one of which the signing certificate must carry; when empty it must name `iss` itself.
    public let certificateNames: [String]
    /// What a certificate that says what it is for must be for: dotted identifiers, one of which it has to have.
    public let extendedKeyUsages: [String]
    public let forms: Set<CredentialForm>
    public let algorithms: Set<SignatureAlgorithm>
    /// What this issuer calls this gate, or its site, in `aud`.
    public let audiences: [String]
    /// The proof suites of JSON-LD credentials.
    let suites: Set<LinkedProofSuite>
    /// The exact types this issuer is believed for: `vct` values, IRIs of JSON-LD types, `CWTVerification.identityType`.
    public let types: [String]
    /// Where the claims with a meaning for the gate are: paths of member names, property IRIs or CBOR labels. The first that leads somewhere counts.
    public let claims: [ClaimRole: [[String]]]
    /// Claims without which a credential is none for this gate.
    public let requires: Set<ClaimRole>
    public let status: StatusPolicy
    /// How far `nbf` and `iat` may lie in the future, in seconds: two clocks are never equal.
    public let skew: Seconds

    /// Whether a token of this issuer's is for this gate (RFC 7519 section 4.1.3): one of the names it is for is ours, or it does not say.
    ///
    /// - Parameter stated: `aud`; nil where there is none.
    func isAudience(_ stated: [String]?) -> Bool {
        guard let stated else { return true }
        return stated.contains { name in audiences.contains { $0.isExactly(name) } }
    }
}

/// A claim the gate has a use for.
public enum ClaimRole: String, Hashable, Sendable, CaseIterable {
    /// The photo the visitor's face is compared with.
    case portrait
    case fullName
    case givenName
    case familyName
    case birthDate
    case documentNumber
}
