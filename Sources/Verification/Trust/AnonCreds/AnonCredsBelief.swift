import AnonCreds
import Envelopes

/// What a gate believes about AnonCreds credentials: schemas, definitions, registries and status lists of a bundle, looked at whole or not
/// at all (anoncreds.md section 8).
public struct AnonCredsBelief: Sendable {
    /// What a presentation is verified with.
    public let context: AnonCredsContext
    /// What may be asked for, in the order of the bundle. A gate's request names their ids.
    public let definitions: [BelievedDefinition]

    /// In the order of the bundle, for reports.
    public let contents: AnonCredsContents
    /// For whoever reads the same again.
    let checked: CheckedObjects

    /// Nobody is believed about any credential.
    public static let nobody = AnonCredsBelief()

    private init() {
        context = .empty
        definitions = []
        contents = AnonCredsContents()
        checked = CheckedObjects()
    }

    init(context: AnonCredsContext, definitions: [BelievedDefinition], contents: AnonCredsContents, checked: CheckedObjects) {
        self.context = context
        self.definitions = definitions
        self.contents = contents
        self.checked = checked
    }

    /// The one with this id, compared octet for octet; nil where it is not believed.
    public func definition(_ id: String) -> BelievedDefinition? { definitions.first { $0.id.isExactly(id) } }
}

/// A credential definition that a gate believes, and for what.
public struct BelievedDefinition: Sendable {
    /// A registry of credentials that can be revoked, with its status lists.
    public struct Registry: Hashable, Sendable {
        public let id: String
        /// By time, the newest last. Empty where the bundle has none: then nobody can prove not to be revoked.
        public let lists: [List]

        public var newest: List? { lists.last }
    }

    /// Which status list it is, and when somebody saw that it is the newest; both in seconds since 1970.
    public struct List: Hashable, Sendable {
        public let timestamp: Seconds
        public let fetched: Seconds
    }

    public let id: String
    /// The definition's own `issuerId`, which is one of `ids` of the issuer's entry.
    public let issuerID: String
    /// The place of the issuer's entry in `TrustStore.issuers`.
    public let issuer: Int
    public let schemaID: String
    /// Another one's where the definition rests on another issuer's schema.
    public let schemaIssuerID: String
    public let schemaName: String
    public let schemaVersion: String
    /// Bits of its modulus.
    public let modulusBits: Int
    /// The schema's attributes, in its spelling and order.
    public let attributes: [String]
    /// What it is believed for: at least one, each of them one of `types` of the entry. The first is what a verdict says.
    public let types: [String]
    /// Where the claims with a meaning for the gate are: attributes in the schema's spelling.
    public let roles: [ClaimRole: String]
    /// Roles without which a credential is none for this gate. `roles` has each of them.
    public let requires: Set<ClaimRole>
    /// The attribute that says until when a credential holds, as a number `YYYYMMDD`; nil where credentials of it never expire.
    public let expiry: String?
    /// Whether a credential of it can be revoked at all.
    public let canBeRevoked: Bool
    /// Of this definition alone.
    public let registries: [Registry]
    /// What to do about revocation. `context` judges by the same ages.
    public let status: StatusPolicy
    /// Seconds since 1970, both included; nil where there is no such end. `context` refuses presentations outside.
    public let notBefore: Seconds?
    public let notAfter: Seconds?

    public func isCurrent(at now: Seconds) -> Bool { notBefore.map { $0 <= now } ?? true && notAfter.map { now <= $0 } ?? true }
}
