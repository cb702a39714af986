import Bluetooth
import Testing

@testable import AriesTransport

/// What a phone finds: the advertisement and the attributes (aries.md section 1).
@Suite struct ServiceTests {
    @Test("flags and the visit's service, least significant octet first: 21 octets")
    func announcement() {
        let announcement = ServiceAnnouncement(GateOnAir.service)
        let octets = announcement.withOctets { data in data.indices.map { data[$0] } }
        let uuid: [UInt8] = [
            0x1F, 0x1E, 0x1D, 0x1C, 0x1B, 0x1A, 0x19, 0x98, 0x17, 0x46, 0x15, 0x14, 0x13, 0x12, 0x11, 0x10,
        ]
        #expect(octets == [0x02, 0x01, 0x06, 0x11, 0x07] + uuid)
    }

    @Test("the service, its two characteristics and their handles")
    func discovery() {
        let gate = GateOnAir()
        gate.connect()
        gate.exchange(mtu: 185)
        let service: [UInt8] = [0x1F, 0x1E, 0x1D, 0x1C, 0x1B, 0x1A, 0x19, 0x98, 0x17, 0x46, 0x15, 0x14, 0x13, 0x12, 0x11, 0x10]
        #expect(gate.ask([0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28] + service) == [0x07, 0x40, 0, 0x45, 0])
        let message: [UInt8] = [
            0x74, 0x0E, 0xE2, 0x64, 0xD2, 0x2A, 0x79, 0xB2, 0x7C, 0x47, 0xD7, 0xAF, 0xED, 0x3D, 0x10, 0xC3,
        ]
        let indicated: [UInt8] = [
            0xE8, 0xA3, 0x93, 0x37, 0xAE, 0xDC, 0xE6, 0xB4, 0x9B, 0x4C, 0x0A, 0x78, 0x79, 0x78, 0xE9, 0xE6,
        ]
        let first: [UInt8] = [0x41, 0, 0x08, 0x42, 0] + message, second: [UInt8] = [0x43, 0, 0x20, 0x44, 0] + indicated
        #expect(gate.ask([0x08, 0x40, 0, 0x45, 0, 0x03, 0x28]) == [0x09, 21] + first + second)
        #expect(gate.ask([0x04, 0x45, 0, 0x45, 0]) == [0x05, 1, 0x45, 0, 0x02, 0x29])
        #expect(gate.ask([0x0A, 0x45, 0]) == [0x0B, 0, 0])
        #expect((0x3F...0x46 as ClosedRange<UInt16>).map(AriesService.owns) == [false] + [Bool](repeating: true, count: 6) + [false])
    }

    @Test("a table that has gone that far has no room for it")
    func taken() throws {
        var table = AttributeTable()
        try table.addService(UUID(0x1800), at: AriesService.firstHandle)
        #expect(throws: AttributeTableError.handleOrder) { try AriesService.add(to: &table, service: AriesService.defaultUUID) }
    }
}
