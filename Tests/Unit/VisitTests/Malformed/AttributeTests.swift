import Bluetooth
import Testing

@testable import Tuvali
@testable import Visit

/// The ATT server of the gate: GAP from handle 1, the Tuvali service from 0x10.
private enum Handle {
    static let name: UInt8 = 0x03
    static let identify: UInt8 = 0x12
    static let submit: UInt8 = 0x1C
    static let status: UInt8 = 0x23
    static let statusConfiguration: UInt8 = 0x24
    static let declarations: [UInt8] = [0x01, 0x02, 0x04, 0x06, 0x10, 0x11, 0x13, 0x16, 0x19, 0x1B, 0x1D, 0x1F, 0x22, 0x25]
}

@Suite struct MalformedAttributeTests {
    static let inputs = plain + ranges + writes + multiple + exchanges + queues

    /// A request with the refusal it gets, or an answer.
    private static func ask(_ name: String, _ pdu: [UInt8], _ answer: [UInt8], mtu: UInt16 = 185) -> Malformed {
        Malformed(name: name, packets: [attribute(pdu)], attributes: [answer], mtu: mtu)
    }

    private static func ask(_ name: String, _ pdu: String, _ answer: [UInt8]) -> Malformed { ask(name, hex(pdu), answer) }

    private static func silent(_ name: String, _ pdu: [UInt8], _ drop: Drop, mtu: UInt16 = 185) -> Malformed {
        Malformed(name: name, packets: [attribute(pdu)], drops: [drop: 1], mtu: mtu)
    }

    private static let plain: [Malformed] = [
        silent("empty PDU", [], .attributeEmpty),
        silent("1E with nothing pending", [0x1E], .attributeUnexpectedConfirmation),
        silent("1E with an octet more", [0x1E, 0], .attributeUnexpectedConfirmation),
        silent("1B from the client", [0x1B, Handle.status, 0, 0], .attributeIgnored),
        silent("1D from the client", [0x1D, Handle.status, 0, 0], .attributeIgnored),
        silent("D2 alone", [0xD2], .signedWrite),
        silent("D2 of 14 octets", [0xD2, Handle.submit, 0] + [UInt8](repeating: 0, count: 11), .signedWrite),
        silent("D2 with a signature", [0xD2, Handle.submit, 0] + [UInt8](repeating: 0, count: 20), .signedWrite),
        silent("an unknown command", [0x7F, 1, 2, 3], .attributeIgnored),
        ask("an unknown request", [0x3F, 1, 2, 3], refusal(0x3F, 0, 0x06)),
        Malformed(
            name: "unsolicited responses",
            packets: [
                "01 0A 03 00 01", "03 B9 00", "05 01 01 00 00 28", "07 01 00 05 00", "09 03 01 00 41", "0B 41 42", "0D 41", "0F 41",
                "11 06 01 00 05 00 00 18",
                "13", "17 1C 00 00 00 41", "19", "21 01 00 41", "23 1C 00 01 00 41",
            ].map { attribute($0) }, drops: [.attributeIgnored: 14]),
        ask("a read of handle 0", "0A 00 00", refusal(0x0A, 0, 0x01)),
        ask("a read of handle FFFF", "0A FF FF", refusal(0x0A, 0xFFFF, 0x01)),
        ask("a read of what is not readable", [0x0A, Handle.submit, 0], refusal(0x0A, UInt16(Handle.submit), 0x02)),
        ask("blob offset len", [0x0C, Handle.name, 0, 9, 0], [0x0D]),
        ask("blob offset len + 1", [0x0C, Handle.name, 0, 10, 0], refusal(0x0C, UInt16(Handle.name), 0x07)),
        ask("blob offset FFFF", [0x0C, Handle.name, 0, 0xFF, 0xFF], refusal(0x0C, UInt16(Handle.name), 0x07)),
        Malformed(
            name: "two requests back to back", packets: [attribute(readName), attribute(readName)], drops: [.attributeBusy: 1],
            attributes: [nameRead], isBurst: true),
        Malformed(
            name: "a request longer than the MTU, behind another",
            packets: [attribute(readName), attribute([0x12, Handle.submit, 0] + [UInt8](repeating: 0, count: 183))],
            drops: [.attributeTooLong: 1], attributes: [nameRead], isBurst: true),
    ]

    private static let ranges: [Malformed] =
        wrongRanges + wrongTypes + [
            ask("group type 2803", "10 01 00 FF FF 03 28", refusal(0x10, 1, 0x10)),
            ask("group type of 128 bits", [0x10, 1, 0, 0xFF, 0xFF] + [UInt8](repeating: 0x28, count: 16), refusal(0x10, 1, 0x10)),
        ]

    private static let requestsByRange: [(opcode: UInt8, rest: [UInt8])] = [
        (0x04, []), (0x06, [0, 0x28]), (0x08, [0, 0x28]), (0x10, [0, 0x28]),
    ]

    private static let wrongRanges: [Malformed] = requestsByRange.flatMap { opcode, rest -> [Malformed] in
        [
            ask("\(text([opcode])): start 0", [opcode, 0, 0, 0xFF, 0xFF] + rest, refusal(opcode, 0, 0x01)),
            ask("\(text([opcode])): start and end 0", [opcode, 0, 0, 0, 0] + rest, refusal(opcode, 0, 0x01)),
            ask("\(text([opcode])): start > end", [opcode, 5, 0, 4, 0] + rest, refusal(opcode, 5, 0x01)),
            ask("\(text([opcode])): beyond the last", [opcode, 0, 0xF0, 0xFF, 0xFF] + rest, refusal(opcode, 0xF000, 0x0A)),
        ]
    }

    private static let wrongTypes: [Malformed] = ([0x08, 0x10] as [UInt8]).flatMap { opcode -> [Malformed] in
        [0, 1, 3, 15, 17].map { length -> Malformed in
            let type = [UInt8](repeating: 0x28, count: length)
            return ask("\(text([opcode])): type of \(length) octets", [opcode, 1, 0, 0xFF, 0xFF] + type, refusal(opcode, 0, 0x04))
        }
    }

    private static let writes: [Malformed] = [
        ask("write of 0 octets", [0x12, Handle.submit, 0], [0x13]),
        Malformed(name: "write command of 0 octets", packets: [attribute([0x52, Handle.submit, 0])]),
        ask(
            "write of 513 octets", [0x12, Handle.submit, 0] + [UInt8](repeating: 0, count: 513), refusal(0x12, UInt16(Handle.submit), 0x0D),
            mtu: 517),
        silent(
            "write command of 513 octets", [0x52, Handle.submit, 0] + [UInt8](repeating: 0, count: 513), .writeCommandRefused, mtu: 517),
        Malformed(
            name: "write to each declaration", packets: Handle.declarations.map { attribute([0x12, $0, 0, 1]) },
            attributes: Handle.declarations.map { refusal(0x12, UInt16($0), 0x03) }),
        Malformed(
            name: "write command to each declaration", packets: Handle.declarations.map { attribute([0x52, $0, 0, 1]) },
            drops: [.writeCommandRefused: Handle.declarations.count]),
        ask("write to a verdict", [0x12, Handle.status, 0, 0], refusal(0x12, UInt16(Handle.status), 0x03)),
        silent("write command to a verdict", [0x52, Handle.status, 0, 0], .writeCommandRefused),
        ask("CCCD of 0 octets", [0x12, Handle.statusConfiguration, 0], [0x13]),
        ask("CCCD of 1 octet", [0x12, Handle.statusConfiguration, 0, 2], [0x13]),
        ask("CCCD of 3 octets", [0x12, Handle.statusConfiguration, 0, 2, 0, 0], refusal(0x12, UInt16(Handle.statusConfiguration), 0x0D)),
        ask(
            "CCCD with reserved bits", [0x12, Handle.statusConfiguration, 0, 0x04, 0],
            refusal(0x12, UInt16(Handle.statusConfiguration), 0xFD)),
        ask("CCCD FFFF", [0x12, Handle.statusConfiguration, 0, 0xFF, 0xFF], refusal(0x12, UInt16(Handle.statusConfiguration), 0xFD)),
        silent("CCCD by a write command", [0x52, Handle.statusConfiguration, 0, 0, 0], .writeCommandRefused),
    ]

    private static let names253 = [UInt8](repeating: 0, count: 506).indices.map { $0 % 2 == 0 ? Handle.name : 0 }
    private static let multiple: [Malformed] = ([0x0E, 0x20] as [UInt8]).flatMap { opcode in
        [
            ask("\(text([opcode])) with 0 handles", [opcode], refusal(opcode, 0, 0x04)),
            ask("\(text([opcode])) with 1 handle", [opcode, Handle.name, 0], refusal(opcode, 0, 0x04)),
            ask("\(text([opcode])) with an odd octet", [opcode, Handle.name, 0, Handle.name, 0, 3], refusal(opcode, 0, 0x04)),
            ask("\(text([opcode])) with a handle of none", [opcode, Handle.name, 0, 0xF0, 0], refusal(opcode, 0xF0, 0x01)),
            ask(
                "\(text([opcode])) with what is not readable", [opcode, Handle.name, 0, Handle.submit, 0],
                refusal(opcode, UInt16(Handle.submit), 0x02)),
            ask("\(text([opcode])) with 253 handles", [opcode] + names253, Array(cutAnswer(opcode).prefix(517)), mtu: 517),
            Malformed(
                name: "\(text([opcode])) with 253 handles, beyond the MTU", packets: [attribute([opcode] + names253)],
                drops: [.attributeTooLong: 1],
                attributes: [refusal(opcode, 0, 0x04)]),
        ]
    }

    /// The name 253 times, with its length each time for Read Multiple Variable.
    private static func cutAnswer(_ opcode: UInt8) -> [UInt8] {
        let name = Array(nameRead.dropFirst())
        let entry = opcode == 0x20 ? [9, 0] + name : name
        return [opcode + 1] + (0..<253).flatMap { _ in entry }
    }

    private static let exchanges: [Malformed] = [
        // Below what a chunk needs: the visit cannot go on, unless its message is there already.
        Malformed(
            name: "MTU 0", packets: [attribute("02 00 00")], attributes: [hex("03 05 02")], ending: .visitFails,
            endingAfterVerdict: .unharmed),
        Malformed(
            name: "MTU 22", packets: [attribute("02 16 00")], attributes: [hex("03 05 02")], ending: .visitFails,
            endingAfterVerdict: .unharmed),
        ask("MTU FFFF", "02 FF FF", hex("03 05 02")),
        ask("second exchange", "02 B9 00", hex("03 05 02")),
        Malformed(
            name: "ten exchanges", packets: (0..<10).map { _ in attribute("02 B9 00") }, attributes: (0..<10).map { _ in hex("03 05 02") }),
        Malformed(
            name: "request larger than the MTU", packets: [attribute([0x12, Handle.submit, 0] + [UInt8](repeating: 0, count: 183))],
            drops: [.attributeTooLong: 1], attributes: [refusal(0x12, 0, 0x04)]),
        silent("write command larger than the MTU", [0x52, Handle.submit, 0] + [UInt8](repeating: 0, count: 183), .attributeTooLong),
        silent("confirmation larger than the MTU", [0x1E] + [UInt8](repeating: 0, count: 185), .attributeTooLong),
        silent("response larger than the MTU", [0x0B] + [UInt8](repeating: 0, count: 185), .attributeTooLong),
    ]

    private static func prepare(_ handle: UInt8, _ offset: UInt16, _ value: [UInt8]) -> [UInt8] {
        [0x16, handle, 0] + pair(offset) + value
    }
    private static func echo(_ request: [UInt8]) -> [UInt8] { [0x17] + request.dropFirst() }

    private static func queue(_ name: String, _ prepared: [[UInt8]], execute flag: UInt8, _ answer: [UInt8], mtu: UInt16 = 185) -> Malformed
    {
        Malformed(
            name: name, packets: (prepared + [[0x18, flag]]).map { attribute($0) }, attributes: prepared.map { echo($0) } + [answer],
            mtu: mtu)
    }

    private static let queues: [Malformed] = [
        // With a gap between them: fragments that continue each other are one.
        Malformed(
            name: "prepare until full",
            packets: ((0..<33).map { prepare(Handle.submit, UInt16($0) * 19, [UInt8](repeating: 1, count: 18)) } + [[0x18, 0]]).map {
                attribute($0)
            },
            attributes: (0..<32).map { echo(prepare(Handle.submit, UInt16($0) * 19, [UInt8](repeating: 1, count: 18))) }
                + [refusal(0x16, UInt16(Handle.submit), 0x09), [0x19]]),
        queue("prepared offset FFFF", [prepare(Handle.submit, 0xFFFF, [1])], execute: 1, refusal(0x18, UInt16(Handle.submit), 0x07)),
        queue(
            "prepared offset + length beyond 512",
            [prepare(Handle.submit, 0, [UInt8](repeating: 0, count: 512)), prepare(Handle.submit, 512, [1])],
            execute: 1, refusal(0x18, UInt16(Handle.submit), 0x0D), mtu: 517),
        queue(
            "prepared writes of two handles",
            [prepare(Handle.submit, 0, [0, 0, 0, 0, 0]), prepare(Handle.identify, 0, [UInt8](repeating: 7, count: 44))],
            execute: 1, [0x19]),
        queue(
            "prepared writes in turns", (0..<6).map { prepare($0 % 2 == 0 ? Handle.submit : Handle.identify, 0, [0]) }, execute: 1, [0x19]),
        ask("prepared write of a declaration", prepare(0x11, 0, [1]), refusal(0x16, 0x11, 0x03)),
        ask("prepared write of handle 0", prepare(0, 0, [1]), refusal(0x16, 0, 0x01)),
        ask("execute an empty queue", "18 01", [0x19]),
        ask("cancel an empty queue", "18 00", [0x19]),
        Malformed(
            name: "execute flags 2 to FF", packets: (2...UInt8.max).map { attribute([0x18, $0]) },
            attributes: (2...UInt8.max).map { _ in refusal(0x18, 0, 0x04) }),
    ]

    @Test(arguments: Malformed.cases(inputs))
    func survived(_ input: Malformed.Case) throws { try input.run() }

    @Test func theHandlesAreThoseOfTheService() throws {
        let service = try TestGate().service
        #expect(service.handle(.identifyRequest) == UInt16(Handle.identify))
        #expect(service.handle(.submitResponse) == UInt16(Handle.submit))
        #expect(service.handle(.verificationStatus) == UInt16(Handle.status))
    }

    @Test(arguments: 0..<8)
    func everyOpcodeAlone(_ part: Int) throws {
        let requests: Set<UInt8> = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20]
        let responses: Set<UInt8> = [
            0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x21, 0x23,
        ]
        try Malformed.sweep(
            (part * 32..<part * 32 + 32).map { code in
                let opcode = UInt8(code)
                let name = "opcode \(text([opcode])) alone"
                if requests.contains(opcode) { return Self.ask(name, [opcode], refusal(opcode, 0, 0x04)) }
                if responses.contains(opcode) { return Self.silent(name, [opcode], .attributeIgnored) }
                switch opcode {
                case 0x1E: return Self.silent(name, [opcode], .attributeUnexpectedConfirmation)
                case 0x52: return Self.silent(name, [opcode], .writeCommandRefused)
                case 0xD2: return Self.silent(name, [opcode], .signedWrite)
                default:
                    if opcode & 0x40 != 0 { return Self.silent(name, [opcode], .attributeIgnored) }
                    return Self.ask(name, [opcode], refusal(opcode, 0, 0x06))
                }
            })
    }

    @Test func eachRequestOneOctetShortOrLong() throws {
        let fixed = [
            "02 B9 00", "04 01 00 FF FF", "08 01 00 FF FF 03 28", "08 01 00 FF FF" + String(repeating: "28", count: 16), "0A 03 00",
            "0C 03 00 00 00", "0E 03 00 03 00", "10 01 00 FF FF 00 28", "18 00", "20 03 00 03 00",
        ]
        var inputs: [Malformed] = fixed.map(hex).flatMap { request in
            [
                Self.ask("\(text(request)) short", request.dropLast(), refusal(request[0], 0, 0x04)),
                Self.ask("\(text(request)) long", request + [0], refusal(request[0], 0, 0x04)),
            ]
        }
        // These end in a value of any length.
        inputs += [
            Self.ask("find by type value short", "06 01 00 FF FF 00", refusal(0x06, 0, 0x04)),
            Self.ask("find by type value with an octet of value", "06 01 00 FF FF 00 28 00", refusal(0x06, 1, 0x0A)),
            Self.ask("write short", "12 24", refusal(0x12, 0, 0x04)),
            Self.ask("prepare short", "16 1C 00 00", refusal(0x16, 0, 0x04)),
            Malformed(name: "write command short", packets: [attribute("52 24")], drops: [.writeCommandRefused: 1]),
        ]
        try Malformed.sweep(inputs)
    }

    /// What one client prepared is not the next one's to execute.
    @Test func aLinkThatEndsWithAFullQueueLeavesNothing() throws {
        let test = try TestGate()
        test.connect(mtu: 185)
        let value = [UInt8](repeating: 9, count: 44)
        for part in 0..<3 {
            test.controller.send([0x16, Handle.identify, 0, UInt8(part * 18), 0] + value[(part * 18)..<min(44, part * 18 + 18)])
            test.turn()
        }
        for _ in 0..<40 {
            test.controller.send([0x16, Handle.submit, 0, 0, 0] + [UInt8](repeating: 1, count: 18))
            test.turn()
        }
        #expect(test.answers.last == refusal(0x16, UInt16(Handle.submit), 0x09))
        test.leave()
        test.connect(mtu: 185)
        test.controller.send([0x18, 1])
        test.turn()
        #expect(test.answers.last == [0x19])
        // Nobody has identified: the key is the same, and no visit has begun.
        #expect(!test.holdsChannelKey)
        #expect(test.records.isEmpty)
        test.leave()
        #expect(test.records.isEmpty)
        try Malformed.expectNextVisit(test)
    }
}
