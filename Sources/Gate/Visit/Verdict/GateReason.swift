import Credentials
import Faces
import Presentation

/// Why the gate did not open. Data for counters and the audit log; `sentence` is for people.
public enum GateReason: Hashable, Sendable {
    /// The credential was not believed.
    case credential(RejectReason)
    /// The message did not open.
    case opening(OpeningError)
    /// The visitor was not found to be the person in the credential.
    case face(FaceReason)
    /// The credential came as a code, which anybody can have copied, and no face was compared with it.
    case copyNeedsFace
    /// A document in a phone was not believed, or is not what the site asks for.
    case mdoc(MdocReason)
    /// A presentation of AnonCreds was not believed, or does not prove what the site asks for.
    case proof(ProofReason)
    /// The answer of a Trusted Key wallet was not believed, or is not what the gate asks for.
    case trustedKey(TrustedKeyReason)
    /// Another trust bundle came between the credential and the verdict.
    case trustChanged

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .credential(let reason): reason.code
        case .opening(let error): error.code
        case .face(let reason): reason.code
        case .copyNeedsFace: "copy-needs-face"
        case .mdoc(let reason): reason.code
        case .proof(let reason): reason.code
        case .trustedKey(let reason): reason.code
        case .trustChanged: "trust-changed"
        }
    }

    public var detail: String? {
        switch self {
        case .credential(let reason): reason.detail
        case .mdoc(let reason): reason.detail
        case .proof(let reason): reason.detail
        case .trustedKey(let reason): reason.detail
        default: nil
        }
    }

    /// The issuer's signature held: no stranger's doing.
    var isOfGenuineCredential: Bool {
        switch self {
        case .credential(let reason): reason.isOfGenuineCredential
        case .mdoc(let reason): reason.isOfGenuineDocument
        case .proof(let reason): reason.isOfGenuineCredential
        case .trustedKey(let reason): reason.isOfGenuineClaim
        case .opening: false
        case .face, .copyNeedsFace, .trustChanged: true
        }
    }

    /// The same credential would be rejected for it again, whoever holds it and whatever the clock says meanwhile, unless a
    /// supervisor's key or another bundle says otherwise. A face that did not
    /// match may next time; a person who is locked out is so for minutes, and a copy on a wall turns no red light for all that pass.
    var isLasting: Bool {
        switch self {
        case .credential(.clockUnsure), .credential(.trustExpired), .credential(.statusUnknown), .credential(.notYetValid),
            .credential(.issuedInFuture):
            false
        case .credential, .opening, .copyNeedsFace, .face(.lockedOut): true
        // An engagement is for one session, and the next one may be answered otherwise; so it is with a proof.
        case .face, .mdoc, .proof, .trustChanged: false
        case .trustedKey(let reason): reason.isLasting
        }
    }

    public var sentence: String {
        switch self {
        case .credential(let reason): reason.sentence
        case .opening(let error): error.sentence
        case .face(let reason): reason.sentence
        case .copyNeedsFace: "A code can be copied: it is accepted only with the face of the person in it."
        case .mdoc(let reason): reason.sentence
        case .proof(let reason): reason.sentence
        case .trustedKey(let reason): reason.sentence
        case .trustChanged: "Another trust bundle came while the visitor's face was compared: show the credential again."
        }
    }
}
