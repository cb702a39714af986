import Testing

@testable import Bluetooth

private let read = octets("0A 04 00")
private let name = "0B 47 61 74 65"
private let frame = octets("03 00 04 00 0A 04 00")

@Suite struct FragmentTests {
    @Test(arguments: 0...6, 0...6)
    func everyCutOfAFrameIsPutTogether(first: Int, second: Int) {
        let phone = Phone.connected()
        guard first > 0 else { return #expect(phone.att(read, cuts: second > 0 ? [second] : []) == name) }
        #expect(phone.att(read, cuts: [first, second].filter { $0 > 0 }) == name)
        #expect(phone.counters.total == 0)
    }

    @Test func octetByOctet() {
        let phone = Phone.connected()
        #expect(phone.att(read, cuts: [1, 1, 1, 1, 1, 1]) == name)
    }

    @Test func emptyFragmentsDoNoHarm() {
        let phone = Phone.connected()
        phone.fragment(0x2000, [])
        phone.fragment(0x1000, [])
        phone.fragment(0x2000, Array(frame.prefix(3)))
        phone.fragment(0x1000, [])
        phone.fragment(0x1000, Array(frame.dropFirst(3)))
        phone.run()
        #expect(phone.frames(4) == [octets(name)])
    }

    @Test func firstFragmentsFlushableOrNotAreTaken() {
        let phone = Phone.connected()
        phone.fragment(0x0000, frame)
        phone.run()
        #expect(phone.frames(4) == [octets(name)])
    }

    @Test func packetsOfAnotherKindAreDropped() {
        let phone = Phone.connected()
        phone.fragment(0x3000, frame)
        phone.fragment(0x6000, frame)
        phone.fragment(0xA000, frame)
        phone.handle = 0x41
        phone.fragment(0x2000, frame)
        phone.handle = 0x40
        phone.run()
        #expect(phone.frames(4).isEmpty)
        #expect(phone.counters[.packetBoundary] == 1)
        #expect(phone.counters[.broadcast] == 2)
        #expect(phone.counters[.unknownHandle] == 1)
        #expect(phone.att(read) == name)
    }

    @Test func lengthsThatLieAreDropped() {
        let phone = Phone.connected()
        for packet in [
            "02", "02 40", "02 40 20", "02 40 20 00", "02 40 20 08 00 03 00 04 00 0A 04 00", "02 40 20 06 00 03 00 04 00 0A 04 00",
            "02 40 20 FF FF 03",
        ] {
            phone.deliver(packet)
        }
        #expect(phone.counters[.packetLength] == 7)
        #expect(phone.att(read) == name)
    }

    @Test func continuationWithoutStart() {
        let phone = Phone.connected()
        phone.fragment(0x1000, frame)
        #expect(phone.counters[.continuationWithoutStart] == 1)
        #expect(phone.att(read) == name)
        phone.fragment(0x1000, frame)
        #expect(phone.counters[.continuationWithoutStart] == 2)
    }

    @Test func aStartReplacesWhatIsIncomplete() {
        let phone = Phone.connected()
        phone.fragment(0x2000, Array(frame.prefix(5)))
        phone.fragment(0x2000, Array(frame.prefix(5)))
        phone.fragment(0x2000, frame)
        phone.fragment(0x1000, Array(frame.suffix(2)))
        phone.run()
        #expect(phone.frames(4) == [octets(name)])
        #expect(phone.counters[.startWhileIncomplete] == 2)
        #expect(phone.counters[.continuationWithoutStart] == 1)
    }

    @Test func fragmentsOfAnotherLinkDoNotMixIn() {
        let phone = Phone.connected()
        phone.fragment(0x2000, Array(frame.prefix(5)))
        phone.handle = 0x41
        phone.fragment(0x2000, [1, 2, 3])
        phone.fragment(0x1000, [4])
        phone.handle = 0x40
        phone.fragment(0x1000, Array(frame.suffix(2)))
        phone.run()
        #expect(phone.frames(4) == [octets(name)])
        #expect(phone.counters[.unknownHandle] == 2)
    }

    @Test func moreThanAnnouncedIsDroppedWhole() {
        let phone = Phone.connected()
        phone.fragment(0x2000, frame + [0])
        #expect(phone.counters[.frameOverrun] == 1)
        phone.fragment(0x1000, frame)
        phone.fragment(0x2000, Array(frame.prefix(5)))
        phone.fragment(0x1000, [4, 0, 0])
        #expect(phone.counters[.frameOverrun] == 2)
        phone.fragment(0x2000, Array(frame.prefix(5)))
        phone.fragment(0x1000, [UInt8](repeating: 0, count: 600))
        #expect(phone.counters[.continuationOverrun] == 1)
        phone.run()
        #expect(phone.frames(4).isEmpty)
        #expect(phone.att(read) == name)
    }

    @Test(arguments: [0xFFFF, 518, 0xFFFC, 0xFFFB] as [UInt16])
    func tooLongIsDroppedToItsEnd(length: UInt16) {
        let phone = Phone.connected()
        phone.fragment(0x2000, pair(length) + [4, 0, 0x12, 0x12])
        for _ in 0..<100 { phone.fragment(0x1000, [UInt8](repeating: 0, count: 251)) }
        #expect(phone.counters[.frameTooLong] == 1)
        phone.fragment(0x2000, [UInt8](pair(length).prefix(1)))
        phone.fragment(0x1000, [UInt8](repeating: 0xFF, count: 900))
        #expect(phone.counters[.frameTooLong] == 2)
        phone.fragment(0x2000, [UInt8](repeating: 0x01, count: 522))
        #expect(phone.counters[.frameTooLong] == 3)
        #expect(phone.att(read) == name)
    }

    @Test func longestFrameInOneOrManyPieces() {
        let phone = Phone.connected(Database.large())
        phone.exchange(mtu: 517)
        let value = [UInt8](repeating: 0x5A, count: 512)
        for cuts in [[], [1], [4, 1], [27], [251, 251], [520]] {
            phone.application.values = [:]
            #expect(phone.att([0x12, 3, 0] + value, cuts: cuts) == "13")
            #expect(phone.application.values[3] == value)
        }
        #expect(phone.att([0x12, 3, 0] + value, cuts: [Int](repeating: 1, count: 518)) == "13")
    }

    @Test func emptyFramesAndStrangeChannelsAreSilence() {
        let phone = Phone.connected()
        for channel in [0, 1, 2, 3, 7, 0x3A, 0x40, 0x7F, 0xFFFF] as [UInt16] {
            phone.send(channel, octets("09 05 02 00 00 00 00"))
            phone.send(channel, [])
        }
        #expect(phone.counters[.channelUnknown] == 18)
        for channel in [4, 5, 6] as [UInt16] { phone.send(channel, []) }
        #expect(phone.counters[.attributeEmpty] == 1)
        #expect(phone.counters[.signallingMalformed] == 1)
        #expect(phone.counters[.securityMalformed] == 1)
        #expect(phone.controller.frames.isEmpty)
        #expect(phone.isConnected)
        #expect(phone.att(read) == name)
    }

    @Test func halfAFrameIsGoneWithItsLink() {
        let phone = Phone.connected()
        phone.fragment(0x2000, Array(frame.prefix(5)))
        phone.disconnect()
        phone.advertise()
        phone.connect()
        phone.fragment(0x1000, Array(frame.suffix(2)))
        #expect(phone.counters[.continuationWithoutStart] == 1)
        #expect(phone.frames(4).isEmpty)
    }

    @Test(arguments: [1, 4, 27, 251, 1021] as [UInt16])
    func answersAreCutToTheControllersLength(length: UInt16) {
        let phone = Phone.connected(Database.large(), Script(leLength: length, leCount: 1))
        phone.exchange(mtu: 517)
        #expect(octets(phone.att("0A 05 00")).count == 513)
        #expect(phone.controller.fragments.max() == min(517, Int(length)))
    }
}
