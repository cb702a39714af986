import Bluetooth
import Testing

private func signal(_ pdu: String) -> [UInt8] { frame(5, hex(pdu)) }

@Suite struct SignallingTests {
    static let inputs: [Malformed] = [
        Malformed(name: "empty", packets: [frame(5, [])], drops: [.signallingMalformed: 1]),
        Malformed(name: "identifier 0", packets: [signal("12 00 08 00 06 00 06 00 00 00 C8 00")], drops: [.signallingMalformed: 1]),
        Malformed(name: "identifier 0 of an unknown code", packets: [signal("7F 00 00 00")], drops: [.signallingMalformed: 1]),
        Malformed(name: "length below the rest", packets: [signal("7F 01 00 00 00")], drops: [.signallingMalformed: 1]),
        Malformed(name: "length above the rest", packets: [signal("7F 01 02 00 00")], drops: [.signallingMalformed: 1]),
        Malformed(name: "length FFFF", packets: [signal("7F 01 FF FF")], drops: [.signallingMalformed: 1]),
        Malformed(name: "two commands in a frame", packets: [signal("7F 01 00 00 7F 02 00 00")], drops: [.signallingMalformed: 1]),
        Malformed(name: "unknown code", packets: [signal("7F 09 00 00")], signals: [hex("01 09 02 00 00 00")]),
        Malformed(name: "code 0", packets: [signal("00 09 00 00")], signals: [hex("01 09 02 00 00 00")]),
        Malformed(
            name: "longer than the signalling MTU", packets: [frame(5, hex("7F 09 14 00") + [UInt8](repeating: 0, count: 20))],
            signals: [hex("01 09 04 00 01 00 17 00")]),
        Malformed(
            name: "parameter update request 12 from a central", packets: [signal("12 01 08 00 06 00 06 00 00 00 C8 00")],
            signals: [hex("01 01 02 00 00 00")]),
        Malformed(
            name: "parameter update response 13 nobody asked for", packets: [signal("13 01 02 00 00 00")], drops: [.signallingIgnored: 1]),
        Malformed(
            name: "credit connection request 14", packets: [signal("14 01 0A 00 80 00 40 00 40 00 40 00 01 00")],
            signals: [hex("15 01 0A 00 00 00 00 00 00 00 00 00 02 00")]),
        Malformed(
            name: "credit connection response 15", packets: [signal("15 01 0A 00 40 00 40 00 40 00 01 00 00 00")],
            drops: [.signallingIgnored: 1]),
        Malformed(name: "credits 16", packets: [signal("16 01 04 00 40 00 FF FF")], drops: [.signallingIgnored: 1]),
        Malformed(
            name: "disconnection request 06 of an unknown channel", packets: [signal("06 01 04 00 40 00 41 00")],
            signals: [hex("01 01 06 00 02 00 40 00 41 00")]),
        Malformed(name: "command reject 01", packets: [signal("01 01 02 00 00 00")], drops: [.signallingIgnored: 1]),
        Malformed(
            name: "two requests back to back", packets: [signal("7F 01 00 00"), signal("7F 02 00 00")], drops: [.signallingBusy: 1],
            signals: [hex("01 01 02 00 00 00")], isBurst: true),
    ]

    @Test(arguments: Malformed.cases(inputs))
    func survived(_ input: Malformed.Case) throws { try input.run() }

    /// Each cut as a frame of its own: never an answer to what is not whole.
    @Test(arguments: [
        "12 01 08 00 06 00 06 00 00 00 C8 00", "14 01 0A 00 80 00 40 00 40 00 40 00 01 00", "15 01 0A 00 40 00 40 00 40 00 01 00 00 00",
        "16 01 04 00 40 00 FF FF", "17 01 0A 00 80 00 40 00 40 00 01 00 40 00", "06 01 04 00 40 00 41 00",
    ])
    func aCommandCutAtEveryLength(_ command: String) throws {
        let whole = hex(command)
        let isSilent = whole[0] == 0x15 || whole[0] == 0x16
        try Malformed.sweep(
            (0..<whole.count).map { length in
                Malformed(
                    name: "code \(text([whole[0]])) of \(length) octets", packets: [frame(5, Array(whole[..<length]))],
                    drops: [isSilent && length >= 2 ? .signallingIgnored : .signallingMalformed: 1])
            })
    }

    @Test func everyCodeWithoutData() throws {
        let responses: Set<UInt8> = [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x16, 0x18, 0x1A]
        // These have data by their meaning.
        let needy: Set<UInt8> = [0x06, 0x14, 0x17]
        let codes = (0...UInt8.max).map { code in
            let packet = frame(5, [code, 0x21, 0, 0])
            if responses.contains(code) { return Malformed(name: "response \(code)", packets: [packet], drops: [.signallingIgnored: 1]) }
            if needy.contains(code) { return Malformed(name: "code \(code)", packets: [packet], drops: [.signallingMalformed: 1]) }
            return Malformed(name: "code \(code)", packets: [packet], signals: [hex("01 21 02 00 00 00")])
        }
        // Sixteen codes a visit.
        try Malformed.sweep(stride(from: 0, to: 256, by: 16).map { Malformed.merged(codes[$0..<$0 + 16]) })
    }
}
