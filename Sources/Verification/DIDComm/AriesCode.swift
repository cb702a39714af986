/// What became of a message, in the words of the log (aries.md section 3).
public enum AriesCode: String, Hashable, Sendable, CaseIterable {
    case messageTooLarge = "message-too-large"
    case messageMalformed = "message-malformed"
    case envelopeMissing = "envelope-missing"
    case envelopeNotForUs = "envelope-not-for-us"
    case envelopeInvalid = "envelope-invalid"
    case threadUnknown = "thread-unknown"
    case messageTypeUnsupported = "message-type-unsupported"
    case attachmentMalformed = "attachment-malformed"
    /// The holder does not want to.
    case declined
    case timedOut = "timed-out"
    case vanished
}
