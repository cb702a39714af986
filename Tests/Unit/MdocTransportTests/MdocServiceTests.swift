import Testing

@testable import Bluetooth
@testable import MdocTransport

/// The table as a phone sees it (mdoc.md sections 2 and 2.1).
@Suite struct MdocServiceTests {
    private let base = octets("e6733397764c6b89ce4823a1")

    @Test func theServiceHasFourCharacteristics() throws {
        let phone = try ServedPhone()
        try phone.connect()
        let uuid = octets("0f0e0d0c0b0a09080706050403020100")
        let range = phone.ask([0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28] + uuid)
        #expect(range.count == 5 && range.first == 0x07)
        let first = try #require(range.count == 5 ? Array(range[1...2]) : nil)
        let found = phone.ask([0x08] + first + [0xFF, 0xFF, 0x03, 0x28])
        #expect(found.prefix(2) == [0x09, 21] && found.count == 2 + 4 * 21)
        let entries = (0..<4).map { Array(found.dropFirst(2 + 21 * $0).prefix(21)) }
        #expect(entries.map { $0[2] } == [0x14, 0x04, 0x10, 0x02])
        let all: [MdocCharacteristic] = [.state, .clientToServer, .serverToClient, .ident]
        #expect(entries.map { Array($0[3...4]) } == all.map { phone.handle($0) })
        #expect(entries.map { Array($0[5...]) } == [5, 6, 7, 8].map { base + [$0, 0, 0, 0] })
    }

    @Test func statesAndAnswersHaveAConfigurationAndTheOthersNone() throws {
        let phone = try ServedPhone()
        try phone.connect()
        for characteristic in [MdocCharacteristic.state, .serverToClient] {
            #expect(phone.ask([0x04] + phone.handle(characteristic, 1) + phone.handle(characteristic, 1)).suffix(2) == [0x02, 0x29])
        }
        let next = phone.handle(.clientToServer, 1)
        #expect(phone.ask([0x04] + next + next).suffix(2) == [0x03, 0x28])
    }

    @Test func identIsReadAndTheOthersAreNot() throws {
        let phone = try ServedPhone()
        try phone.connect()
        #expect(phone.ask([0x0A] + phone.handle(.ident)) == [0x0B] + ServedPhone.ident)
        for characteristic in [MdocCharacteristic.state, .clientToServer, .serverToClient] {
            #expect(phone.ask([0x0A] + phone.handle(characteristic)) == [0x01, 0x0A] + phone.handle(characteristic) + [0x02])
        }
        for characteristic in [MdocCharacteristic.serverToClient, .ident] {
            #expect(phone.ask([0x12] + phone.handle(characteristic) + [1]) == [0x01, 0x12] + phone.handle(characteristic) + [0x03])
        }
    }

    @Test func aValueIsNotifiedToWhoSubscribed() throws {
        let phone = try ServedPhone()
        try phone.connect()
        #expect(phone.notification(.serverToClient, [0, 1]) == [])
        phone.subscribe(.serverToClient)
        #expect(phone.notification(.serverToClient, [0, 1]) == [0x1B] + phone.handle(.serverToClient) + [0, 1])
        #expect(phone.ask([0x12] + phone.handle(.state, 1) + [2, 0]) == [0x01, 0x12] + phone.handle(.state, 1) + [0xFD])
    }

    @Test func handlesAreThoseOfTheTable() throws {
        var table = AttributeTable()
        var service = MdocService()
        #expect(service.characteristic(at: 0) == nil)
        let octets = ServedPhone.ident
        let made = MdocIdent(octets.span)
        let ident = try #require(made)
        try service.add(to: &table, service: TestLink.central, ident: ident)
        for characteristic in [MdocCharacteristic.state, .clientToServer, .serverToClient, .ident] {
            #expect(service.characteristic(at: service.handle(characteristic)) == characteristic)
        }
        #expect(service.characteristic(at: 0) == nil && service.characteristic(at: 1) == nil && service.characteristic(at: .max) == nil)
    }

    @Test func aTableWithoutRoomIsSaid() throws {
        var table = AttributeTable()
        while (try? table.addDescriptor(UUID(0x2A00), read: .allowed, write: .denied)) != nil {}
        var service = MdocService()
        let octets = ServedPhone.ident
        let made = MdocIdent(octets.span)
        let ident = try #require(made)
        #expect(throws: AttributeTableError.attributesFull) { try service.add(to: &table, service: TestLink.central, ident: ident) }
    }

    @Test func aValueInPreparedPiecesArrivesWhole() throws {
        let phone = try ServedPhone()
        try phone.connect(mtu: 23)
        phone.subscribe(.serverToClient)
        phone.write(.state, [1])
        let value = [0] + message(40)
        for start in stride(from: 0, to: value.count, by: 18) {
            let part = value[start..<min(start + 18, value.count)]
            #expect(phone.ask([0x16] + phone.handle(.clientToServer) + [UInt8(start), 0] + part).first == 0x17)
        }
        #expect(phone.ask([0x18, 0x01]) == [0x19])
        #expect(phone.visit.messages == [message(40)])
    }

    @Test func aPhoneThatWritesWhereTheGateIsTheClientIsNotListenedTo() throws {
        let phone = try ServedPhone()
        try phone.visit.openClient()
        phone.write(.state, [2])
        phone.write(.clientToServer, [0, 1])
        #expect(phone.visit.isOpen && phone.visit.count(.wrongBearer) == 2)
    }
}
