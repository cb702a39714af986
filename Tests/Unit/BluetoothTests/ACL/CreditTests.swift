import Testing

@testable import Bluetooth

/// A link of one 27-octet buffer whose packets are not reported complete.
private func slow(buffers: UInt8 = 1) -> Phone {
    let phone = Phone.connected(Database.large(), Script(leFeatures: 0, leLength: 27, leCount: buffers))
    phone.exchange(mtu: 185)
    phone.controller.completesPackets = false
    phone.controller.fragments = []
    return phone
}

@Suite struct CreditTests {
    @Test func oneBufferCarriesALongAnswerPieceByPiece() {
        let phone = slow()
        #expect(phone.att("0A 05 00") == "")
        for sent in 1...7 {
            #expect(phone.controller.fragments.count == sent)
            phone.controller.completePackets(phone.handle, 1)
            phone.run()
        }
        #expect(phone.frames(4).first?.count == 185)
        #expect(phone.controller.fragments == [27, 27, 27, 27, 27, 27, 27])
    }

    @Test func aSecondRequestBeforeTheFirstAnswerIsDropped() {
        let phone = slow()
        #expect(phone.att("0A 05 00") == "")
        #expect(phone.att("0A 11 00") == "")
        #expect(phone.counters[.attributeBusy] == 1)
        phone.controller.completesPackets = true
        phone.controller.completePackets(phone.handle, 1)
        phone.run()
        #expect(phone.frames(4).map { $0.count } == [185])
        #expect(phone.att("0A 11 00") == "0B")
    }

    @Test func tooLongARequestDoesNotTouchAnAnswerOnItsWay() {
        let phone = slow(buffers: 3)
        #expect(phone.att("0A 05 00") == "")
        #expect(phone.controller.fragments.count == 3)
        #expect(phone.att([0x0A] + [UInt8](repeating: 0, count: 300)) == "")
        phone.controller.completesPackets = true
        phone.controller.completePackets(phone.handle, 3)
        phone.run()
        #expect(phone.frames(4).map { $0.count } == [185])
        #expect(phone.att([0x0A] + [UInt8](repeating: 0, count: 300)) == "01 0A 00 00 04")
    }

    @Test func twoRequestsBackToBackAreBothAnsweredWhereThereIsRoom() {
        let phone = Phone.connected()
        phone.fragment(0x2000, octets("03 00 04 00 0A 04 00"))
        phone.fragment(0x2000, octets("03 00 04 00 0A 23 00"))
        phone.run()
        #expect(phone.frames(4) == [octets("0B 47 61 74 65")])
        #expect(phone.counters[.attributeBusy] == 1)
        #expect(phone.att("0A 23 00") == "0B 00 00")
    }

    @Test func creditsReturnWithTheLink() {
        let phone = slow(buffers: 2)
        #expect(phone.att("0A 05 00") == "")
        phone.disconnect()
        phone.controller.completesPackets = true
        for _ in 0..<5 {
            phone.advertise()
            phone.connect()
            phone.exchange(mtu: 185)
            #expect(octets(phone.att("0A 05 00")).count == 185)
            phone.disconnect()
        }
    }

    @Test func excessAndStrangeCompletionsGiveNoCredit() {
        let phone = slow()
        #expect(phone.att("0A 05 00") == "")
        phone.deliver("04 13 05 01 41 00 01 00")
        #expect(phone.counters[.completedPacketsUnknownHandle] == 1)
        #expect(phone.controller.fragments.count == 1)
        phone.controller.outstandingPackets = 0
        phone.deliver("04 13 05 01 40 00 FF FF")
        #expect(phone.counters[.completedPacketsExcess] == 1)
        #expect(phone.controller.fragments.count == 2)
        phone.disconnect()
        phone.deliver("04 13 05 01 40 00 01 00")
        #expect(phone.counters[.completedPacketsUnknownHandle] == 2)
    }

    @Test func malformedCompletionsAreDropped() {
        let phone = slow()
        #expect(phone.att("0A 05 00") == "")
        for event in [
            "04 13 00", "04 13 01 01", "04 13 05 02 40 00 01 00", "04 13 09 01 40 00 01 00 40 00 01 00", "04 13 05 FF 40 00 01 00",
        ] {
            phone.deliver(event)
        }
        #expect(phone.counters[.completedPacketsMalformed] == 5)
        phone.deliver("04 13 01 00")
        #expect(phone.counters[.completedPacketsMalformed] == 5)
        #expect(phone.controller.fragments.count == 1)
        phone.controller.outstandingPackets = 0
        phone.deliver("04 13 09 02 41 00 01 00 40 00 01 00")
        #expect(phone.controller.fragments.count == 2)
    }
}
