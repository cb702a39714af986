/// Why an envelope was not opened. Strangers are told none of these, and the log has `code` (aries.md sections 2 and 3).
public enum EnvelopeFault: String, Error, Hashable, Sendable, CaseIterable {
    /// More octets than `EnvelopeLimits.text`.
    case tooLarge = "message-too-large"
    /// Not one JSON object: something behind it, a member twice, another value.
    case malformed = "message-malformed"
    /// A JSON object without `protected`: a message in the clear.
    case missing = "envelope-missing"
    /// No recipient's `kid` is our key.
    case notForUs = "envelope-not-for-us"

    // The envelope
    /// One of the four members is missing, or is no text.
    case member = "envelope-member"
    /// `protected` is longer than `EnvelopeLimits.header`, or not base64url.
    case header = "envelope-header"
    /// `iv` is not 12 octets in base64url.
    case nonce = "envelope-nonce"
    /// `tag` is not 16 octets in base64url.
    case tag = "envelope-tag"
    /// `ciphertext` is not base64url.
    case ciphertext = "envelope-ciphertext"

    // Its header
    /// `protected` is not one JSON object.
    case headerMalformed = "envelope-header-malformed"
    /// Another `enc` than `xchacha20poly1305_ietf`, which means ChaCha20-Poly1305.
    case encryption = "envelope-enc"
    /// Another `typ` than `JWM/1.0`.
    case type = "envelope-typ"
    /// Another `alg` than `Authcrypt` and `Anoncrypt`.
    case algorithm = "envelope-alg"
    /// No array of 1 to 32 entries.
    case recipients = "envelope-recipients"

    // The entry that is for us
    /// A sender or a nonce where nobody is to be named, or one of them missing where somebody is.
    case entry = "envelope-entry"
    /// `encrypted_key` is not as long as its kind is, or not base64url.
    case wrappedKey = "envelope-wrapped-key"
    /// `iv` of the entry is not 24 octets in base64url.
    case keyNonce = "envelope-key-nonce"
    /// `sender` is not as long as a key's text in a sealed box, not base64url, or does not open.
    case sender = "envelope-sender"
    /// What was sealed in `sender` is no Ed25519 key in base58.
    case senderKey = "envelope-sender-key"

    // Opening
    /// The content's key does not come out of `encrypted_key`: another sender, another recipient, or changed.
    case contentKey = "envelope-content-key"
    /// The content does not open: changed, or its header was.
    case content = "envelope-content"
    /// No memory, or a library that does not work: a fault of the gate.
    case unavailable = "envelope-unavailable"

    /// What the log says: one code for all that concerns keys and boxes.
    public var code: AriesCode {
        switch self {
        case .tooLarge: .messageTooLarge
        case .malformed: .messageMalformed
        case .missing: .envelopeMissing
        case .notForUs: .envelopeNotForUs
        default: .envelopeInvalid
        }
    }
}
