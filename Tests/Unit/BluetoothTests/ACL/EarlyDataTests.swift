import Testing

@testable import Bluetooth

/// ACL data that overtakes the Connection Complete of its link, as a USB controller's two endpoints let it.
@Suite struct EarlyDataTests {
    private static let request = octets("02 40 20 07 00 03 00 04 00 02 05 02")

    private static func advertising() -> Phone {
        let phone = Phone()
        phone.open()
        phone.advertise()
        return phone
    }

    @Test("an MTU request that comes before its link is answered when the link opens")
    func mtuRequest() {
        let phone = Self.advertising()
        phone.deliver(Self.request)
        phone.run()
        #expect(phone.frames(4).isEmpty)
        phone.connect()
        #expect(phone.frames(4) == [octets("03 05 02")])
        #expect(phone.events == [.ready, .connected, .mtuExchanged(517)])
        #expect(phone.mtu == 517)
        #expect(phone.counters.total == 0)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test("what goes before it is served before it: Apple's probe of channel 3A, a frame in two fragments")
    func inOrder() {
        let phone = Self.advertising()
        phone.deliver("02 40 20 06 00 02 00 3A 00 00 00")
        phone.deliver("02 40 20 05 00 03 00 04 00 02")
        phone.deliver("02 40 10 02 00 05 02")
        phone.connect()
        #expect(phone.frames(4) == [octets("03 05 02")])
        #expect(phone.counters[.channelUnknown] == 1)
        #expect(phone.counters.total == 1)
    }

    @Test("it is served within a second, and a millisecond later given up", arguments: [999, 1000] as [UInt64])
    func bounded(milliseconds: UInt64) {
        let phone = Self.advertising()
        phone.deliver(Self.request)
        phone.pass(milliseconds: milliseconds)
        phone.connect()
        #expect(phone.frames(4) == (milliseconds < 1000 ? [octets("03 05 02")] : []))
        #expect(phone.counters[.dataUnclaimed] == (milliseconds < 1000 ? 0 : 1))
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test("what another handle sent is nothing of this link's")
    func anotherHandle() {
        let phone = Self.advertising()
        phone.deliver(Self.request)
        phone.handle = 0x41
        phone.connect()
        #expect(phone.frames(4).isEmpty)
        #expect(phone.mtu == 23)
        #expect(phone.counters[.dataUnclaimed] == 1)
    }

    @Test("a flood of handles nobody owns keeps nobody out, holds no more than one frame, and is counted")
    func flood() {
        let phone = Self.advertising()
        for handle in 0x100..<0x400 as Range<UInt16> {
            phone.handle = handle
            for _ in 0..<10 { phone.fragment(0x2000, [UInt8](repeating: 0, count: 200)) }
        }
        #expect(phone.storage.pointee.core.early.packets.count == 408)
        phone.handle = 0x40
        phone.deliver(Self.request)
        phone.connect()
        #expect(phone.frames(4) == [octets("03 05 02")])
        #expect(phone.counters[.dataUnclaimed] == 0x300 * 10)
        #expect(phone.counters.total == 0x300 * 10)
    }

    @Test("what does not fit takes what comes behind it along, and the link is served all the same")
    func tooMuch() {
        let phone = Self.advertising()
        phone.deliver(Self.request)
        phone.fragment(0x2000, [UInt8](repeating: 0, count: 600))
        phone.deliver("02 40 20 07 00 03 00 04 00 0A 04 00")
        phone.connect()
        #expect(phone.frames(4) == [octets("03 05 02")])
        #expect(phone.counters[.dataUnclaimed] == 2)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test("data of the link that has just ended is not the next link's, though that has the same handle")
    func lateData() {
        let phone = Phone.connected()
        phone.host.disconnect(now: phone.now)
        phone.run()
        phone.deliver("02 40 20 08 00 04 00 04 00 12 12 00 66")
        #expect(phone.counters[.unknownHandle] == 1)
        phone.advertise()
        phone.connect()
        #expect(phone.application.writes.isEmpty)
        #expect(phone.counters.total == 1)
    }

    @Test(
        "nor is what comes of it when the next phone can connect, for 100 ms; another handle is the next link's at once",
        arguments: [0, 99, 100, 999] as [UInt64])
    func lateDataWhileAdvertising(milliseconds: UInt64) {
        for handle in [0x40, 0x41] as [UInt16] {
            let phone = Phone.connected()
            phone.disconnect()
            phone.advertise()
            phone.pass(milliseconds: milliseconds)
            phone.handle = handle
            let isLate = handle == 0x40 && milliseconds < 100
            phone.deliver(octets("02") + pair(Int(handle) | 0x2000) + octets("07 00 03 00 04 00 02 05 02"))
            phone.connect()
            #expect(phone.events.last == (isLate ? .connected : .mtuExchanged(517)))
            #expect(phone.counters[.unknownHandle] == (isLate ? 1 : 0))
            #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        }
    }

    @Test("a phone that was told of in time is kept, though data of its handle came too soon to be served")
    func lateDataOfALinkThatIsTold() {
        let phone = Phone.connected()
        phone.disconnect()
        phone.advertise()
        phone.deliver(Self.request)
        phone.pass(milliseconds: 20)
        phone.connect()
        phone.pass(milliseconds: 5000)
        #expect(phone.isConnected)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        // Nor does it cost the one after it anything.
        phone.disconnect()
        phone.advertise()
        phone.controller.commands = []
        phone.pass(milliseconds: 5000)
        #expect(phone.controller.commands.isEmpty)
    }

    @Test("what another handle has sent is kept beside what is late, and served")
    func lateDataBesideEarlyData() {
        let phone = Phone.connected()
        phone.disconnect()
        phone.advertise()
        phone.handle = 0x41
        phone.deliver("02 41 20 07 00 03 00 04 00 02 05 02")
        phone.deliver(Self.request)
        phone.connect()
        #expect(phone.events.last == .mtuExchanged(517))
        #expect(phone.counters[.unknownHandle] == 1 && phone.counters[.dataUnclaimed] == 0)
    }

    @Test("nothing is kept where no phone can connect, nor for a handle that is none, nor over a reset")
    func noLinkToCome() {
        let phone = Phone()
        phone.open()
        phone.deliver(Self.request)
        #expect(phone.counters[.unknownHandle] == 1)
        phone.advertise()
        phone.deliver("02 FF 2F 07 00 03 00 04 00 02 05 02")
        #expect(phone.counters[.unknownHandle] == 2)
        phone.deliver(Self.request)
        phone.deliver("04 10 01 00")
        #expect(phone.counters[.dataUnclaimed] == 1)
        #expect(phone.storage.pointee.core.early.deadline == nil)
        #expect(phone.visit())
    }
}
