import AriesTransport
import Bluetooth
import DIDComm
import Envelopes
import JSON
import ProofVectors
import TestSupport

/// `messages.json`: messages that the gate writes, made again from what is in them; messages that it reads; pieces.
enum MessagesCheck {
    static func run(_ file: JSONValue, _ keys: VectorKeys) throws(UnusableVector) -> Tally {
        var tally = Tally()
        try writing(file, keys, &tally)
        for version in ProofVersion.allCases { try reading(file, version, keys, &tally) }
        try pieces(file, &tally)
        return tally
    }

    // MARK: what the gate writes

    private static func writing(_ file: JSONValue, _ keys: VectorKeys, _ tally: inout Tally) throws(UnusableVector) {
        tally.compare(
            "request_v1", octets: try file.member("request_v1").compact, try request(file.member("request_v1"), .one).text)
        tally.compare(
            "request_v2", octets: try file.member("request_v2").compact, try request(file.member("request_v2"), .two).text)
        let given = try file.member("invitation_ble")
        let ble = try invitation(given, keys)
        tally.compare("invitation_ble", octets: given.compact, ble.text)
        let url = try file.text("url_ble")
        tally.compare("url_ble", octets: Array(url.utf8), Array(ble.address.utf8))
        let other = try file.text("url_http")
        guard let encoded = other.utf8.firstIndex(of: UInt8(ascii: "=")),
            let text = Base64Reading.decode(Array(other.utf8[other.utf8.index(after: encoded)...])[...]),
            let root = (try? JSONDocument(parsing: text))?.root
        else { throw UnusableVector(what: "url_http") }
        let http = try invitation(root, keys)
        tally.compare("url_http", octets: Array(other.utf8), Array(http.address.utf8))

        let ack = try file.member("ack"), problem = try file.member("problem")
        tally.compare(
            "ack", octets: ack.compact,
            Acknowledgement(identifier: try ack.text("@id"), version: .two, thread: try thread(of: problem)).text)
        let description = try problem.member("description")
        tally.compare(
            "problem", octets: problem.compact,
            ProblemReport(
                identifier: try problem.text("@id"), version: .two, thread: try thread(of: problem),
                exact: try description.text("code"), sentence: try description.text("en")
            ).text)
    }

    /// The request of a vector, from the AnonCreds request that is in it.
    private static func request(_ message: JSONValue, _ version: ProofVersion) throws(UnusableVector) -> PresentationRequest {
        let format = message["formats"]?.elements?.map { $0["format"]?.string ?? "" }.first.flatMap(ProofFormat.init(rawValue:))
        return PresentationRequest(
            identifier: try message.text("@id"), version: version, format: format ?? .anoncreds,
            content: try attached(message, "request_presentations~attach"))
    }

    private static func attached(_ message: JSONValue, _ name: String) throws(UnusableVector) -> [UInt8] {
        guard var attachments = message[name]?.elements, let text = attachments.next()?["data"]?["base64"]?.stringBytes,
            let octets = Base64.decode(text[...], alphabet: .standard)
        else { throw UnusableVector(what: name) }
        return octets
    }

    private static func invitation(_ given: JSONValue, _ keys: VectorKeys) throws(UnusableVector) -> Invitation {
        guard let asked = given["requests~attach"]?.elements?.map({ $0["data"]?["json"] }).first.flatMap({ $0 }),
            let service = given["services"]?.elements?.map({ $0 }).first
        else { throw UnusableVector(what: "invitation") }
        let endpoint = try service.text("serviceEndpoint"), scheme = "ble://"
        return Invitation(
            identifier: try given.text("@id"), label: try given.text("label"), request: try request(asked, .two),
            key: try keys.named("gate").recipient,
            endpoint: endpoint.hasPrefix(scheme)
                ? .bluetooth(service: String(endpoint.dropFirst(scheme.count))) : .http(endpoint))
    }

    private static func thread(of message: JSONValue) throws(UnusableVector) -> MessageThread {
        let thread = try message.member("~thread")
        return MessageThread(request: try thread.text("thid"), invitation: try thread.text("pthid"))
    }

    // MARK: what it reads

    private static func reading(
        _ file: JSONValue, _ version: ProofVersion, _ keys: VectorKeys, _ tally: inout Tally
    ) throws(UnusableVector) {
        let message = try file.member("presentation_v\(version.rawValue)")
        let text = message.compact, thread = try thread(of: message)
        let key = message["~service"]?["recipientKeys"]?.elements?.map { $0.string ?? "" }.first ?? "none"
        let expected = [
            "version \(version.rawValue)", "@id \(try message.text("@id"))", "answer to \(key)",
            "route \(message["~transport"]?["return_route"]?.isString("all") == true)", "octets as given",
        ]
        let attached = try attached(message, "presentations~attach")
        tally.compare("presentation_v\(version.rawValue)", expected, read(text, thread, attached))
        tally.compare(
            "presentation_v\(version.rawValue) for another thread", ["thread-unknown"],
            read(text, MessageThread(request: thread.request + "0", invitation: thread.invitation), attached))

        let packed = try file.member("packed_v\(version.rawValue)").compact
        switch try EnvelopesCheck.open(packed, keys) {
        case .opened(let found, let sender):
            tally.compare(
                "packed_v\(version.rawValue)", ["octets as given", "sender \(key)"],
                [Tally.difference(text, found), "sender \(sender ?? "nobody")"])
            tally.compare("packed_v\(version.rawValue), read", expected, read(found, thread, attached))
        case .refused(let fault):
            tally.compare("packed_v\(version.rawValue)", ["opens"], [fault.rawValue])
        }
    }

    private static func read(_ text: [UInt8], _ thread: MessageThread, _ attached: [UInt8]) -> [String] {
        do throws(WalletMessageFault) {
            switch try WalletMessage.read(text.span, answering: thread) {
            case .declined: return ["declined"]
            case .presentation(let message):
                let octets = message.attachment.withOctets { octets in octets.indices.map { octets[$0] } }
                return [
                    "version \(message.version.rawValue)", "@id \(message.identifier)", "answer to \(message.answerKey?.kid ?? "none")",
                    "route \(message.returnsRoute)", Tally.difference(attached, octets),
                ]
            }
        } catch {
            return [error.rawValue]
        }
    }

    // MARK: pieces

    private static func pieces(_ file: JSONValue, _ tally: inout Tally) throws(UnusableVector) {
        let message = try file.member("packed_v2").compact
        guard let chunks = file["chunks"]?.members else { throw UnusableVector(what: "chunks") }
        for chunk in chunks {
            guard let mtu = UInt16(chunk.name) else { throw UnusableVector(what: "chunks") }
            let expected = chunk.value.members?.map { "\($0.name) \($0.value.string ?? String(decoding: $0.value.source, as: UTF8.self))" }
            let values = cut(message, mtu: mtu)
            let found = [
                "size \(values.first?.count ?? 0)", "count \(values.count)", "first \(Hex.text(Array((values.first ?? []).prefix(24))))",
                "last_length \(values.dropLast().last?.count ?? 0)", "end \(Hex.text(values.last ?? []))",
            ]
            tally.compare("chunks \(mtu)", expected ?? [], found)
            tally.compare("chunks \(mtu), joined", octets: message, join(values))
        }
    }

    private static func cut(_ message: [UInt8], mtu: UInt16) -> [[UInt8]] {
        var cutter = PieceCutter()
        var value = AttributeValue()
        var values: [[UInt8]] = []
        cutter.begin()
        while cutter.offer(message.span, mtu: mtu, into: &value) {
            values.append((0..<value.count).map { value.storage[$0] })
            cutter.take()
        }
        return values
    }

    /// The message; none where it is not whole with the last value, and only then.
    private static func join(_ values: [[UInt8]]) -> [UInt8] {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: PieceSize.longest, alignment: 16)
        defer { memory.deallocate() }
        var assembler = PieceAssembler(memory: memory)
        for (index, value) in values.enumerated() {
            guard let outcome = try? assembler.accept(value.span), (outcome == .message) == (index == values.count - 1) else { return [] }
        }
        return assembler.withMessage { octets in octets.indices.map { octets[$0] } } ?? []
    }
}
