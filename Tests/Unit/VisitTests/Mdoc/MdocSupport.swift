import Bluetooth
import CBOR
import Cryptography
import Envelopes
import Foundation
import MdocTransport
import TestSupport
import Testing

@testable import Mdoc
@testable import Presentation
@testable import Visit

extension SessionPlaintext {
    borrowing func array() -> [UInt8] { withOctets { octets in octets.indices.map { octets[$0] } } }
}

/// A phone with a document, as a central before a test's gate: what it writes, and what it makes of what is notified.
final class MdocTestPhone {
    private var side: TestPhone
    let code: String
    private(set) var request: [UInt8] = []
    private(set) var transcript: [UInt8] = []
    /// Messages of the gate that came whole.
    private(set) var messages: [[UInt8]] = []
    private var fragments: [UInt8] = []

    init(methods: [[UInt8]]? = nil, curve: NISTCurve = .p256) throws {
        side = try TestPhone(curve, methods: methods)
        code = "mdoc:" + String(decoding: Base64.encodeURL(side.engagement.octets), as: UTF8.self)
    }

    /// A notification of Server2Client.
    func take(_ value: [UInt8]) throws {
        fragments += value.dropFirst()
        guard value.first == 0 else { return }
        messages.append(fragments)
        if messages.count == 1 { try open(fragments) }
        fragments = []
    }

    private func open(_ establishment: [UInt8]) throws {
        let key = try #require(try CBORDocument(parsing: establishment).root["eReaderKey"]?.source)
        let seen = SessionTranscript(engagement: side.engagement, readerKey: key)
        transcript = seen.octets
        try side.meet(key, seen)
        request = try side.read(establishment)
    }

    /// docType and elements of what was asked, and whether anything is to be kept.
    func asked() throws -> (elements: [String: [String]], keeps: Bool) {
        var elements: [String: [String]] = [:], keeps = false
        for one in try CBORDocument(parsing: request).root["docRequests"]?.elements ?? [] {
            let octets = try #require(one["itemsRequest"]?.content(of: 24)?.bytes), items = try CBORDocument(parsing: octets).root
            for space in items["nameSpaces"]?.pairs ?? [] {
                for element in space.value.pairs ?? [] {
                    elements[items["docType"]?.text ?? "", default: []].append(element.key.text ?? "")
                    if element.value.bool != false { keeps = true }
                }
            }
        }
        return (elements, keeps)
    }

    /// SessionData with this response; nil for a status alone.
    func answer(_ response: [UInt8]?, status: UInt64? = nil) throws -> [UInt8] {
        guard let response else {
            return CBOREncoding.map([(CBOREncoding.text("status"), CBOREncoding.unsigned(status ?? 20))])
        }
        return try side.say(response, status: status)
    }

    /// A response with a document that is good, unless `change` makes it another.
    func response(portrait: [UInt8]? = nil, _ change: (inout TestDocument) -> Void = { _ in }) throws -> [UInt8] {
        var document = TestDocument()
        document.items = [(0, [UInt8](repeating: 1, count: 16), "issuing_country", CBOREncoding.text("UT"))]
        if let portrait { document.items.append((1, [UInt8](repeating: 2, count: 16), "portrait", CBOREncoding.bytes(portrait))) }
        document.signsTranscript = transcript
        change(&document)
        return TestDocument.response([try document.octets(try TestMACKeys())])
    }

    static func values(of message: [UInt8], mtu: Int = 515) -> [[UInt8]] {
        let size = min(mtu - 3, 512) - 1, starts = Array(stride(from: 0, to: max(1, message.count), by: size))
        return starts.map { start in [start == starts.last ? 0 : 1] + message[start..<min(start + size, message.count)] }
    }
}

extension TestGate {
    /// A gate that takes codes and believes an authority about driving licences.
    static func withMdoc(face: Policy.Face = .off, settings: MdocSettings = MdocSettings()) throws -> TestGate {
        var policy = Policy()
        policy.takesCodes = true
        policy.face = face
        policy.copiesWithoutFace = ["*"]
        policy.mdoc = settings
        let test = try TestGate(policy: policy)
        test.setClock(DocumentFixtures.now)
        test.gate.believe(mdoc: try .test())
        return test
    }

    func handle(_ characteristic: MdocCharacteristic) -> UInt16 { gate.presentations.mdoc.link.service.handle(characteristic) }

    func write(_ characteristic: MdocCharacteristic, _ value: [UInt8], isCommand: Bool = true) {
        controller.send([isCommand ? 0x52 : 0x12, UInt8(handle(characteristic) & 0xFF), UInt8(handle(characteristic) >> 8)] + value)
        turn()
    }

    func subscribe(_ characteristic: MdocCharacteristic) {
        let handle = handle(characteristic) + 1
        controller.send([0x12, UInt8(handle & 0xFF), UInt8(handle >> 8), 1, 0])
        turn()
    }

    /// What was notified of Server2Client goes to the phone.
    func deliver(to phone: MdocTestPhone) throws {
        for (handle, value) in takeNotifications() where handle == self.handle(.serverToClient) { try phone.take(value) }
    }

    /// The phone shows its code and comes as far as the request.
    func meet(_ phone: MdocTestPhone, mtu: UInt16? = 515) throws {
        look(phone.code)
        renewPhone()
        connect(mtu: mtu)
        subscribe(.state)
        subscribe(.serverToClient)
        write(.state, [1])
        try deliver(to: phone)
    }

    /// The phone sends this, and everything that waits is done.
    func send(_ message: [UInt8], mtu: Int = 515) {
        for value in MdocTestPhone.values(of: message, mtu: mtu) { write(.clientToServer, value) }
        wait(1)
    }

    /// A whole visit with this response.
    func visit(_ phone: MdocTestPhone, portrait: [UInt8]? = nil, _ change: (inout TestDocument) -> Void = { _ in }) throws {
        try meet(phone)
        send(try phone.answer(try phone.response(portrait: portrait, change)))
    }

    /// The gate serves everybody as before: it advertises its own key, and a wallet's visit is accepted.
    func stillServes() throws {
        if controller.isLinked { leave() }
        waitForLights()
        wait(3000)
        setClock(TestIssuer.now)
        renewPhone()
        let count = records.count
        try goodVisit()
        wait(10)
        #expect(records.count == count + 1 && records.last?.outcome == .accepted, "\(String(describing: records.last))")
        leave()
        waitForLights()
        setClock(DocumentFixtures.now)
    }
}
