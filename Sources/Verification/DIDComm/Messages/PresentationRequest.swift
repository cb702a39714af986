import Envelopes
import JSON

/// request-presentation around an AnonCreds request: what the gate asks for (RFC 0037, RFC 0454; aries.md section 3).
public struct PresentationRequest: Sendable {
    /// `@id`, by which the answer names what it answers.
    public let identifier: String
    public let version: ProofVersion
    /// Of version 2.0; version 1.0 has one format and does not name it.
    public let format: ProofFormat
    /// UTF-8 octets of the AnonCreds request. They go out as they are.
    public let content: [UInt8]

    private static let name = "request-presentation"
    private static let attachments = "request_presentations~attach"
    private static let attachmentOfOne = "libindy-request-presentation-0"
    private static let attachmentOfTwo = "anoncreds"

    public init(identifier: String, version: ProofVersion = .two, format: ProofFormat = .anoncreds, content: [UInt8]) {
        self.identifier = identifier
        self.version = version
        self.format = format
        self.content = content
    }

    /// UTF-8 octets of the message.
    public var text: [UInt8] {
        var message = JSONWriter(reserving: content.count / 3 * 4 + 512)
        write(to: &message)
        return message.bytes
    }

    func write(to message: inout JSONWriter) {
        message.object { message in
            message.member("@type", version.type(Self.name))
            message.member("@id", identifier)
            switch version {
            case .one:
                write(Self.attachmentOfOne, to: &message)
            case .two:
                message.member("will_confirm", true)
                message.name("formats")
                message.array { formats in
                    formats.object { entry in
                        entry.member("attach_id", Self.attachmentOfTwo)
                        entry.member("format", format.rawValue)
                    }
                }
                write(Self.attachmentOfTwo, to: &message)
            }
        }
    }

    /// The one attachment, in the standard alphabet with padding: every library reads that.
    private func write(_ attachment: String, to message: inout JSONWriter) {
        message.name(Self.attachments)
        message.array { attachments in
            attachments.object { entry in
                entry.member("@id", attachment)
                entry.member("mime-type", "application/json")
                entry.name("data")
                entry.object { $0.member("base64", String(decoding: Base64.encodeStandard(content), as: UTF8.self)) }
            }
        }
    }
}
