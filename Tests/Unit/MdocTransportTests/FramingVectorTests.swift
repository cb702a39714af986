import Foundation
import TestSupport
import Testing

@testable import MdocTransport

/// `framing.json`: 40 messages cut, 10 sequences of values and 8 streams put together. `mdoc-check` compares the same file.
private struct Framings: Decodable, Sendable {
    struct Sent: Decodable, Sendable {
        var mtu: UInt16
        var message: String
        var values: [String]
    }

    struct Received: Decodable, Sendable {
        var name: String
        var values: [String]?
        var sdus: [String]?
        var messages: [String]
        var error: String?
    }

    var send: [Sent]
    var receive: [Received]
    var l2cap: [Received]

    static let path = Repository.suites + "/mdoc/framing.json"
    static let isThere = FileManager.default.fileExists(atPath: path)

    static func read() throws -> Framings { try JSONDecoder().decode(Framings.self, from: Data(contentsOf: URL(fileURLWithPath: path))) }
}

@Suite(.enabled(if: Framings.isThere, "\(Framings.path) is not there"))
struct FramingVectorTests {
    private static let faults: [String: MessageFault] = [
        "empty fragment": .emptyValue, "fragment header": .header, "message too long": .messageTooLong,
    ]

    @Test func messagesAreCutAsInTheVectors() throws {
        let vectors = try Framings.read().send
        #expect(vectors.count == 40)
        for vector in vectors {
            #expect(FragmentTests.cut(octets(vector.message), mtu: vector.mtu) == vector.values.map { octets($0) })
        }
    }

    @Test func valuesArePutTogetherAsInTheVectors() throws {
        let vectors = try Framings.read().receive
        #expect(vectors.count == 10)
        for vector in vectors {
            let messages = FragmentTests.Messages()
            var fault: MessageFault?
            for value in vector.values ?? [] {
                if case .failure(let failure) = messages.accept(octets(value)) {
                    fault = failure
                    break
                }
            }
            var whole: [[UInt8]] = []
            while let message = messages.take() { whole.append(message) }
            #expect(whole == vector.messages.map { octets($0) }, "\(vector.name)")
            #expect(fault == vector.error.flatMap { Self.faults[$0] }, "\(vector.name)")
            #expect((fault == nil) == (vector.error == nil), "\(vector.name)")
        }
    }

    @Test func streamsArePutTogetherAsInTheVectors() throws {
        let vectors = try Framings.read().l2cap
        #expect(vectors.count == 8)
        for vector in vectors {
            let joined = StreamTests.join((vector.sdus ?? []).map { octets($0) })
            #expect(joined.messages == vector.messages.map { octets($0) }, "\(vector.name)")
            #expect(joined.fault == vector.error.flatMap { Self.faults[$0] }, "\(vector.name)")
            #expect((joined.fault == nil) == (vector.error == nil), "\(vector.name)")
        }
    }
}
