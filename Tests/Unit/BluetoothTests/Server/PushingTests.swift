import Testing

@testable import Bluetooth

@Suite struct PushingTests {
    @Test func notificationsByWhatTheClientSubscribed() {
        let phone = Phone.connected()
        #expect(phone.push(0x22, [1, 2]) == .notSubscribed)
        _ = phone.att("12 23 00 01 00")
        #expect(phone.push(0x22, [1, 2]) == .notified)
        #expect(phone.frames(4) == [octets("1B 22 00 01 02")])
        #expect(phone.push(0x32, [1]) == .notSubscribed)
        #expect(phone.deadline == nil)
    }

    @Test func onlyValuesThatArePushedCanBe() {
        let phone = Phone.connected(Database.large())
        for handle in [0, 1, 3, 0x1A, 0x1C, 0x1E, 0x1F, 0x21, 0xFFFF] as [UInt16] {
            #expect(phone.push(handle, [1]) == .unknownHandle, "\(handle)")
        }
        #expect(phone.push(0x1B, [7]) == .notified)
        #expect(phone.frames(4) == [octets("1B 1B 00 07")])
    }

    @Test func nothingIsCut() {
        let phone = Phone.connected()
        _ = phone.att("12 23 00 01 00")
        #expect(phone.push(0x22, [UInt8](repeating: 0, count: 21)) == .tooLong)
        #expect(phone.push(0x22, [UInt8](repeating: 0, count: 20)) == .notified)
        phone.exchange(mtu: 517)
        #expect(phone.push(0x22, [UInt8](repeating: 0, count: 513)) == .tooLong)
        #expect(phone.push(0x22, [UInt8](repeating: 0, count: 512)) == .notified)
        #expect(phone.frames(4).last?.count == 515)
    }

    @Test func oneIndicationAtATimeUntilConfirmed() {
        let phone = Phone.connected()
        _ = phone.att("12 23 00 03 00")
        #expect(phone.push(0x22, [1]) == .indicated)
        #expect(phone.frames(4) == [octets("1D 22 00 01")])
        #expect(phone.push(0x22, [2]) == .busy)
        #expect(phone.att("1E 00") == "")
        #expect(phone.push(0x22, [2]) == .busy)
        #expect(phone.att("1E") == "")
        #expect(phone.events.last == .confirmed)
        #expect(phone.deadline == nil)
        #expect(phone.att("1E") == "")
        #expect(phone.counters[.attributeUnexpectedConfirmation] == 2)
        #expect(phone.push(0x22, [2]) == .indicated)
    }

    @Test func anotherNotificationGoesOutWhileAnIndicationWaits() {
        let phone = Phone.connected(Database.large())
        _ = phone.att("12 1E 00 02 00")
        #expect(phone.push(0x1D, [1]) == .indicated)
        #expect(phone.push(0x1B, [2]) == .notified)
        #expect(phone.att("0A 11 00") == "0B")
    }

    @Test func thirtySecondsWithoutConfirmationEndTheLink() {
        let phone = Phone.connected()
        _ = phone.att("12 23 00 02 00")
        _ = phone.push(0x22, [1])
        phone.pass(milliseconds: 29_999)
        #expect(phone.isConnected)
        phone.pass(milliseconds: 1)
        #expect(phone.controller.opcodes.last == .disconnect)
        #expect(phone.events.last == .disconnected(HCIStatus(rawValue: 0x16)))
        #expect(!phone.isConnected)
    }

    @Test func noMoreAttributesOnceTheLinkIsBeingEnded() {
        let phone = Phone.connected(Database.sparse(), Script(silences: [.disconnect: 1]))
        _ = phone.att("12 23 00 02 00")
        _ = phone.push(0x22, [1])
        phone.pass(milliseconds: 30_000)
        #expect(phone.att("0A 04 00") == "")
        #expect(phone.att("1E") == "")
        #expect(phone.att("52 12 00 01") == "")
        #expect(phone.push(0x22, [1]) == .notConnected)
        #expect(phone.counters[.attributeIgnored] == 3)
        #expect(phone.isConnected)
    }

    @Test func pushWithoutALinkOrRoom() {
        let phone = Phone()
        phone.open()
        #expect(phone.push(0x22, [1]) == .notConnected)
        phone.advertise()
        phone.connect()
        _ = phone.att("12 23 00 01 00")
        phone.controller.completesPackets = false
        for _ in 0..<8 { #expect(phone.push(0x22, [1]) == .notified) }
        // The controller is full: one waits, the next has no place.
        #expect(phone.push(0x22, [2]) == .notified)
        #expect(phone.push(0x22, [3]) == .busy)
        phone.controller.completePackets(phone.handle, 8)
        phone.run()
        #expect(phone.frames(4).count == 9)
        #expect(phone.push(0x22, [3]) == .notified)
    }
}
