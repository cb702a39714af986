import JSON

/// What a wallet answers an invitation with.
public enum WalletMessage: ~Copyable {
    case presentation(PresentationMessage)
    /// The holder does not want to. There is no answer to that.
    case declined
}

/// A presentation's message. Nothing of it is believed: its attachment is for the verifier.
public struct PresentationMessage: ~Copyable {
    /// The version it came in, which the answer follows.
    public let version: ProofVersion
    /// `@id`.
    public let identifier: String
    /// Octets of what should be an AnonCreds presentation in JSON.
    public let attachment: MessageOctets
    /// The key that an answer over HTTP is for, if the message names one (`~service`).
    public let answerKey: EnvelopeRecipient?
    /// Whether an answer is waited for on the same connection (`~transport.return_route` is `all`).
    public let returnsRoute: Bool
}

extension WalletMessage {
    private static let issuance = "issue-credential"

    /// Reads a message that came out of an envelope (aries.md section 3).
    ///
    /// - Parameters:
    ///   - text: UTF-8 octets of the message.
    ///   - thread: the request and the invitation that it has to answer.
    public static func read(_ text: Span<UInt8>, answering thread: MessageThread) throws(WalletMessageFault) -> WalletMessage {
        let limits = JSONLimits(bytes: MessageLimits.text, depth: MessageLimits.depth, nodes: MessageLimits.nodes)
        let message: JSONValue
        do throws(JSONError) {
            message = try JSONDocument(parsing: text, limits: limits).root
        } catch {
            throw .malformed
        }
        guard message.kind == .object else { throw .malformed }
        guard let type = message["@type"], type.kind == .string else { throw .typeMissing }
        guard let identifier = message["@id"]?.string, MessageLimits.identifier.contains(identifier.unicodeScalars.count) else {
            throw .identifier
        }
        guard let known = MessageType(type) else { throw .type }
        // A wallet refuses in words of the protocol it was asked in, of the invitation's, or of the one made for problems. The gate issues
        // nothing: what is said about that is no answer.
        if known.name.utf8.elementsEqual(ProofVersion.problemReport.utf8), !known.family.utf8.elementsEqual(issuance.utf8) {
            return .declined
        }
        guard known.isMessage(ProofVersion.presentation, of: ProofVersion.family), let version = ProofVersion(rawValue: known.major) else {
            throw .type
        }
        try thread.check(message)
        return .presentation(try presentation(message, version, identifier))
    }

    private static func presentation(
        _ message: JSONValue, _ version: ProofVersion, _ identifier: String
    ) throws(WalletMessageFault) -> PresentationMessage {
        let attachment: MessageOctets
        switch version {
        case .one: attachment = try Attachment.octets(of: message, named: ProofVersion.attachmentOfOne)
        case .two: attachment = try Attachment.octets(of: message, named: name(of: message["formats"]))
        }
        return PresentationMessage(
            version: version, identifier: identifier, attachment: attachment, answerKey: answerKey(message),
            returnsRoute: message["~transport"]?["return_route"]?.isString("all") == true)
    }

    /// The name of the one attachment that `formats` says is a presentation of AnonCreds.
    private static func name(of formats: JSONValue?) throws(WalletMessageFault) -> String {
        guard let entries = formats?.elements, entries.count <= MessageLimits.attachments else { throw .formats }
        var found: JSONValue?
        for entry in entries where ProofFormat.allCases.contains(where: { entry["format"]?.isString($0.presentation) == true }) {
            guard found == nil else { throw .formats }
            found = entry
        }
        guard let name = found?["attach_id"]?.string else { throw .formats }
        return name
    }

    /// The first key of `~service`, where it is one.
    private static func answerKey(_ message: JSONValue) -> EnvelopeRecipient? {
        guard var keys = message["~service"]?["recipientKeys"]?.elements else { return nil }
        return keys.next()?.string.flatMap { EnvelopeRecipient(reference: $0) }
    }
}
