import JSON

/// `ack`, by which a wallet learns that it was accepted (RFC 0015; aries.md section 3).
public struct Acknowledgement: Sendable {
    private static let name = "ack"

    public let identifier: String
    /// That of the presentation.
    public let version: ProofVersion
    public let thread: MessageThread

    public init(identifier: String, version: ProofVersion, thread: MessageThread) {
        self.identifier = identifier
        self.version = version
        self.thread = thread
    }

    /// UTF-8 octets of the message.
    public var text: [UInt8] {
        var message = JSONWriter()
        message.object { message in
            message.member("@type", version.type(Self.name))
            message.member("@id", identifier)
            thread.write(to: &message, withInvitation: false)
            message.member("status", "OK")
        }
        return message.bytes
    }
}
