/// Why a visit's link came to nothing (mdoc.md sections 2.2, 2.3, 2.5 and 5). None of these says anything about a credential.
public enum MdocLinkFailure: Error, Hashable, Sendable {
    /// Nobody was met in time.
    case noLink
    /// A link came about, and this step did not in time.
    case noStart(MdocStep)
    /// The phone's server does not have what this step needs, or does not give it: the code of its Error Response.
    case refused(MdocStep, UInt8)
    /// An answer to this step that is none.
    case answerMalformed(MdocStep)
    /// The first that State said was neither start nor end.
    case wrongState
    /// A fragment before anything was asked.
    case unasked
    /// The request did not leave in time, or was never handed over.
    case notSent
    /// The request was sent, and nothing came: the person did not decide.
    case noAnswer
    /// An answer has begun, and too little of it came for too long.
    case tooSlow
    /// An answer has begun and went on, but for too long.
    case tooLate
    /// What came is no message.
    case malformed(MessageFault)
    /// State said end, or the channel was closed, before there was an answer: the person refused, or gave up.
    case phoneEnded
    /// The link was lost before there was an answer.
    case linkLost

    /// The status that the session tells the phone, where it is to be told anything (mdoc.md sections 2.2 and 5).
    public var status: UInt8? {
        switch self {
        // "CBOR error": what ends a session whose messages cannot be read.
        case .malformed, .tooSlow, .tooLate: 11
        // "Session termination".
        case .noAnswer, .unasked, .notSent: 20
        case .noLink, .noStart, .refused, .answerMalformed, .wrongState, .phoneEnded, .linkLost: nil
        }
    }
}

/// How a link ended, once it is gone and nothing is on the air any more.
public enum MdocLinkEnd: UInt8, Hashable, Sendable {
    /// After an answer.
    case complete
    /// By a failure that was told before.
    case failed
    /// By the gate, before there was an answer.
    case stopped
}

/// Why nothing was done.
public enum MdocLinkRefusal: UInt8, Error, Hashable, Sendable {
    /// A visit is under way, or a request is not answered.
    case busy
    /// Phone and gate have no bearer in common.
    case noUsableBearer
    /// No session is open.
    case notOpen
    /// Longer than `MessageSize.longestRequest`, or a last word longer than `MessageSize.longestWord`.
    case tooLong
}
