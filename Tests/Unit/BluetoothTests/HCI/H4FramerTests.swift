import Bluetooth
import TestSupport
import Testing

/// Feeds all octets in pieces of `step` and collects the packets.
private func packets(of octets: [UInt8], step: Int, from framer: inout H4Framer) throws -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var start = 0
    while start < octets.count {
        let piece = Array(octets[start..<min(start + step, octets.count)])
        var taken = 0
        while taken < piece.count {
            let rest = Array(piece[taken...])
            let count = try rest.withUnsafeBytes { try framer.feed($0) }
            taken += count
            if framer.packetLength > 0 { packets.append(framer.withPacket { Array($0) }) }
        }
        start += step
    }
    return packets
}

/// Event, ACL data, an event without parameters, synchronous and isochronous data, an event of full length.
private let event: [UInt8] = [0x04, 0x0E, 4, 1, 0x03, 0x0C, 0]
private let data: [UInt8] = [0x02, 0x40, 0x20, 7, 0, 3, 0, 4, 0, 2, 23, 0]
private let empty: [UInt8] = [0x04, 0xFF, 0]
private let synchronous: [UInt8] = [0x03, 1, 0, 2, 9, 9]
private let isochronous: [UInt8] = [0x05, 1, 0, 3, 0x40, 9, 9, 9]
private let emptyData: [UInt8] = [0x02, 0x40, 0x20, 0, 0]
private let full: [UInt8] = [0x04, 0x3E, 255] + [UInt8](repeating: 0x5A, count: 255)

@Test(arguments: 1...64)
func everySplitGivesTheSamePackets(step: Int) throws {
    var framer = H4Framer()
    let stream = event + synchronous + data + empty + isochronous + emptyData + full + event
    let result = try packets(of: stream, step: step, from: &framer)
    #expect(result == [event, data, empty, emptyData, full, event])
    #expect(framer.skippedPackets == 2)
    try framer.end()
}

@Test func theLargestPacketFitsAndOneMoreDoesNot() throws {
    var framer = H4Framer()
    let room = H4Framer.capacity - 5
    let largest: [UInt8] = [0x02, 1, 0x20, UInt8(room & 255), UInt8(room >> 8)] + [UInt8](repeating: 7, count: room)
    #expect(try packets(of: largest, step: 100, from: &framer) == [largest])
    let header: [UInt8] = [0x02, 1, 0x20, UInt8((room + 1) & 255), UInt8((room + 1) >> 8)]
    #expect(throws: H4FramingError.tooLong(type: 2, length: UInt16(room + 1))) {
        try packets(of: header, step: 1, from: &framer)
    }
    // The loss is final until the link starts over.
    #expect(throws: H4FramingError.tooLong(type: 2, length: UInt16(room + 1))) {
        try packets(of: event, step: 9, from: &framer)
    }
    framer.reset()
    #expect(try packets(of: event, step: 9, from: &framer) == [event])
}

@Test func everyTypeNoControllerSendsIsRefused() {
    for type in UInt8.min...UInt8.max where ![2, 3, 4, 5].contains(type) {
        var framer = H4Framer()
        #expect(throws: H4FramingError.unknownType(type)) { try packets(of: [type], step: 1, from: &framer) }
    }
}

@Test func isochronousDataLongerThanAFrameIsALossToo() {
    var framer = H4Framer()
    #expect(throws: H4FramingError.tooLong(type: 5, length: 0x3FFF)) {
        try packets(of: [5, 0, 0, 0xFF, 0xFF], step: 2, from: &framer)
    }
}

@Test func anEndInsideAPacketIsReportedAtEveryOctet() throws {
    for packet in [event, data, synchronous, isochronous, full] {
        for length in 1..<packet.count {
            var framer = H4Framer()
            _ = try packets(of: Array(packet[..<length]), step: 3, from: &framer)
            do throws(H4FramingError) {
                try framer.end()
                Issue.record("cut at \(length) of \(packet.count) was not noticed")
            } catch {
                #expect(error == .endedInsidePacket)
            }
        }
        var framer = H4Framer()
        _ = try packets(of: packet, step: 3, from: &framer)
        try framer.end()
    }
}

@Test func noiseNeverMakesMoreThanPacketsAndErrors() {
    var random = SeededRandom(seed: 91)
    for _ in 0..<2000 {
        var framer = H4Framer()
        var noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
        noise[0] = UInt8.random(in: 2...5, using: &random)
        for packet in (try? packets(of: noise, step: 17, from: &framer)) ?? [] {
            #expect(packet.count <= H4Framer.capacity && (packet[0] == 2 || packet[0] == 4))
        }
    }
}
