import Cryptography
import Envelopes
import LinkedData

/// How a JSON-LD credential was signed, for the record.
public struct ProofRecord: Hashable, Sendable {
    /// Which context gave the proof's options their meaning, and so which of the two rules in the field matched.
    public enum Options: String, Hashable, Sendable {
        /// The rule of MOSIP's and Inji's issuers, for every suite older than Data Integrity.
        case securityV3 = "security-v3"
        /// The rule of the W3C.
        case document
        /// Nothing but JSON was signed (RFC 8785): no context plays a part.
        case canonicalJSON = "canonical-json"

        init(_ document: VerifiedLinkedDocument) {
            self =
                switch (document.content, document.optionsContext) {
                case (.canonicalJSON, _): .canonicalJSON
                case (_, .securityV3): .securityV3
                case (_, .document): .document
                }
        }
    }

    /// `RsaSignature2018`, `eddsa-rdfc-2022`, …
    public let suite: String
    public let algorithm: SignatureAlgorithm
    public let options: Options
    /// How the signer had language tags; nil where no tag has a capital letter.
    public var languages: LanguageTags?
    /// Signed with the proof, seconds since 1970.
    public let created: Seconds?
}

/// A member of the credential that its signature does not cover. None decides anything, and none is among the claims.
public struct UncoveredMember: Hashable, Sendable {
    /// RFC 6901.
    public let pointer: String
    /// Why no statement was made of it: `undefinedTerm`, `relativeType`, …
    public let reason: String

    /// A context that was appended after signing: the signature is over JSON and says which contexts the signer saw.
    init(appendedContext pointer: String) {
        self.pointer = pointer
        reason = "appendedContext"
    }

    init(_ dropped: DroppedTerm) {
        pointer = dropped.pointer
        reason = dropped.reason.rawValue
    }
}
