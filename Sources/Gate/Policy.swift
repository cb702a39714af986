import Credentials
import Faces

/// What the gate asks of a visit beyond a genuine credential.
public struct Policy: Sendable {
    /// Whether the visitor has to be the person in the credential, which only the face can tell: Tuvali proves nothing about the holder.
    public enum Face: String, Sendable, CaseIterable {
        /// Always; a credential without a portrait is rejected.
        case required
        /// Where the credential has a portrait. Whoever can withhold it, or has a credential without, is let in with any copy.
        case whenPhoto = "when-photo"
        /// Never: whoever has a copy of a credential is let in.
        case off
    }

    public var face = Face.off
    /// How long the gate waits for the shell to decide about a face, in milliseconds. The shell has its own deadlines, all of them shorter.
    public var faceTime: UInt64 = 30_000
    /// How long the verdict's light stays, in milliseconds.
    public var verdictLight: UInt64 = 3000
    /// From the end of a verdict's light to the next verdict at the earliest, in milliseconds: two greens are never one long one.
    public var verdictPause: UInt64 = 500
    /// How long the red light for a visit that failed without a verdict is shown, in milliseconds; shorter, since a stranger can cause it.
    public var failureLight: UInt64 = 1500

    /// Whether the radio may advertise slowly while nobody comes: a board on a battery.
    public var savesPower = false

    public init() {}
}

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

extension OpeningError {
    /// A stable word for programs.
    public var code: String {
        switch self {
        case .tooShort: "message-too-short"
        case .empty: "message-empty"
        case .authenticationFailed: "message-not-authentic"
        case .notGzip: "message-not-gzip"
        case .corrupt: "message-corrupt"
        case .tooLarge: "message-inflates-too-large"
        case .trailingBytes: "message-trailing-bytes"
        case .truncated: "message-truncated"
        case .unavailable: "opening-unavailable"
        }
    }

    public var sentence: String {
        switch self {
        case .tooShort: "The message is too short to be one."
        case .empty: "The wallet sent an empty message."
        case .authenticationFailed: "The message was changed on its way, or made with another key."
        case .notGzip: "The message is not compressed as the protocol says."
        case .corrupt: "The compressed message is damaged."
        case .tooLarge: "The message is larger than the gate takes."
        case .trailingBytes: "There is more in the message than one credential."
        case .truncated: "The compressed message is cut off."
        case .unavailable: "The gate could not decrypt."
        }
    }
}
