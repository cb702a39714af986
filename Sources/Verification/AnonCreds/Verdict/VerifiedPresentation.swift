/// What a presentation proves, and nothing else (anoncreds.md section 11).
public struct VerifiedPresentation: Hashable, Sendable {
    /// What is known of a credential's revocation.
    public enum Revocation: Hashable, Sendable {
        /// By the status list of that time, in seconds since 1970.
        case notRevoked(at: Int64)
        /// Credentials of its definition cannot be revoked.
        case cannotBeRevoked
        case notAsked
    }

    /// `birth_date <= 20080926`, with the schema's spelling.
    public struct Statement: Hashable, Sendable {
        public let attribute: String
        /// `>=`, `>`, `<=` or `<`.
        public let relation: String
        public let value: Int32
        public var text: String { "\(attribute) \(relation) \(value)" }
    }

    /// One sub-proof.
    public struct Credential: Hashable, Sendable {
        public let issuerID: String
        public let schemaID: String, schemaName: String, schemaVersion: String
        public let definitionID: String
        /// Raw texts by the schema's spelling of the name, in the schema's order.
        public let revealed: [Revealed]
        /// In the order of the text.
        public let predicates: [Statement]
        public let revocation: Revocation
    }

    public struct Revealed: Hashable, Sendable {
        public let name: String, raw: String
    }

    public enum Note: String, Hashable, Sendable, CaseIterable {
        /// A fresh nonce was answered with the link secret, which the wallet's software has and could be copied with it.
        case holderBoundLinkSecret = "holder-bound-link-secret"
        /// Several credentials, one link secret.
        case sameHolder = "same-holder"
        /// Everything is of one credential.
        case sameCredential = "same-credential"
        case statusStale = "status-stale"
        /// Something was only said, not proven.
        case selfAttested = "self-attested"
    }

    public let credentials: [Credential]
    /// Which of the credentials answers a referent of the request.
    public let places: [String: Int]
    /// By referent. Nobody vouches for any of it.
    public let selfAttested: [String: String]
    public let notes: [Note]
}
