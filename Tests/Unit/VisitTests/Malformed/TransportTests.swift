import Bluetooth
import Testing

@testable import Visit

/// The stream between controller and gate, cut into packets as the shell cuts it.
private final class Stream {
    private var framer = H4Framer()
    /// Octets that come in one piece.
    var step = Int.max

    var skipped: UInt32 { framer.skippedPackets }

    func packets(_ octets: [UInt8]) throws -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var taken = 0
        while taken < octets.count {
            let piece = Array(octets[taken..<(octets.count - taken > step ? taken + step : octets.count)])
            taken += try piece.withUnsafeBytes { try framer.feed($0) }
            if framer.packetLength > 0 { packets.append(framer.withPacket { Array($0) }) }
        }
        return packets
    }

    func end() throws(H4FramingError) { try framer.end() }

    /// One packet of an honest controller.
    func pass(_ packet: [UInt8]) -> [UInt8] {
        do {
            let packets = try packets(packet)
            if packets.count == 1 { return packets[0] }
            Issue.record("\(packets.count) packets of one")
        } catch {
            Issue.record("\(error)")
        }
        return []
    }

    func reset() { framer.reset() }
}

/// H4 has no start mark: a position once lost ends the link to the controller, and the shell opens it anew.
@Suite struct TransportTests {
    private func gate(_ stream: Stream, at moment: Malformed.Moment) throws -> TestGate {
        let test = try TestGate()
        test.controller.wire = { stream.pass($0) }
        let visit = try HonestVisit(test)
        if moment != .beforeAConnection { try visit.begin() }
        // The verdict's light comes before the fault's.
        if moment == .afterTheVerdict {
            #expect(visit.finish())
            test.waitForLights()
        }
        return test
    }

    /// What the shell does when the stream breaks.
    private func reopen(_ test: TestGate, _ stream: Stream, at moment: Malformed.Moment) throws {
        test.gate.linkLost(at: test.now)
        test.turn()
        #expect(test.light == .fault)
        if moment == .inATransfer { test.expectNoAccept() }
        stream.reset()
        test.open()
        #expect(test.light == .ready)
        let outcomes: [VisitRecord.Outcome] =
            switch moment {
            case .beforeAConnection: []
            case .inATransfer: [.controllerFault]
            case .afterTheVerdict: [.accepted]
            }
        #expect(test.outcomes == outcomes)
        try Malformed.expectNextVisit(test)
        #expect(test.controller.offences == [])
    }

    @Test(arguments: [0x00, 0x01, 0x06, 0x7F, 0xFF] as [UInt8], Malformed.Moment.allCases)
    func anUnknownTypeOctet(_ type: UInt8, _ moment: Malformed.Moment) throws {
        let stream = Stream()
        let test = try gate(stream, at: moment)
        #expect(throws: H4FramingError.unknownType(type)) { try stream.packets([type, 0x0E, 4, 1, 0x03, 0x0C, 0]) }
        // Nothing of what follows is taken for a packet.
        #expect(throws: H4FramingError.unknownType(type)) { try stream.packets(event(0x10, "00")) }
        try reopen(test, stream, at: moment)
    }

    @Test(arguments: ["02 40 20 FF FF", "02 40 20 04 04", "05 40 20 FF 3F"], Malformed.Moment.allCases)
    func aLengthBeyondTheFrame(_ header: String, _ moment: Malformed.Moment) throws {
        let stream = Stream()
        let test = try gate(stream, at: moment)
        let octets = hex(header)
        let length = (UInt16(octets[3]) | UInt16(octets[4]) << 8) & (octets[0] == 5 ? 0x3FFF : 0xFFFF)
        #expect(throws: H4FramingError.tooLong(type: octets[0], length: length)) { try stream.packets(octets) }
        try reopen(test, stream, at: moment)
    }

    /// Whole visits, bring-up and all, with every packet in pieces of so many octets.
    @Test(arguments: [1, 2, 3, 4, 5, 7, 64])
    func headersSplitAtEveryOctet(_ step: Int) throws {
        let stream = Stream()
        stream.step = step
        let test = try TestGate()
        test.controller.wire = { stream.pass($0) }
        test.gate.linkLost(at: test.now)
        test.open()
        #expect(try HonestVisit.complete(test))
        try Malformed.expectNextVisit(test)
        #expect(test.gate.counters.total == 0)
    }

    @Test(arguments: Malformed.Moment.allCases)
    func theStreamEndsInsideAPacketAtEveryOctet(_ moment: Malformed.Moment) throws {
        for packet in [event(0x0E, "01 03 0C 00"), acl(hex("03 00 04 00 0A 03 00"))] {
            for length in 1..<packet.count {
                let stream = Stream()
                let test = try gate(stream, at: moment)
                #expect(try stream.packets(Array(packet[..<length])) == [])
                #expect(throws: H4FramingError.endedInsidePacket) { try stream.end() }
                try reopen(test, stream, at: moment)
            }
        }
    }

    @Test func eventsOfNoLength() throws {
        let stream = Stream()
        let packets = try stream.packets(([0x00, 0x05, 0x0E, 0x0F, 0x13, 0x3E, 0xFF] as [UInt8]).flatMap { event($0, []) })
        #expect(packets.count == 7)
        try Malformed.sweep([
            Malformed(
                name: "zero-length events", packets: packets,
                drops: [.eventUnknown: 2, .eventMalformed: 1, .eventTruncated: 3, .completedPacketsMalformed: 1])
        ])
    }

    @Test(arguments: Malformed.Moment.allCases)
    func audioNobodyAskedForIsSteppedOver(_ moment: Malformed.Moment) throws {
        let stream = Stream()
        let test = try gate(stream, at: moment)
        #expect(try stream.packets([0x03, 1, 0, 2, 9, 9, 0x05, 1, 0, 3, 0x40, 9, 9, 9]) == [])
        #expect(stream.skipped == 2)
        try Malformed.expectNextVisit(test)
    }
}
