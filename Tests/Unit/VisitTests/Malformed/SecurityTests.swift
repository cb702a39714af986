import Bluetooth
import Testing

@testable import Visit

private let notSupported: [UInt8] = [0x05, 0x05]
private let notKnown: [UInt8] = [0x05, 0x07]

@Suite struct SecurityTests {
    static let inputs: [Malformed] = [
        Malformed(name: "empty", packets: [frame(6, [])], drops: [.securityMalformed: 1]),
        pairing("as phones send it", "01 03 00 0D 10 03 03"),
        pairing("key size 0", "01 03 00 0D 00 03 03"),
        pairing("key size 6", "01 03 00 0D 06 03 03"),
        pairing("key size 17", "01 03 00 0D 11 03 03"),
        pairing("key size FF", "01 03 00 0D FF 03 03"),
        pairing("reserved IO", "01 FF 00 0D 10 03 03"),
        pairing("every bit set", "01 FF FF FF FF FF FF"),
        pairing("cut", "01 03 00"),
        pairing("too long", "01 03 00 0D 10 03 03 00 00 00"),
        ignored("Random before Confirm", "04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
        ignored("Confirm without a request", "03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
        ignored("Public Key without a request", "0C" + String(repeating: "00", count: 64)),
        ignored("DHKey check first", "0D 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
        ignored("Security Request", "0B 0D"),
        ignored("Encryption Information", "06 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
        ignored("Pairing Failed", "05 08"),
        Malformed(
            name: "Pairing Requests back to back", packets: (0..<5).map { _ in frame(6, hex("01 03 00 0D 10 03 03")) },
            drops: [.securityBusy: 4],
            security: [notSupported], isBurst: true),
        Malformed(
            name: "a whole pairing in spite of the refusal",
            packets: ["01 03 00 0D 10 03 03", "03" + String(repeating: "11", count: 16), "04" + String(repeating: "22", count: 16)]
                .map { frame(6, hex($0)) },
            drops: [.securityIgnored: 2], security: [notSupported]),
    ]

    private static func pairing(_ name: String, _ pdu: String) -> Malformed {
        Malformed(name: "Pairing Request, \(name)", packets: [frame(6, hex(pdu))], security: [notSupported])
    }

    private static func ignored(_ name: String, _ pdu: String) -> Malformed {
        Malformed(name: name, packets: [frame(6, hex(pdu))], drops: [.securityIgnored: 1])
    }

    @Test(arguments: Malformed.cases(inputs))
    func survived(_ input: Malformed.Case) throws { try input.run() }

    @Test(arguments: 0..<8)
    func everyCodeAlone(_ part: Int) throws {
        try Malformed.sweep(
            (part * 32..<part * 32 + 32).map { code in
                let packets = [frame(6, [UInt8(code)])]
                return switch code {
                case 0x01: Malformed(name: "code 01", packets: packets, security: [notSupported])
                case 0x02...0x0E: Malformed(name: "code \(code)", packets: packets, drops: [.securityIgnored: 1])
                default: Malformed(name: "code \(code)", packets: packets, security: [notKnown])
                }
            })
    }

    /// More than a thousand Pairing Requests around the chunks, each chunk asked for its answer, and a controller of one
    /// buffer: an answer of ATT's never waits for more than the one packet that went before it.
    @Test func aThousandPairingRequestsDoNotStarveATT() throws {
        let test = try TestGate(script: ControllerScript(leCount: 1))
        let visit = try HonestVisit(test, mtu: 67)
        visit.connect()
        try visit.identify()
        let request = frame(6, hex("01 03 00 0D 10 03 03"))
        test.controller.returnsCredits = false
        var requests = 0
        var chunks = 0
        while let chunk = visit.takeChunk() {
            func storm() {
                for _ in 0..<40 { test.gate.receive(request.span, at: test.now) }
                requests += 40
            }
            let before = test.controller.dataPackets.count
            let answers = test.answers.count
            storm()
            // Every other time a refusal of pairing has the only buffer already.
            let isTaken = chunks % 2 == 0
            if isTaken { test.turn() }
            let asked = test.controller.dataPackets.count
            #expect(asked - before == (isTaken ? 1 : 0))
            test.gate.receive(attribute([0x12] + chunk.dropFirst()).span, at: test.now)
            storm()
            for _ in 0..<4 where test.controller.held > 0 || test.answers.count == answers {
                if test.controller.held > 0 { test.controller.returnCredits(1) }
                test.turn()
            }
            let sent = test.controller.dataPackets[asked...].map(\.channel)
            #expect(sent.first == 4, "chunk \(chunks): the answer went first")
            #expect(sent.count <= 2)
            #expect(test.answers.count == answers + 1 && test.answers.last == [0x13])
            if test.controller.held > 0 { test.controller.returnCredits(1) }
            test.turn()
            if test.controller.held > 0 { test.controller.returnCredits(1) }
            test.turn()
            chunks += 1
        }
        #expect(requests >= 1000)
        #expect(test.missingChunks == 0)
        let refusals = test.controller.otherFrames.filter { $0.channel == 6 }
        #expect(refusals.allSatisfy { $0.payload == notSupported })
        #expect(refusals.count + Int(test.gate.counters[.securityBusy]) == requests)
        test.controller.returnsCredits = true
        #expect(visit.finish())
        #expect(test.controller.offences == [])
        try Malformed.expectNextVisit(test)
    }
}
