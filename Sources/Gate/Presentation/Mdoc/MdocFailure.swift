import Mdoc
import MdocTransport

/// Why a phone's visit came to nothing before there was an answer. None of these says anything about a document.
public enum MdocFailure: Error, Hashable, Sendable {
    case link(MdocLinkFailure)
    /// What the phone sent ended the session.
    case session(SessionEnd)
    /// The controller does not work, or was lost in the middle.
    case noRadio
    /// A fault of the gate: no memory, no randomness, or a request that cannot be sent.
    case unavailable

    /// What kind of end it was.
    public enum Kind: Hashable, Sendable {
        /// Whoever held the phone left, or refused.
        case left
        /// Something did not come in time.
        case timedOut
        case failed
        case controllerFault
    }

    public var kind: Kind {
        switch self {
        case .link(.noLink), .link(.noStart), .link(.notSent), .link(.noAnswer), .link(.tooSlow), .link(.tooLate): .timedOut
        case .link(.phoneEnded), .link(.linkLost), .session(.ended): .left
        case .link, .session, .unavailable: .failed
        case .noRadio: .controllerFault
        }
    }

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .link(let failure): failure.code
        case .session(let end): end.code
        case .noRadio: "mdoc-no-radio"
        case .unavailable: "mdoc-unavailable"
        }
    }
}

extension MdocLinkFailure {
    fileprivate var code: String {
        switch self {
        case .noLink: "mdoc-no-link"
        case .noStart: "mdoc-no-start"
        case .refused: "mdoc-step-refused"
        case .answerMalformed: "mdoc-answer-malformed"
        case .wrongState: "mdoc-wrong-state"
        case .unasked: "mdoc-unasked"
        case .notSent: "mdoc-not-sent"
        case .noAnswer: "mdoc-no-answer"
        case .tooSlow: "mdoc-too-slow"
        case .tooLate: "mdoc-too-late"
        case .malformed: "mdoc-message-malformed"
        case .phoneEnded: "mdoc-phone-ended"
        case .linkLost: "mdoc-link-lost"
        }
    }
}

extension SessionEnd {
    fileprivate var code: String {
        switch self {
        case .decryptionError: "mdoc-not-authentic"
        case .undecodable: "mdoc-undecodable"
        case .ended: "mdoc-session-ended"
        case .over, .countersUsedUp: "mdoc-session-over"
        case .unavailable: "mdoc-unavailable"
        }
    }
}
