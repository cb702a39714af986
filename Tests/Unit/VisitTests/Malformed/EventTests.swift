import Bluetooth
import Testing

/// Disconnect of a link that is not served.
private let refuseOther = hex("01 06 04 03 41 00 13")

/// LE Connection Complete, in its first form or the enhanced one.
private func connection(status: UInt8 = 0, handle: UInt16 = TestController.handle, role: UInt8 = 1, isEnhanced: Bool = false) -> [UInt8] {
    let head: [UInt8] = [isEnhanced ? 0x0A : 0x01, status] + pair(handle) + [role, 1] + hex("01 02 03 04 05 C6")
    let addresses = [UInt8](repeating: 0, count: isEnhanced ? 12 : 0)
    return event(0x3E, head + addresses + hex("06 00 00 00 C8 00 00"))
}

@Suite struct EventTests {
    static let inputs: [Malformed] = completedPackets + connections(false) + connections(true) + answers + others

    private static let completedPackets: [Malformed] = [
        Malformed(
            name: "Completed Packets: one entry announced as two", packets: [event(0x13, "02 40 00 01 00")],
            drops: [.completedPacketsMalformed: 1]),
        Malformed(
            name: "Completed Packets: an entry announced as none", packets: [event(0x13, "00 40 00 01 00")],
            drops: [.completedPacketsMalformed: 1]),
        Malformed(
            name: "Completed Packets: FF entries announced", packets: [event(0x13, "FF 40 00 01 00")],
            drops: [.completedPacketsMalformed: 1]),
        Malformed(
            name: "Completed Packets: unknown handle", packets: [event(0x13, "01 41 00 01 00")], drops: [.completedPacketsUnknownHandle: 1]),
        Malformed(
            name: "Completed Packets: handle FFFF", packets: [event(0x13, "01 FF FF 01 00")], drops: [.completedPacketsUnknownHandle: 1]),
        Malformed(
            name: "Completed Packets: more than outstanding", packets: [event(0x13, "01 40 00 01 00")], drops: [.completedPacketsExcess: 1],
            dropsWithoutLink: [.completedPacketsUnknownHandle: 1]),
        Malformed(
            name: "Completed Packets: FFFF of them", packets: [event(0x13, "01 40 00 FF FF")], drops: [.completedPacketsExcess: 1],
            dropsWithoutLink: [.completedPacketsUnknownHandle: 1]),
        Malformed(
            name: "Completed Packets: the same handle twice", packets: [event(0x13, "02 40 00 01 00 40 00 01 00")],
            drops: [.completedPacketsExcess: 2], dropsWithoutLink: [.completedPacketsUnknownHandle: 2]),
        Malformed(name: "Completed Packets: zero handles", packets: [event(0x13, "00")]),
    ]

    private static func connections(_ isEnhanced: Bool) -> [Malformed] {
        let form = isEnhanced ? "Enhanced Connection Complete" : "Connection Complete"
        func complete(_ status: UInt8 = 0, _ handle: UInt16 = TestController.handle, _ role: UInt8 = 1) -> [UInt8] {
            connection(status: status, handle: handle, role: role, isEnhanced: isEnhanced)
        }
        return [
            Malformed(name: "\(form): error status", packets: [complete(0x3E)], drops: [.connectionFailed: 1]),
            Malformed(
                name: "\(form): duplicate handle", packets: [complete()], drops: [.connectionDuplicate: 1], skips: [.beforeAConnection]),
            Malformed(
                name: "\(form): a second link", packets: [complete(0, 0x41)],
                drops: [.connectionDuplicate: 1, .disconnectionUnknownHandle: 1],
                commands: [refuseOther], skips: [.beforeAConnection]),
            Malformed(name: "\(form): handle 0F00", packets: [complete(0, 0x0F00)], drops: [.connectionHandleInvalid: 1]),
            Malformed(name: "\(form): handle FFFF", packets: [complete(0, 0xFFFF)], drops: [.connectionHandleInvalid: 1]),
            Malformed(
                name: "\(form): role central", packets: [complete(0, 0x41, 0)],
                drops: [.connectionRole: 1, .disconnectionUnknownHandle: 1],
                commands: [refuseOther]),
            Malformed(
                name: "\(form): role FF", packets: [complete(0, 0x41, 0xFF)], drops: [.connectionRole: 1, .disconnectionUnknownHandle: 1],
                commands: [refuseOther]),
            // The link that is up is the wallet's, whatever is said of it now.
            Malformed(
                name: "\(form): role central, the wallet's handle", packets: [complete(0, TestController.handle, 0)],
                drops: [.connectionDuplicate: 1], dropsWithoutLink: [.connectionRole: 1]),
        ]
    }

    private static let answers: [Malformed] = [
        Malformed(name: "Command Complete for an opcode never sent", packets: [event(0x0E, "01 FF FF 00")], drops: [.commandUnexpected: 1]),
        Malformed(
            name: "Command Complete for a command answered before", packets: [event(0x0E, "01 03 0C 00")], drops: [.commandUnexpected: 1]),
        Malformed(
            name: "Command Complete twice", packets: [event(0x0E, "01 0A 20 00"), event(0x0E, "01 0A 20 00")],
            drops: [.commandUnexpected: 2]),
        Malformed(name: "Command Complete of opcode 0", packets: [event(0x0E, "01 00 00")]),
        Malformed(name: "Command Complete of opcode 0 that allows no packets", packets: [event(0x0E, "00 00 00")]),
        Malformed(name: "Command Complete without return parameters", packets: [event(0x0E, "01 03 0C")], drops: [.commandUnexpected: 1]),
        Malformed(name: "Command Status for an opcode never sent", packets: [event(0x0F, "00 01 06 04")], drops: [.commandUnexpected: 1]),
        Malformed(name: "Command Status of opcode 0", packets: [event(0x0F, "00 01 00 00")]),
    ]

    private static let others: [Malformed] = [
        Malformed(
            name: "Disconnection of an unknown handle", packets: [event(0x05, "00 41 00 13")], drops: [.disconnectionUnknownHandle: 1]),
        Malformed(name: "Disconnection of handle FFFF", packets: [event(0x05, "00 FF FF 13")], drops: [.disconnectionUnknownHandle: 1]),
        Malformed(
            name: "Disconnection that failed", packets: [event(0x05, "0C 40 00 13")], dropsWithoutLink: [.disconnectionUnknownHandle: 1]),
        Malformed(
            name: "LTK request", packets: [event(0x3E, "05 40 00 01 02 03 04 05 06 07 08 00 00")], drops: [.keyRequest: 1],
            commands: [hex("01 1B 20 02 40 00")]),
        Malformed(
            name: "LTK request of an unknown handle", packets: [event(0x3E, "05 41 00 01 02 03 04 05 06 07 08 00 00")],
            drops: [.keyRequest: 1]),
        Malformed(name: "Encryption Change nobody asked for", packets: [event(0x08, "00 40 00 01")]),
        Malformed(
            name: "unknown LE subevents",
            packets: ([0x00, 0x02, 0x06, 0x0B, 0x7F, 0xFF] as [UInt8]).map { event(0x3E, [$0, 0, 0x40, 0]) },
            drops: [.eventUnknown: 6]),
        Malformed(
            name: "unknown events", packets: ([0x00, 0x01, 0x03, 0x7F, 0xFF] as [UInt8]).map { event($0, [0, 0x40, 0]) },
            drops: [.eventUnknown: 5]),
        Malformed(name: "Advertising Set Terminated without extended advertising", packets: [event(0x3E, "12 43 00 00 00 00")]),
        Malformed(
            name: "Data Buffer Overflow", packets: [event(0x1A, "01")], drops: [.dataBufferOverflow: 1], ending: .linkEnds),
        Malformed(
            name: "Data Buffer Overflow of no octets", packets: [event(0x1A, "")], drops: [.dataBufferOverflow: 1], ending: .linkEnds),
        Malformed(
            name: "Hardware Error", packets: [event(0x10, "42")], drops: [.hardwareError: 1], ending: .fault(.reset),
            endingWithoutLink: .fault(.reset)),
        Malformed(
            name: "Hardware Error of no octets", packets: [event(0x10, "")], drops: [.hardwareError: 1], ending: .fault(.reset),
            endingWithoutLink: .fault(.reset)),
    ]

    @Test(arguments: Malformed.cases(inputs))
    func survived(_ input: Malformed.Case) throws { try input.run() }

    private static let wellFormed: [(code: UInt8, parameters: String)] = [
        (0x05, "00 40 00 13"), (0x08, "00 40 00 01"), (0x0E, "01 03 0C 00"), (0x0F, "00 01 03 0C"), (0x13, "01 40 00 01 00"),
        (0x30, "00 40 00"), (0x3E, "01 00 40 00 01 01 01 02 03 04 05 C6 06 00 00 00 C8 00 00"), (0x3E, "03 00 40 00 0C 00 00 00 58 02"),
        (0x3E, "05 40 00 01 02 03 04 05 06 07 08 00 00"), (0x3E, "07 40 00 FB 00 48 08 FB 00 48 08"),
        (0x3E, "0A 00 40 00 01 01 01 02 03 04 05 C6 00 00 00 00 00 00 00 00 00 00 00 00 06 00 00 00 C8 00 00"),
        (0x3E, "0C 00 40 00 02 02"), (0x3E, "12 00 00 40 00 00"), (0x3E, "14 40 00 01"),
    ]

    /// What counts an event of `code` cut to `kept`, its length right.
    private static func drops(_ code: UInt8, _ kept: [UInt8]) -> [Drop: Int] {
        switch (code, kept.first) {
        case (0x05, _): return [.eventMalformed: 1]
        case (0x0E, _): return kept.count < 3 ? [.eventTruncated: 1] : [.commandUnexpected: 1]
        case (0x0F, _), (0x3E, nil): return [.eventTruncated: 1]
        case (0x13, _): return [.completedPacketsMalformed: 1]
        // Of no interest, however long.
        case (0x3E, 0x07), (0x3E, 0x0C), (0x3E, 0x14), (0x08, _), (0x30, _): return [:]
        default: return [.eventMalformed: 1]
        }
    }

    @Test(arguments: wellFormed.indices)
    func anEventCutAtEveryLength(_ index: Int) throws {
        let (code, parameters) = Self.wellFormed[index]
        let whole = hex(parameters)
        var inputs = (0..<whole.count).map { length in
            Malformed(
                name: "event \(text([code])) of \(length) octets", packets: [event(code, Array(whole[..<length]))],
                drops: Self.drops(code, Array(whole[..<length])))
        }
        let packet = event(code, whole)
        inputs.append(
            Malformed(
                name: "event \(text([code])) cut", packets: (0..<packet.count).map { Array(packet[..<$0]) },
                drops: [.emptyPacket: 1, .eventTruncated: 2, .packetLength: packet.count - 3]))
        inputs.append(Malformed(name: "event \(text([code])) with an octet more", packets: [packet + [0]], drops: [.packetLength: 1]))
        try Malformed.sweep(inputs)
    }

    @Test func bothFormsOfConnectionCompleteServeAWholeVisit() throws {
        let test = try TestGate()
        for _ in 0..<3 {
            for isEnhanced in [false, true] {
                test.controller.connectionForm = isEnhanced ? 0x0A : 0x01
                #expect(try HonestVisit.complete(test))
                test.leave()
                test.wait(4000)
            }
        }
        #expect(test.gate.counters.total == 0)
    }
}
