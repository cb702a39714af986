import JSON

/// What a wallet that was refused is told: so little that a stranger learns nothing to probe with (aries.md section 3).
public enum ProblemCode: String, Hashable, Sendable, CaseIterable {
    /// Anything about credential, trust or proof.
    case rejected
    /// Anything about form.
    case malformed
    case tooLarge = "too-large"
    case expired

    /// What is said of a code of this layer; nil where nobody is there to be told.
    public init?(_ code: AriesCode) {
        switch code {
        case .messageTooLarge: self = .tooLarge
        case .timedOut: self = .expired
        case .declined, .vanished: return nil
        case .messageMalformed, .envelopeMissing, .envelopeNotForUs, .envelopeInvalid, .threadUnknown, .messageTypeUnsupported,
            .attachmentMalformed:
            self = .malformed
        }
    }
}

/// `problem-report`, by which a wallet learns that it was not (RFC 0035; aries.md section 3).
public struct ProblemReport: Sendable {
    public let identifier: String
    /// That of the presentation; where there was none, that of the request.
    public let version: ProofVersion
    public let thread: MessageThread
    private let code: String
    private let sentence: String

    public init(identifier: String, version: ProofVersion, thread: MessageThread, _ code: ProblemCode) {
        self.init(identifier: identifier, version: version, thread: thread, exact: code.rawValue, sentence: code.sentence)
    }

    /// With a code of the caller's: a stranger is told one only where a test asks for that.
    package init(identifier: String, version: ProofVersion, thread: MessageThread, exact code: String, sentence: String) {
        self.identifier = identifier
        self.version = version
        self.thread = thread
        self.code = code
        self.sentence = sentence
    }

    /// UTF-8 octets of the message.
    public var text: [UInt8] {
        var message = JSONWriter()
        message.object { message in
            message.member("@type", version.type(ProofVersion.problemReport))
            message.member("@id", identifier)
            thread.write(to: &message, withInvitation: true)
            message.name("description")
            message.object { description in
                description.member("code", code)
                description.member("en", sentence)
            }
        }
        return message.bytes
    }
}
