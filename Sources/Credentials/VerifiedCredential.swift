import JSON

/// A credential whose every claim is covered by the signature of a trusted issuer, and which policy accepts.
///
/// Only the verifier makes one, so holding one is the proof of having verified.
public struct VerifiedCredential: Sendable {
    /// The `iss` value as signed; one of the trusted issuer's ids.
    public let issuer: String
    /// The trust entry's name of the issuer, for people.
    public let issuerName: String?
    public let form: CredentialForm
    /// `vct`, one of the issuer's types.
    public let type: String
    /// The covered claims, after disclosures took the place of their digests: an object without `_sd`, `_sd_alg` and `...`.
    public let claims: JSONDocument
    public let validity: Validity
    /// The `kid` of the pinned key, or nil when the key came from a certificate under a pinned root.
    public let keyID: String?
    public let notes: Set<CredentialNote>
    private let paths: [ClaimRole: [String]]

    init(
        issuer: String, trust: TrustedIssuer, form: CredentialForm, type: String, claims: JSONDocument, validity: Validity, keyID: String?,
        notes: Set<CredentialNote>
    ) {
        self.issuer = issuer
        issuerName = trust.name
        self.form = form
        self.type = type
        self.claims = claims
        self.validity = validity
        self.keyID = keyID
        self.notes = notes
        paths = trust.claims
    }

    /// The claim the trust entry names for this role; nil when it names none or the holder did not disclose it.
    public func claim(_ role: ClaimRole) -> JSONValue? {
        guard let path = paths[role] else { return nil }
        return claims.root.value(at: path)
    }

    /// The covered portrait as text, usually a `data:` URI with base64.
    public var portrait: String? { claim(.portrait)?.string }
}

/// When a credential holds, in whole seconds since 1970.
public struct Validity: Hashable, Sendable {
    /// The latest of the times before which the credential does not hold.
    public let notBefore: Seconds?
    /// The earliest of the times from which it does not hold any more.
    public let expires: Seconds?
    public let issuedAt: Seconds?
}

/// What an accepted credential does not prove, or how it was believed. Data for policy; sentences are in `Sentences.swift`.
public enum CredentialNote: String, Hashable, Sendable, CaseIterable {
    /// A key binding JWT is present and intact, but answers no challenge of this gate: it is not fresh.
    case keyBindingNotFresh = "key-binding-not-fresh"
    /// The credential can be revoked and the trust entry says to ignore that.
    case statusIgnored = "status-ignored"
    case neverExpires = "never-expires"
    case keyFromCertificate = "key-from-certificate"

    /// A stable word for programs.
    public var code: String { rawValue }
}
