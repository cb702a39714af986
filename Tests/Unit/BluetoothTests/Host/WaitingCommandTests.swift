import Testing

@testable import Bluetooth

/// Commands that wait for their turn: some become void in the meantime, and the others go out in order.
@Suite struct WaitingCommandTests {
    /// The controller takes no command for now.
    private static let pause = "04 0E 03 00 00 00"
    private static let resume = "04 0E 03 01 00 00"
    private static let strangeLink = "04 3E 13 01 00 41 00 00 01 11 22 33 44 55 66 18 00 00 00 58 02 00"

    @Test("an advertisement taken back takes nothing else with it")
    func advertisementTakenBack() {
        let phone = Phone()
        phone.open()
        phone.deliver(Self.pause)
        phone.deliver(Self.strangeLink)
        phone.advertise()
        phone.controller.commands = []
        phone.host.stopAdvertising()
        phone.deliver(Self.resume)
        #expect(phone.controller.opcodes == [.disconnect])
        #expect(phone.controller.commands.first.map { text($0.parameters) } == "41 00 13")
        #expect(!phone.controller.isAdvertising)
    }

    @Test("an advertisement that replaces another goes out once, behind what waited before")
    func advertisementReplaced() {
        let phone = Phone()
        phone.open()
        phone.deliver(Self.pause)
        phone.deliver(Self.strangeLink)
        for _ in 0..<3 { phone.advertise() }
        phone.controller.commands = []
        phone.deliver(Self.resume)
        #expect(
            phone.controller.opcodes == [
                .disconnect, .leSetRandomAddress, .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData,
                .leSetAdvertisingEnable,
            ])
        #expect(phone.isAdvertising)
    }

    @Test("a link that ends takes its own commands with it, and no other link's")
    func linkEnded() {
        let phone = Phone.connected()
        phone.deliver(Self.pause)
        phone.deliver("04 3E 0D 05 40 00 01 02 03 04 05 06 07 08 00 00")
        phone.deliver(Self.strangeLink)
        phone.controller.commands = []
        phone.disconnect()
        phone.deliver(Self.resume)
        #expect(phone.controller.commands.map { text($0.parameters) } == ["41 00 13"])
        #expect(phone.visit())
    }

    @Test("a queue keeps its order around the end of its storage, whatever is dropped from it", arguments: 0..<5, 0..<32)
    func ring(turned: Int, dropped: Int) {
        var ring = Ring<5, Int>()
        for _ in 0..<turned {
            ring.append(-1)
            _ = ring.next()
        }
        let taken = (0..<6).map { ring.append($0) }
        #expect(taken == [true, true, true, true, true, false])
        ring.removeAll { dropped >> $0 & 1 == 1 }
        let kept = (0..<5).filter { dropped >> $0 & 1 == 0 }
        let count = ring.count
        #expect(count == kept.count)
        let found = (0..<5).filter { element in ring.contains { $0 == element } }
        #expect(found == kept)
        while ring.append(9) {}
        var left: [Int] = []
        while let element = ring.next() { left.append(element) }
        #expect(left == kept + [Int](repeating: 9, count: 5 - kept.count))
    }

    @Test("a value followed by a descriptor but by no configuration is pushed as its characteristic says")
    func pushedWithoutConfiguration() {
        var table = AttributeTable()
        do {
            try table.addService(UUID(0xAA00))
            try table.addCharacteristic(UUID(0xAA01), .notify, pushesUnsubscribed: true)  // 0003
            try table.addDescriptor(UUID(0x2901), read: .allowed, write: .denied)
            try table.addCharacteristic(UUID(0xAA02), .notify)  // 0006
            try table.addDescriptor(UUID(0x2901), read: .allowed, write: .denied)
            try table.addCharacteristic(UUID(0xAA03), .notify)
            try table.addClientConfiguration()  // 000A
        } catch { Issue.record("\(error)") }
        let phone = Phone.connected(table)
        // The configuration of the last one is nobody else's.
        #expect(phone.att("12 0A 00 01 00") == "13")
        #expect(phone.push(0x03, [1]) == .notified)
        #expect(phone.push(0x06, [1]) == .notSubscribed)
    }
}
