import Envelopes
import JSON

/// Where a wallet brings its answer.
public struct ServiceEndpoint: Hashable, Sendable {
    /// `serviceEndpoint` of the invitation.
    public let text: String

    /// A GATT service (aries.md section 1). The UUID as `MessageIdentifier` writes it.
    public static func bluetooth(service: String) -> ServiceEndpoint { ServiceEndpoint(text: "ble://" + service) }

    /// An address of the gate's own network (aries.md section 6), such as `http://192.168.7.1/didcomm`.
    public static func http(_ address: String) -> ServiceEndpoint { ServiceEndpoint(text: address) }
}

/// The out-of-band invitation of a visit (RFC 0434): who the gate is, how it is reached, and what it asks for. There is no connection, so
/// no handshake (aries.md section 3).
public struct Invitation: Sendable {
    /// Characters of the longest address that a screen of usual size shows: a QR code of version 31 at level L. What is longer is a finer
    /// code than many cameras read.
    public static let longestAddress = 1_840

    /// `@id`.
    public let identifier: String
    /// What the wallet calls the gate.
    public let label: String
    public let request: PresentationRequest
    /// The key of the visit, as a did:key.
    public let key: String
    public let endpoint: ServiceEndpoint

    public init(identifier: String, label: String, request: PresentationRequest, key: EnvelopeRecipient, endpoint: ServiceEndpoint) {
        self.identifier = identifier
        self.label = label
        self.request = request
        self.key = key.didKey
        self.endpoint = endpoint
    }

    /// What its answers are held against.
    public var thread: MessageThread { MessageThread(request: request.identifier, invitation: identifier) }

    /// UTF-8 octets of the message: the same in the code on the screen and over the air.
    public var text: [UInt8] {
        var message = JSONWriter(reserving: request.content.count / 3 * 4 + 1024)
        message.object { message in
            message.member("@type", MessageType.prefix + "out-of-band/1.1/invitation")
            message.member("@id", identifier)
            message.member("label", label)
            message.name("accept")
            message.array { accept in
                accept.string("didcomm/aip1")
                accept.string("didcomm/aip2;env=rfc19")
            }
            message.name("requests~attach")
            message.array { attachments in
                attachments.object { entry in
                    entry.member("@id", "request-0")
                    entry.member("mime-type", "application/json")
                    entry.name("data")
                    entry.object { data in
                        data.name("json")
                        request.write(to: &data)
                    }
                }
            }
            writeServices(to: &message)
        }
        return message.bytes
    }

    private func writeServices(to message: inout JSONWriter) {
        message.name("services")
        message.array { services in
            services.object { service in
                service.member("id", "#inline")
                service.member("type", "did-communication")
                service.name("recipientKeys")
                service.array { $0.string(key) }
                service.name("routingKeys")
                service.array { _ in }
                service.member("serviceEndpoint", endpoint.text)
            }
        }
    }

    /// What the code on the screen says. Whether it fits one: `longestAddress`.
    public var address: String { "didcomm://invite?oob=" + String(decoding: Base64.encodeURL(text), as: UTF8.self) }
}
