import Cryptography
import Envelopes
import JSON
import Trust

/// What a form proves about a credential: signed by a key the issuer is trusted with, and what that signature covers. Nothing of it is
/// policy, which is `Judgement`'s.
struct SignedCredential {
    let form: CredentialForm
    let issuer: TrustedIssuer
    /// The issuer as signed, one of `issuer.ids`.
    let iss: String
    let key: KeyEvidence
    /// What it may be believed as; none for what is nobody's credential, such as a status list.
    let types: [String]
    let times: StatedTimes
    /// Whom it is for; nil where it does not say.
    var audience: [String]?
    let status: [StatedStatus]
    /// The covered claims.
    let claims: JSONDocument
    /// Texts in the place of claims that no face can be compared with as they are signed, by label.
    var photos: [IdentityClaim: JSONDocument] = [:]
    var binding = HolderBinding.none
    var notes: Set<CredentialNote> = []
    /// Rules of the form that are broken although everything is signed.
    var faults: [RejectReason] = []
    var proof: ProofRecord?
    var uncovered: [UncoveredMember] = []
}

/// How the key is known to be the issuer's.
enum KeyEvidence: Hashable, Sendable {
    /// Pinned under this id, or named by an id of the issuer's that is a key itself.
    case pinned(String)
    /// By a certificate under a pinned root.
    case certificate

    /// Nil where it came from a certificate.
    var id: String? {
        if case .pinned(let id) = self { id } else { nil }
    }
}

/// What shows that whoever brought the credential is its holder.
enum HolderBinding: Hashable, Sendable {
    case none
    /// The holder signed the presentation, but no challenge of this gate: it may be a recording.
    case stale
    /// The holder signed this gate's challenge.
    case proven
}

/// One way of writing credentials.
protocol CredentialFormat {
    /// What the octets prove, or why they prove nothing.
    static func open(_ octets: [UInt8], _ context: VerificationContext) throws(Refusal) -> SignedCredential
}

/// Why a credential proves nothing: at least one reason, the first is the one to show.
struct Refusal: Error {
    let reasons: [RejectReason]

    /// What one reason refuses.
    static func because<Result>(_ body: () throws(RejectReason) -> Result) throws(Refusal) -> Result {
        do throws(RejectReason) {
            return try body()
        } catch {
            throw Refusal(reasons: [error])
        }
    }
}
