/// Why a message was not opened. Nothing of it survives any of these.
public enum OpeningError: Error, Hashable, Sendable, CaseIterable {
    /// Shorter than the 16-byte tag.
    case tooShort
    /// The wallet sent an empty payload: from iOS a tag and nothing before it (tuvali.md section 5, step 7), from Android a
    /// gzip member of nothing.
    case empty
    /// Wrong key or nonce, or a message changed on its way.
    case authenticationFailed
    /// The plaintext does not begin like a gzip member (RFC 1952 section 2.3.1).
    case notGzip
    /// A header, a block, the CRC or the length inside the gzip member is wrong.
    case corrupt
    /// More than the cap once inflated.
    case tooLarge
    /// Bytes after the one member a message may have; a second member is such bytes too.
    case trailingBytes
    /// The member ends before its own end.
    case truncated
    /// A key or nonce of the wrong length, or no memory: a fault of the gate, not of the visitor.
    case unavailable
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
