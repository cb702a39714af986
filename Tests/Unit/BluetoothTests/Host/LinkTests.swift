import Testing

@testable import Bluetooth

@Suite struct LinkTests {
    @Test func bothFormsOfConnectionComplete() {
        let phone = Phone.connected()
        #expect(phone.host.peer == DeviceAddress(value: 0x6655_4433_2211))
        #expect(phone.host.connectionIntervalMicroseconds == 30_000)
        phone.disconnect()
        #expect(phone.host.peer == nil)
        phone.advertise()
        phone.controller.isAdvertising = false
        phone.deliver(
            octets("04 3E 1F 0A 00 40 00 01 01 11 22 33 44 55 66") + [UInt8](repeating: 0, count: 12) + octets("0C 00 00 00 58 02 00"))
        phone.run()
        #expect(phone.isConnected)
        #expect(phone.host.connectionIntervalMicroseconds == 15_000)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test func aCentralRoleIsRefused() {
        let phone = Phone()
        phone.open()
        phone.connect(role: 0)
        #expect(!phone.isConnected)
        #expect(phone.counters[.connectionRole] == 1)
        #expect(phone.controller.commands.last.map { text($0.parameters) } == "40 00 13")
    }

    @Test func anotherRoleToldOfTheLinkThatIsUpChangesNothing() {
        let phone = Phone.connected()
        phone.connect(role: 0)
        #expect(phone.counters[.connectionDuplicate] == 1)
        #expect(!phone.controller.opcodes.contains(.disconnect))
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test func handlesBeyond0EFFAreNone() {
        let phone = Phone()
        phone.open()
        phone.handle = 0x0F00
        phone.connect()
        phone.handle = 0xFFFF
        phone.connect()
        #expect(!phone.isConnected)
        #expect(phone.counters[.connectionHandleInvalid] == 2)
        phone.handle = 0x0EFF
        #expect(phone.visit())
    }

    @Test func aSecondConnectionIsRefusedAndTheFirstStays() {
        let phone = Phone.connected()
        phone.handle = 0x41
        phone.connect()
        #expect(phone.controller.commands.last.map { text($0.parameters) } == "41 00 13")
        phone.handle = 0x40
        phone.connect()
        #expect(phone.counters[.connectionDuplicate] == 2)
        #expect(phone.counters[.disconnectionUnknownHandle] == 1)
        #expect(phone.isConnected)
        #expect(phone.events == [.ready, .connected])
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test func aFloodOfStrangeLinksLeavesRoomForTheHostsOwnCommands() {
        let phone = Phone.connected(Database.sparse(), Script(silences: [.disconnect: 1]))
        phone.controller.isStrict = false
        for handle in 0x100..<0x200 as Range<UInt16> {
            phone.handle = handle
            phone.deliver(phone.connectionComplete(role: UInt8(handle & 1)))
        }
        phone.handle = 0x40
        phone.controller.script.silences = [:]
        phone.host.disconnect(now: phone.now)
        phone.run()
        #expect(phone.controller.commands.contains { text($0.parameters) == "40 00 13" })
        #expect(!phone.isConnected)
        #expect(phone.visit())
    }

    @Test("a link that is refused at once is ended before anything is asked for it")
    func aRefusedLinkIsEndedFirst() {
        let phone = Phone(Database.sparse(), Script(silences: [.leSetDataLength: 1, .leSetPHY: 1]))
        phone.open()
        phone.advertise()
        phone.controller.commands = []
        phone.deliver(phone.connectionComplete())
        phone.host.disconnect(now: phone.now)
        phone.run()
        #expect(phone.controller.opcodes == [.disconnect])
        #expect(!phone.isConnected)
    }

    @Test func disconnectionEndsTheLinkOnce() {
        let phone = Phone.connected()
        phone.host.disconnect(now: phone.now)
        phone.host.disconnect(now: phone.now)
        phone.run()
        #expect(phone.controller.opcodes.filter { $0 == .disconnect }.count == 1)
        #expect(phone.events.last == .disconnected(HCIStatus(rawValue: 0x16)))
        #expect(phone.deadline == nil)
        phone.host.disconnect(now: phone.now)
        phone.run()
        #expect(phone.controller.opcodes.last == .disconnect)
        #expect(phone.controller.opcodes.filter { $0 == .disconnect }.count == 1)
    }

    @Test func disconnectionOfAnotherHandleOrThatFailedIsNone() {
        let phone = Phone.connected()
        phone.deliver("04 05 04 00 41 00 13")
        phone.deliver("04 05 04 0C 40 00 13")
        #expect(phone.isConnected)
        #expect(phone.counters[.disconnectionUnknownHandle] == 1)
        for event in ["04 05 00", "04 05 03 00 40 00", "04 05 05 00 40 00 13 00"] { phone.deliver(event) }
        #expect(phone.counters[.eventMalformed] == 3)
        #expect(phone.isConnected)
    }

    @Test func aDisconnectionTheControllerDoesNotKnowEndsTheLink() {
        let phone = Phone.connected(Database.sparse(), Script(refusals: [.disconnect: 0x02]))
        phone.host.disconnect(now: phone.now)
        phone.run()
        #expect(phone.events.last == .disconnected(.unknownConnection))
        #expect(!phone.isConnected)
    }

    @Test func aDisconnectionThatNeverCompletesIsAFault() {
        let phone = Phone.connected(Database.sparse(), Script(refusals: [.disconnect: 0x0C]))
        phone.host.disconnect(now: phone.now)
        phone.run()
        phone.pass(milliseconds: 5000)
        #expect(phone.events.suffix(2) == [.fault(.disconnectionLost, .reset), .ready])
        #expect(!phone.isConnected)
        #expect(phone.visit())
    }

    /// The other side hears of the end at a connection event, and its answer comes at one; where none comes, the link ends by its
    /// supervision time-out (Core Vol 6 Part B 5.1.6). None is waited for longer than 12 s, whatever the controller says.
    @Test(
        arguments: [
            (24, 200, 5000), (24, 450, 5000), (24, 451, 5010), (24, 600, 6500), (24, 1150, 12_000), (24, 1151, 12_000), (24, 3200, 12_000),
            (24, 0xFFFF, 12_000), (1334, 200, 5003), (3200, 200, 12_000), (0xFFFF, 200, 12_000), (3200, 3200, 12_000), (1334, 600, 6500),
        ] as [(UInt16, UInt16, UInt64)])
    func aLinkThatIsOwedPatienceHasTheTimeItsEndTakes(interval: UInt16, supervision: UInt16, milliseconds: UInt64) {
        for (isOwed, milliseconds) in [(true, milliseconds), (false, 5000)] {
            let phone = Phone(Database.sparse(), Script(refusals: [.disconnect: 0x0C]))
            phone.open()
            phone.advertise()
            phone.connect(interval: interval, supervision: supervision)
            if isOwed { phone.host.owePatience() }
            phone.host.disconnect(now: phone.now)
            phone.run()
            phone.pass(milliseconds: milliseconds - 1)
            #expect(phone.events.last == .connected)
            phone.pass(milliseconds: 1)
            #expect(phone.events.suffix(2) == [.fault(.disconnectionLost, .reset), .ready])
            // What was owed to that link is not owed to the next.
            phone.advertise()
            phone.connect(interval: interval, supervision: supervision)
            phone.host.disconnect(now: phone.now)
            phone.run()
            phone.pass(milliseconds: 5000)
            #expect(phone.events.suffix(2) == [.fault(.disconnectionLost, .reset), .ready])
        }
    }

    /// The parameters of now count, those that the host itself asked for among them; and so do the ends that the host brings about.
    @Test func aPhoneThatTookParametersAndVanishedHasItsSupervision() {
        let phone = Phone(Database.sparse(), Script(refusals: [.disconnect: 0x0C]))
        phone.open()
        phone.advertise()
        phone.connect(supervision: 200)
        phone.host.owePatience()
        phone.deliver("04 3E 0A 03 00 40 00 0C 00 00 00 58 02")
        phone.deliver("04 1A 01 01")
        phone.pass(milliseconds: 6000)
        phone.disconnect(reason: 0x08)
        #expect(phone.events.last == .disconnected(HCIStatus(rawValue: 0x08)))
        #expect(phone.deadline == nil)
    }

    @Test func patienceIsOwedToNoLinkThatIsNone() {
        let phone = Phone(Database.sparse(), Script(refusals: [.disconnect: 0x0C]))
        phone.open()
        phone.host.owePatience()
        phone.advertise()
        phone.connect(interval: 3200)
        phone.host.disconnect(now: phone.now)
        phone.run()
        phone.pass(milliseconds: 5000)
        #expect(phone.events.suffix(2) == [.fault(.disconnectionLost, .reset), .ready])
    }

    /// A stranger can cause it again and again; the controller must not be restarted for that.
    @Test func disconnectionsThatNeverCompleteClimbNoLadder() {
        let phone = Phone.connected(Database.sparse(), Script(refusals: [.disconnect: 0x0C]))
        for _ in 0..<5 {
            if !phone.isConnected {
                phone.advertise()
                phone.connect()
            }
            phone.host.disconnect(now: phone.now)
            phone.run()
            phone.pass(milliseconds: 5000)
            #expect(phone.events.suffix(2) == [.fault(.disconnectionLost, .reset), .ready])
            #expect(phone.visit())
        }
    }

    @Test func commandsForALinkThatIsGoneAreNotSent() {
        let phone = Phone(Database.sparse(), Script(silences: [.leSetDataLength: 1]))
        phone.open()
        phone.advertise()
        phone.connect()
        // Data length is unanswered; PHY, key reply and disconnection wait behind it.
        phone.deliver("04 3E 0D 05 40 00 01 02 03 04 05 06 07 08 00 00")
        phone.host.disconnect(now: phone.now)
        phone.disconnect()
        phone.pass(milliseconds: 2000)
        #expect(phone.controller.opcodes.last == .leSetDataLength)
        #expect(phone.isQuiet)
        #expect(phone.visit())
    }

    @Test func dataBufferOverflowEndsTheLink() {
        let phone = Phone.connected()
        phone.deliver("04 1A 01 01")
        #expect(phone.counters[.dataBufferOverflow] == 1)
        #expect(phone.controller.opcodes.last == .disconnect)
        #expect(!phone.isConnected)
        phone.deliver("04 1A 01 01")
        #expect(phone.counters[.dataBufferOverflow] == 2)
    }

    @Test func eventsOfNoInterestChangeNothing() {
        let phone = Phone.connected()
        for event in [
            "04 08 04 00 40 00 01", "04 30 03 00 40 00", "04 3E 0B 07 40 00 FB 00 48 08 FB 00 48 08", "04 3E 06 0C 00 40 00 02 02",
            "04 3E 06 12 00 00 40 00 00", "04 3E 04 14 40 00 01",
        ] {
            phone.deliver(event)
        }
        #expect(phone.counters.total == 0)
        for event in ["04 3E 00", "04 3E 01 FF", "04 FF 00", "04 01 01 00"] { phone.deliver(event) }
        #expect(phone.counters[.eventUnknown] == 3)
        #expect(phone.counters[.eventTruncated] == 1)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test func aResetOfTheControllerEndsTheLinkWithItsTimers() {
        let phone = Phone.connected()
        _ = phone.att("12 23 00 02 00")
        _ = phone.push(0x22, [1])
        phone.deliver("04 10 01 00")
        #expect(!phone.isConnected)
        #expect(phone.deadline == nil)
        #expect(phone.events.last == .ready)
        #expect(phone.visit())
    }

    @Test func aThousandVisits() {
        let phone = Phone()
        phone.open()
        for _ in 0..<100 { #expect(phone.visit()) }
        #expect(phone.events.filter { if case .fault = $0 { true } else { false } }.isEmpty)
    }
}

@Suite struct DropTests {
    @Test func everyDropIsReached() {
        let phone = Phone()
        phone.controller.isStrict = false
        phone.deliver(octets("04 0E 00"))  // dataWhileClosed
        phone.controller.script.silences = [.readLocalVersion: 1]
        phone.open()
        phone.deliver(phone.connectionComplete())  // connectionEarly
        phone.pass(milliseconds: 2000)
        for event in [
            "", "01 03 0C 00", "04 0E", "04", "04 0E 02 00", "04 0E 01 00", "04 FF 00", "04 05 00", "04 0E 04 01 01 10 00", "04 13 00",
            "04 13 05 01 40 00 01 00", "04 05 04 00 40 00 13", "02 40 20 00 00",
        ] { phone.deliver(event) }
        phone.advertise()
        phone.deliver("02 41 20 00 00")  // dataUnclaimed
        phone.connect(status: 1)
        phone.connect(role: 0)
        phone.handle = 0x0F00
        phone.connect()
        phone.handle = 0x40
        phone.connect()
        phone.connect()
        phone.deliver("04 13 05 01 40 00 01 00")
        phone.deliver("04 3E 0D 05 40 00 01 02 03 04 05 06 07 08 00 00")
        for (flags, data) in [
            (0x3000, ""), (0x6000, ""), (0x1000, "00"), (0x2000, "03 00 04"), (0x2000, "01 00 04 00 0A 00"),
            (0x2000, "FF FF"), (0x2000, "09 00 04 00"),
        ] as [(UInt16, String)] { phone.fragment(flags, octets(data)) }
        phone.fragment(0x1000, [UInt8](repeating: 0, count: 600))
        for (channel, payload) in [
            (0x3A, "00"), (5, ""), (5, "01 01 00 00"), (6, ""), (6, "03"), (4, ""), (4, "1E"), (4, "0B"), (4, "52 FF 0F"),
            (4, "D2"), (4, "0B" + String(repeating: "00", count: 30)),
        ] as [(UInt16, String)] { phone.send(channel, octets(payload)) }
        for frame in ["03 00 04 00 0A 04 00", "04 00 05 00 7F 01 00 00", "01 00 06 00 01"] {
            phone.fragment(0x2000, octets(frame))
            phone.fragment(0x2000, octets(frame))
        }
        phone.run()
        phone.deliver("04 1A 01 01")
        phone.deliver("04 10 01 00")
        let counters = phone.counters
        // Reached by a host that looks for a phone, and by one that has connected to it: `DropCauseTests`.
        let others = Set(DropCause.all.filter { $0.moment == .scanning || $0.moment == .central }.map(\.drop))
        for raw in 0..<UInt8(Drop.count) {
            guard let drop = Drop(rawValue: raw) else {
                Issue.record("\(raw)")
                continue
            }
            #expect((counters[drop] > 0) != others.contains(drop), "\(drop)")
            #expect("\(drop.name)" == "\(drop)")
        }
        #expect(Drop(rawValue: UInt8(Drop.count)) == nil)
        phone.controller.isStrict = true
        phone.open()
        #expect(phone.visit())
    }

    @Test func countersStayAtTheirHighest() {
        var counters = DropCounters()
        for _ in 0..<3 { counters.count(.signedWrite) }
        #expect(counters[.signedWrite] == 3)
        #expect(counters.total == 3)
    }
}
