/// How a session ended with a message of the phone that has nothing to be read. It is final: no other key and no other counter is tried.
public enum SessionEnd: Error, Hashable, Sendable {
    /// The message does not open with the session's key and counter: changed, or of somebody else.
    case decryptionError
    /// The message is no SessionData.
    case undecodable
    /// The phone ended the session with a status, and sent nothing with it.
    case ended(SessionStatus)
    /// The session was over before the message came.
    case over
    /// The phone has no number left for a message (mdoc.md section 3).
    case countersUsedUp
    /// libcrypto could not open it.
    case unavailable

    /// The message that is owed to the phone before the link goes; nil where it knows already.
    public var answer: [UInt8]? {
        switch self {
        case .decryptionError, .unavailable: SessionData.encode(.encryptionError)
        case .undecodable: SessionData.encode(.decodingError)
        case .countersUsedUp: SessionData.encode(.termination)
        case .ended, .over: nil
        }
    }
}

/// Why the gate cannot begin a session, or send in it.
public enum SessionError: Error, Hashable, Sendable {
    /// The gate's key is of another curve than the phone's.
    case otherCurve
    /// SessionEstablishment is the first message, and only the first.
    case alreadyEstablished, notEstablished
    /// The phone has not answered the request before.
    case requestInProgress
    /// A request longer than a message may be.
    case tooLong
    /// No number is left for a message (mdoc.md section 3).
    case countersUsedUp
    /// The session is over.
    case over
    /// libcrypto has no memory or no randomness.
    case unavailable
}
