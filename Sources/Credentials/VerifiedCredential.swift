import JSON

/// A credential whose every claim is covered by the signature of a trusted issuer, and which policy accepts.
///
/// Only the verifier makes one, so holding one is the proof of having verified.
public struct VerifiedCredential: Sendable {
    /// The issuer as signed, one of the trusted issuer's ids; without `iss`, the one its certificate is made out to.
    public let issuer: String
    /// The trust entry's name of the issuer, for people.
    public let issuerName: String?
    public let form: CredentialForm
    /// The signed type for which the issuer is believed: `vct`, the IRI of a JSON-LD type, `claim-169`.
    public let type: String
    /// The covered claims and nothing else. SD-JWT: the payload after disclosures took the place of their digests. JSON-LD: the statements about the
    /// subject, named by IRI (`LinkedClaims`); the subject as it stands where JSON was signed. CWT: claim 169, named by label.
    public let claims: JSONDocument
    public let validity: Validity
    /// The id of the pinned key, or nil when the key came from a certificate under a pinned root.
    public let keyID: String?
    public private(set) var notes: Set<CredentialNote>
    /// How a JSON-LD credential was signed; nil for the other forms.
    public let proof: ProofRecord?
    /// What of a JSON-LD credential is not signed: tolerated, because nothing rests on it.
    public let uncovered: [UncoveredMember]
    public let status: StatusFinding
    private let paths: [ClaimRole: [[String]]]
    private let required: Set<ClaimRole>

    init(
        issuer: String, trust: TrustedIssuer, form: CredentialForm, type: String, claims: JSONDocument, validity: Validity, keyID: String?,
        notes: Set<CredentialNote>, proof: ProofRecord? = nil, uncovered: [UncoveredMember] = [], status: StatusFinding = .unstated
    ) {
        self.issuer = issuer
        issuerName = trust.name
        self.form = form
        self.type = type
        self.claims = claims
        self.validity = validity
        self.keyID = keyID
        self.notes = notes
        self.proof = proof
        self.uncovered = uncovered
        self.status = status
        paths = trust.claims
        required = trust.requires
    }

    /// The same with one note more.
    func adding(_ note: CredentialNote) -> VerifiedCredential {
        var credential = self
        credential.notes.insert(note)
        return credential
    }

    /// The claims the trust entry requires and that are not here, or say nothing.
    var missingRoles: [ClaimRole] {
        ClaimRole.allCases.filter { role in
            guard required.contains(role) else { return false }
            guard let claim = claim(role), !claim.isNull else { return true }
            return claim.stringBytes?.isEmpty ?? claim.elements.map { $0.count == 0 } ?? claim.members.map { $0.count == 0 } ?? false
        }
    }

    /// The claim the trust entry names for this role; nil when it names none or the holder did not disclose it.
    public func claim(_ role: ClaimRole) -> JSONValue? {
        for path in paths[role] ?? [] {
            if let value = claims.root.value(at: path) { return value }
        }
        return nil
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
    /// The list is older than the issuer's policy, or the list itself, would like.
    case statusStale = "status-stale"
    /// The status is unknown and the trust entry says to accept that.
    case statusUnknown = "status-unknown"
    /// An element of `type` is not signed. No decision rests on it.
    case typeNotSigned = "type-not-signed"
    /// There are proofs by keys that are not the issuer's. They count for nothing, and anyone can add one.
    case proofsIgnored = "proofs-ignored"
    /// The board's clock is behind a time that has passed, and the trust bundle says to accept that.
    case clockUnsure = "clock-unsure"
    case neverExpires = "never-expires"
    /// A date of the credential names no time zone: it was taken as UTC.
    case timeZoneAssumed = "time-zone-assumed"
    case keyFromCertificate = "key-from-certificate"

    /// A stable word for programs.
    public var code: String { rawValue }
}
