import AnonCreds
import JSON
import LinkedData
import Mdoc

/// Why a trust folder is not used. Any fault makes the whole folder unusable: half a trust store is not what the operator asked for.
public struct TrustError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        case unreadable
        case empty
        case tooLarge
        case malformed(JSONError)
        case missing
        case unknown
        case wrongType
        case wrongValue
        case unsupportedVersion
        case duplicate
        case malformedKey
        case malformedCertificate
        case secretKey
        /// A JSON-LD context that no credential can be read under.
        case unusableContext(LinkedDataError)
        /// A certificate that is no root of an issuing authority.
        case unusableRoot(RootFault)
        /// A revocation list that cannot be read.
        case malformedRevocations
        /// A revocation list that none of the roots has issued.
        case ofNoRoot
        case malformedToken
        case unusableReader(ReaderKeyError)
        /// An AnonCreds object that nothing can be verified with.
        case unusableObject(ContextFault.Problem)
        /// A file or a list that no issuer's entry names.
        case ofNoEntry
    }

    /// Name of the file, or the folder's path when the fault is not in one file.
    public let file: String
    /// The member at fault as a path, for example `keys[0].jwk.x`; empty when it is the file as a whole.
    public let member: String
    public let reason: Reason
    /// What is there, for people: a short value as it is, anything else by its kind. Nil where it says nothing, and for what is secret.
    public let found: String?
    /// What may be there instead, for people.
    public let allowed: String?

    public init(file: String, member: String = "", reason: Reason, found: String? = nil, allowed: String? = nil) {
        self.file = file
        self.member = member
        self.reason = reason
        self.found = found
        self.allowed = allowed
    }

    /// The same fault at the same place, in whatever words.
    public static func == (one: TrustError, other: TrustError) -> Bool {
        one.file == other.file && one.member == other.member && one.reason == other.reason
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(file)
        hasher.combine(member)
        hasher.combine(reason)
    }
}
