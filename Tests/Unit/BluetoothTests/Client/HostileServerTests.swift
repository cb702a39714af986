import Testing

@testable import Bluetooth

/// Servers that answer wrongly, late, or without end.
@Suite struct HostileServerTests {
    static let uuid = Phone.serviceOctets

    /// Requests, what has to be known for them, and every answer that is none to them.
    struct Wrong: Sendable, CustomStringConvertible {
        var request: ClientRequest
        var answer: String
        var description: String { "\(request): \(answer)" }
    }

    private static let answers: [(ClientRequest, [String])] = [
        // Another response, an error of another request, errors of wrong lengths.
        (.exchangeMTU, ["0B 01", "13", "01 04 00 00 06", "01 02 00 00", "01 02 00 00 06 00", "01", "03", "03 17", "03 17 00 00", "05 01"]),
        (
            .findService(Phone.service),
            [
                "07", "07 10", "07 10 00 30", "07 10 00 30 00 00", "07 00 00 30 00", "07 30 00 10 00", "09 07 11 00 14 12 00 01 AA",
                "01 08 01 00 0A",
            ]
        ),
        (
            .findCharacteristics(Phone.list),
            [
                "09", "09 07", "09 07 11 00 14 12 00 01", "09 07 11 00 14 12 00 01 AA 00", "09 06 11 00 14 12 00 01", "09 00",
                "09 15 11 00",
                // Before the service, behind it, its value before it, at it, behind the service; and 0.
                "09 07 0F 00 14 12 00 01 AA", "09 07 31 00 14 32 00 01 AA", "09 07 12 00 14 11 00 01 AA", "09 07 11 00 14 11 00 01 AA",
                "09 07 11 00 14 31 00 01 AA", "09 07 11 00 14 00 00 01 AA", "09 07 00 00 14 12 00 01 AA",
                // Repeated, descending, and inside another's value.
                "09 07 11 00 14 12 00 01 AA 11 00 14 12 00 02 AA", "09 07 13 00 14 14 00 01 AA 11 00 14 12 00 02 AA",
                "09 07 11 00 14 20 00 01 AA 12 00 14 13 00 02 AA", "09 07 11 00 14 13 00 01 AA 13 00 14 14 00 02 AA",
            ]
        ),
        (
            .findConfigurations,
            [
                "05", "05 01", "05 03 13 00 02 29", "05 01 13 00 02", "05 01 13 00 02 29 00", "05 02 13 00 02 29", "05 01 12 00 02 29",
                "05 01 14 00 02 29", "05 01 00 00 02 29", "05 01 FF FF 02 29", "07 10 00 30 00",
            ]
        ),
        (.subscribe(0), ["13 00", "0B", "01 12 13 00", "19"]), (.read(1), ["0D 01", "13", "01 0A 15 00"]),
    ]

    static let wrong: [Wrong] = answers.flatMap { request, answers in answers.map { Wrong(request: request, answer: $0) } }

    /// A link on which `request` may be asked.
    static func phone(for request: ClientRequest) -> Phone {
        let phone = Phone.asCentral()
        switch request {
        case .exchangeMTU, .findService: break
        case .findCharacteristics: _ = phone.ask(.findService(Phone.service), ("06 01 00 FF FF 00 28 \(uuid)", "07 10 00 30 00"))
        case .findConfigurations:
            _ = phone.ask(.findService(Phone.service), ("06 01 00 FF FF 00 28 \(uuid)", "07 10 00 30 00"))
            _ = phone.ask(
                .findCharacteristics(Phone.list), ("08 10 00 30 00 03 28", "09 07 11 00 14 12 00 01 AA"),
                ("08 12 00 30 00 03 28", "09 07 14 00 04 15 00 02 AA"), ("08 15 00 30 00 03 28", "01 08 15 00 0A"))
        case .subscribe, .read: phone.discover()
        }
        phone.events.removeAll()
        return phone
    }

    @Test("an answer that is none ends the client, not the host", arguments: wrong)
    func malformed(wrong: Wrong) {
        let phone = Self.phone(for: wrong.request)
        #expect(phone.ask(wrong.request) != "unknown")
        #expect(phone.att(wrong.answer) == "")
        #expect(phone.outcome == .malformed)
        // Nothing more is asked, and late answers mean nothing.
        #expect(phone.ask(.exchangeMTU) == "notConnected")
        #expect(phone.write(0, [1]) == .notConnected)
        #expect(phone.att("03 03 02") == "")
        #expect(phone.counters[.attributeUnexpectedResponse] == 1)
        phone.pass(milliseconds: 60_000)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        phone.disconnect()
        #expect(phone.initiate())
        phone.linked()
        phone.discover()
    }

    @Test("every answer, cut at every octet, is an outcome or the next request, and never a trap")
    func truncation() {
        let right: [(ClientRequest, String)] = [
            (.exchangeMTU, "03 03 02"), (.findService(Phone.service), "07 10 00 30 00"),
            (.findCharacteristics(Phone.list), "09 07 11 00 14 12 00 01 AA"), (.findConfigurations, "05 01 13 00 02 29"),
            (.subscribe(0), "13"),
            (.read(1), "0B 01 02"), (.exchangeMTU, "01 02 00 00 06"), (.read(1), "1B 12 00 01"), (.subscribe(0), "1D 12 00 01"),
        ]
        for (request, answer) in right + Self.wrong.map({ ($0.request, $0.answer) }) {
            let whole = octets(answer)
            for count in 0...whole.count {
                let phone = Self.phone(for: request)
                _ = phone.ask(request)
                _ = phone.att(Array(whole.prefix(count)))
                #expect(phone.isConnected)
                #expect(phone.events.count <= 1)
            }
        }
    }

    @Test("a server with more and more characteristics is asked 64 times")
    func endless() {
        let phone = Phone.asCentral()
        _ = phone.ask(.findService(Phone.service), ("06 01 00 FF FF 00 28 \(Self.uuid)", "07 01 00 FF FF"))
        _ = phone.ask(.findCharacteristics(Phone.list))
        var rounds = 1
        while rounds < 1000 {
            let handle = UInt16(2 * rounds)
            guard !phone.att([0x09, 0x07] + pair(handle) + [0x02] + pair(handle + 1) + [0x99, 0x99]).isEmpty else { break }
            rounds += 1
        }
        #expect(rounds == 64)
        #expect(phone.events.last == .answered(.malformed))
    }

    @Test("so is one with more and more descriptors")
    func endlessDescriptors() {
        let phone = Phone.asCentral()
        _ = phone.ask(.findService(Phone.service), ("06 01 00 FF FF 00 28 \(Self.uuid)", "07 01 00 FF FF"))
        _ = phone.ask(
            .findCharacteristics(CharacteristicList(UUID(0xAA01))), ("08 01 00 FF FF 03 28", "09 07 01 00 10 02 00 01 AA"),
            ("08 02 00 FF FF 03 28", "01 08 02 00 0A"))
        _ = phone.ask(.findConfigurations)
        var rounds = 1
        while rounds < 1000 {
            guard !phone.att([0x05, 0x01] + pair(2 + rounds) + [0x01, 0x29]).isEmpty else { break }
            rounds += 1
        }
        #expect(rounds == 64)
        #expect(phone.events.last == .answered(.malformed))
    }

    @Test("a request that is not answered in 30 s ends ATT, and the link")
    func silence() {
        let phone = Phone.asCentral()
        #expect(phone.ask(.exchangeMTU) == "02 05 02")
        #expect(phone.ask(.exchangeMTU) == "busy")
        phone.pass(milliseconds: 29_999)
        #expect(phone.isConnected && phone.outcome == nil)
        phone.pass(milliseconds: 1)
        #expect(phone.outcome == .timedOut)
        #expect(phone.last(.disconnect) == "40 00 13")
    }

    @Test("an answer before the request has left is none")
    func early() {
        let phone = Phone.asCentral()
        let result = phone.host.ask(.exchangeMTU, now: phone.now)
        #expect(result == .asked)
        phone.fragment(0x2000, octets("03 00 04 00 03 03 02"))
        #expect(phone.counters[.attributeUnexpectedResponse] == 1)
        #expect(phone.mtu == 23)
        phone.run()
        #expect(phone.frames(4) == [octets("02 05 02")])
        _ = phone.att("03 03 02")
        #expect(phone.outcome == .mtu(515))
    }

    @Test("responses nobody asked for are dropped, and longer PDUs than the MTU are no answer")
    func unasked() {
        let phone = Phone.asCentral()
        for opcode in [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21, 0x25, 0xFF] as [UInt8] {
            #expect(phone.att([opcode, 0, 0]) == "")
        }
        #expect(phone.counters[.attributeUnexpectedResponse] == 15)
        #expect(phone.att([0x1B, 0x12, 0] + [UInt8](repeating: 0, count: 21)) == "")
        #expect(phone.counters[.attributeTooLong] == 1)
        _ = phone.ask(.exchangeMTU)
        #expect(phone.att([0x03, 3, 2] + [UInt8](repeating: 0, count: 21)) == "")
        #expect(phone.outcome == .malformed)
    }

    @Test("any answers to any requests: at most one outcome each, and no more than 64 PDUs")
    func random() {
        var numbers = SystemRandomNumberGenerator()
        let requests: [ClientRequest] = [
            .exchangeMTU, .findService(Phone.service), .findCharacteristics(Phone.list), .findConfigurations, .subscribe(0), .read(1),
        ]
        for _ in 0..<300 {
            let request = requests[Int.random(in: 0..<requests.count, using: &numbers)]
            let phone = Self.phone(for: request)
            var pdus = phone.ask(request) == "unknown" ? 0 : 1
            for _ in 0..<100 where phone.outcome == nil {
                let opcode: UInt8 = [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x13][Int.random(in: 0..<7, using: &numbers)]
                let rest = (0..<Int.random(in: 0...22, using: &numbers)).map { _ in UInt8.random(in: 0...60, using: &numbers) }
                if !phone.att([opcode] + rest).isEmpty { pdus += 1 }
            }
            #expect(pdus <= 64)
            #expect(phone.isConnected)
        }
    }
}
