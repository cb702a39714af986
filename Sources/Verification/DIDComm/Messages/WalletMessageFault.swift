/// Why a message that came out of its envelope was not taken (aries.md section 3).
public enum WalletMessageFault: String, Error, Hashable, Sendable, CaseIterable {
    /// Not one JSON object within `MessageLimits`: something behind it, a member twice, another value.
    case malformed = "message-malformed"
    /// No `@type`, or one that is no text.
    case typeMissing = "message-type-missing"
    /// `@id` is not a text of 1 to 64 characters.
    case identifier = "message-identifier"
    /// Another protocol, another message, another major version.
    case type = "message-type-unsupported"
    /// It answers another request, or none.
    case thread = "thread-unknown"
    /// It says it belongs to another invitation.
    case parentThread = "parent-thread-unknown"
    /// `formats` does not name exactly one presentation of AnonCreds.
    case formats = "attachment-formats"
    /// The attachment that is named is not there, or is there twice.
    case attachmentMissing = "attachment-missing"
    /// An attachment of neither `base64` nor `json`, or of both; base64 that is none; JSON that is no object.
    case attachment = "attachment-malformed"

    /// What the log says.
    public var code: AriesCode {
        switch self {
        case .malformed, .typeMissing, .identifier: .messageMalformed
        case .type: .messageTypeUnsupported
        case .thread, .parentThread: .threadUnknown
        case .formats, .attachmentMissing, .attachment: .attachmentMalformed
        }
    }
}

/// How much a message may be.
public enum MessageLimits {
    /// Octets: a message is shorter than the envelope it came in.
    public static let text = EnvelopeLimits.text
    /// Values and names; a presentation of a dozen credentials in `json` has some 5,000.
    public static let nodes = 20_000
    /// Arrays and objects in each other; a presentation in `json` has a dozen.
    public static let depth = 32
    /// Characters of `@id`.
    public static let identifier = 1...64
    /// Entries of `formats` and of `presentations~attach`.
    public static let attachments = 16
}
