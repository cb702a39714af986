import Credentials

/// What the gate asks of a visit beyond a genuine credential.
public struct Policy: Sendable {
    /// Who may present a credential.
    public enum Holder: String, Sendable, CaseIterable {
        /// Whoever has a copy of it. Tuvali proves nothing about the holder.
        case any
        /// Only the person in it. Nothing in this version can tell, so every visit is rejected.
        case bound
    }

    public var holder = Holder.any
    /// How long the verdict's light stays, in milliseconds.
    public var verdictLight: UInt64 = 3000
    /// How long a reject for a failed transfer is shown, in milliseconds; shorter, since a stranger can cause it.
    public var failureLight: UInt64 = 1500

    public init() {}

    /// Reasons to reject a credential that verified.
    func objections(to credential: VerifiedCredential) -> [GateReason] {
        holder == .bound ? [.holderNotBound] : []
    }
}

/// Why the gate did not open. Data for counters and the audit log; `sentence` is for people.
public enum GateReason: Hashable, Sendable {
    /// The credential was not believed.
    case credential(RejectReason)
    /// The message did not open.
    case opening(OpeningError)
    /// Nothing binds the credential to the person who presents it.
    case holderNotBound

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .credential(let reason): reason.code
        case .opening(let error): error.code
        case .holderNotBound: "holder-not-bound"
        }
    }

    public var detail: String? {
        if case .credential(let reason) = self { reason.detail } else { nil }
    }

    public var sentence: String {
        switch self {
        case .credential(let reason): reason.sentence
        case .opening(let error): error.sentence
        case .holderNotBound: "Nothing proves that the visitor is the person in the credential."
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
