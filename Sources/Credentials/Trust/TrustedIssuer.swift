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
    public let forms: Set<CredentialForm>
    public let algorithms: Set<SignatureAlgorithm>
    /// The exact `vct` values this issuer is believed for.
    public let types: [String]
    /// Where the claims with a meaning for the gate are, as paths of member names.
    public let claims: [ClaimRole: [String]]
    public let status: StatusPolicy
    /// How far `nbf` and `iat` may lie in the future, in seconds: two clocks are never equal.
    public let skew: Seconds
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

/// What to do with a credential that can be revoked, as long as nothing here can look that up.
public enum StatusPolicy: String, Hashable, Sendable {
    case ignore, reject
}

/// A pinned public key and when it is believed.
public struct TrustedKey: Sendable {
    /// The exact `kid` of headers signed with it.
    public let id: String
    public let key: PublicKey
    /// The only algorithm it is believed with; nil where the trust file does not narrow it.
    public let algorithm: SignatureAlgorithm?
    /// Inclusive; nil is unlimited.
    public let notBefore: Seconds?
    /// Exclusive; nil is unlimited.
    public let notAfter: Seconds?

    func isCurrent(at time: Seconds) -> Bool {
        if let notBefore, time < notBefore { return false }
        if let notAfter, time >= notAfter { return false }
        return true
    }
}
