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
    /// Another trust bundle came between the credential and the verdict.
    case trustChanged

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .credential(let reason): reason.code
        case .opening(let error): error.code
        case .face(let reason): reason.code
        case .trustChanged: "trust-changed"
        }
    }

    public var detail: String? {
        if case .credential(let reason) = self { reason.detail } else { nil }
    }

    /// The issuer's signature held: no stranger's doing.
    var isOfGenuineCredential: Bool {
        switch self {
        case .credential(let reason): reason.isOfGenuineCredential
        case .opening: false
        case .face, .trustChanged: true
        }
    }

    public var sentence: String {
        switch self {
        case .credential(let reason): reason.sentence
        case .opening(let error): error.sentence
        case .face(let reason): reason.sentence
        case .trustChanged: "Another trust bundle came while the visitor's face was compared: show the credential again."
        }
    }
}
