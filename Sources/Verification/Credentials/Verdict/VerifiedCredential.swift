import Envelopes
import JSON
import Trust

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
    /// The covered claims and nothing else. SD-JWT: the payload after disclosures took the place of their digests. JSON-LD: the statements
    /// about the subject, named by IRI (`LinkedClaims`); the subject as it stands where JSON was signed. CWT: claim 169, named by label.
    public let claims: JSONDocument
    public let validity: Validity
    /// The id of the pinned key, or nil when the key came from a certificate under a pinned root.
    public let keyID: String?
    public let notes: Set<CredentialNote>
    /// How a JSON-LD credential was signed; nil for the other forms.
    public let proof: ProofRecord?
    /// What of a JSON-LD credential is not signed: tolerated, because nothing rests on it.
    public let uncovered: [UncoveredMember]
    public let status: StatusFinding
    private let photos: [IdentityClaim: JSONDocument]
    private let paths: [ClaimRole: [[String]]]
    private let required: Set<ClaimRole>

    init(_ signed: SignedCredential, type: String, notes: Set<CredentialNote>, status: StatusFinding) {
        issuer = signed.iss
        issuerName = signed.issuer.name
        form = signed.form
        self.type = type
        claims = signed.claims
        validity = signed.times.validity
        keyID = signed.key.id
        self.notes = notes
        proof = signed.proof
        uncovered = signed.uncovered
        self.status = status
        photos = signed.photos
        paths = signed.issuer.claims
        required = signed.issuer.requires
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
            if let value = value(at: path) { return value }
        }
        return nil
    }

    /// A claim of a CWT is called by its label, or by the name people have for it. PixelPass leaves names as they are that its table does
    /// not have (pixelpass.md section 3): one is looked for where there is no such label.
    private func value(at path: [String]) -> JSONValue? {
        guard form == .cwt, let first = path.first, let claim = IdentityClaim(label: first) ?? IdentityClaim(name: first) else {
            return claims.root.value(at: path)
        }
        if path.count == 1, let photo = photos[claim] { return photo.root }
        return claims.root.value(at: [claim.label] + path.dropFirst()) ?? claims.root.value(at: path)
    }

    /// What people call the claims of a CWT that are here, by the names that `claims` has for them; nil for the other forms.
    public var labels: [(label: String, name: String)]? {
        guard form == .cwt, let members = claims.root.members else { return nil }
        return members.compactMap { member in IdentityClaim(label: member.name).map { ($0.label, $0.name) } }
    }

    /// The covered portrait as text, usually a `data:` URI with base64; of a CWT whose photo is a byte string, base64url alone.
    public var portrait: String? { claim(.portrait)?.string }
}
