import Cryptography
import Envelopes

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
    /// Keys that this issuer encrypts tokens in codes with. They prove nothing about who did.
    public let contentKeys: [TrustedContentKey]
    public let forms: Set<CredentialForm>
    public let algorithms: Set<SignatureAlgorithm>
    /// What this issuer calls this gate, or its site, in `aud`.
    public let audiences: [String]
    /// The proof suites of JSON-LD credentials.
    package let suites: Set<LinkedProofSuite>
    /// The exact types this issuer is believed for: `vct` values, IRIs of JSON-LD types, `CWTFormat.identityType`.
    public let types: [String]
    /// Where the claims with a meaning for the gate are: paths of member names, property IRIs or CBOR labels. The first that leads
    /// somewhere counts.
    public let claims: [ClaimRole: [[String]]]
    /// Claims without which a credential is none for this gate.
    public let requires: Set<ClaimRole>
    public let status: StatusPolicy
    /// How far `nbf` and `iat` may lie in the future, in seconds: two clocks are never equal.
    public let skew: Seconds
    /// Where its AnonCreds objects are; nil without that form.
    public let anoncreds: AnonCredsAnchor?
    /// What is asked of its holders' wallets; nil without that form.
    public let trustedKey: TrustedKeyAnchor?

    /// Whether a token of this issuer's is for this gate (RFC 7519 section 4.1.3): one of the names it is for is ours, or it does not say.
    ///
    /// - Parameter stated: `aud`; nil where there is none.
    package func isAudience(_ stated: [String]?) -> Bool {
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

/// A pinned public key and when it is believed.
public struct TrustedKey: Sendable {
    /// The exact `kid` of headers, or `verificationMethod` of proofs, signed with it.
    public let id: String
    /// The same as COSE has it: a byte string (RFC 9052 section 3.1).
    package let octets: [UInt8]
    public let key: PublicKey
    /// The only algorithm it is believed with; nil where the trust file does not narrow it.
    public let algorithm: SignatureAlgorithm?
    /// Inclusive; nil is unlimited.
    public let notBefore: Seconds?
    /// Exclusive; nil is unlimited.
    public let notAfter: Seconds?

    package init(
        id: String, octets: [UInt8], key: PublicKey, algorithm: SignatureAlgorithm?, notBefore: Seconds?, notAfter: Seconds?
    ) {
        self.id = id
        self.octets = octets
        self.key = key
        self.algorithm = algorithm
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    package func isCurrent(at time: Seconds) -> Bool {
        if let notBefore, time < notBefore { return false }
        if let notAfter, time >= notAfter { return false }
        return true
    }

    /// The octets of a COSE `kid` that is pinned as `hex:`, `base64url:` or the text itself; nil for what has the prefix and not the form,
    /// and for none.
    static func octets(of id: String) -> [UInt8]? {
        let text = Array(id.utf8)
        let forms: [(prefix: String, decode: (ArraySlice<UInt8>) -> [UInt8]?)] = [
            ("hex:", Hexadecimal.decode), ("base64url:", { Base64.decode($0) }),
        ]
        for form in forms where text.starts(with: form.prefix.utf8) {
            guard let octets = form.decode(text.dropFirst(form.prefix.utf8.count)), !octets.isEmpty else { return nil }
            return octets
        }
        return text
    }
}

/// What to do with a credential that can be revoked or suspended.
public struct StatusPolicy: Hashable, Sendable {
    /// What a status that nothing here can tell means.
    public enum Unknown: String, Hashable, Sendable, CaseIterable {
        case reject, accept
    }

    /// Do not even look: every credential of the issuer is accepted with a note.
    public var isIgnored: Bool
    public var unknown: Unknown
    /// Seconds since the list was fetched after which an accepted credential carries a note.
    public var softAge: Seconds
    /// Seconds since the list was fetched after which it says nothing any more.
    public var hardAge: Seconds
    /// Seconds for which a status list of AnonCreds is taken after a newer one was published (anoncreds.md section 8).
    public var grace: Seconds

    /// Lists that call themselves otherwise than the credentials that name them do.
    public var lists: [ListName]

    /// What the list is called that credentials know under a URL; both compared octet for octet.
    public struct ListName: Hashable, Sendable {
        public var url: String
        public var name: String
    }

    /// What a list has to call itself to be the one that credentials know under `url`.
    package func name(of url: String) -> String { lists.first { $0.url.isExactly(url) }?.name ?? url }

    /// A day, and a week.
    public init(
        isIgnored: Bool = false, unknown: Unknown = .reject, softAge: Seconds = 86_400, hardAge: Seconds = 604_800, grace: Seconds = 0,
        lists: [ListName] = []
    ) {
        self.lists = lists
        self.isIgnored = isIgnored
        self.unknown = unknown
        self.softAge = softAge
        self.hardAge = hardAge
        self.grace = grace
    }
}
