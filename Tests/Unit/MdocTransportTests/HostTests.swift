import Bluetooth
import RadioTestSupport
import Testing

@testable import MdocTransport

/// Whole visits over two hosts: every octet goes through HCI, L2CAP and ATT of either side.
@Suite struct HostTests {
    static let kinds: [(AirPhone.Kind, MdocBearer)] = [(.server, .client), (.channel, .channel), (.client, .server)]

    @Test("a request and an answer over each bearer, and the next visit after it", arguments: kinds)
    func visit(kind: AirPhone.Kind, bearer: MdocBearer) throws {
        let air = Air(kind)
        for size in [0, 1, 5000, 60_000, 262_144] {
            let request = message(700 + size % 13), response = message(size)
            try air.visit(request, response)
            #expect(air.gate.messages == [response])
            #expect(air.phone.requests == [request])
            #expect(air.gate.bearer == bearer)
            #expect(air.gate.end == .complete)
            #expect(air.gate.isIdle && air.gate.role == nil)
            #expect(air.gate.counters.total == 0 && air.phone.counters.total == 0)
        }
    }

    @Test("small packets and small values carry the same", arguments: kinds)
    func small(kind: AirPhone.Kind, bearer: MdocBearer) throws {
        let air = Air(kind, dataLength: 27)
        air.phone.longestValue = 20
        try air.visit(message(900), message(3000))
        #expect(air.gate.messages == [message(3000)])
        #expect(air.gate.end == .complete)
    }

    @Test("a phone that has its service in its scan response is found after two seconds")
    func scanResponse() throws {
        let air = Air(.server)
        air.phone.hidesService = true
        try air.visit(message(10), message(20))
        #expect(air.gate.messages == [message(20)])
        #expect(air.milliseconds >= 2000 && air.milliseconds < 10_000)
    }

    @Test("links on which nothing is heard are made anew, by the host and then by the link")
    func unheard() throws {
        let air = Air(.server)
        air.gate.controller.deafness = 3
        try air.visit(message(10), message(20))
        #expect(air.gate.messages == [message(20)])
        air.gate.controller.deafness = 5
        try air.visit(message(10), message(20))
        #expect(air.gate.messages == [message(20)])
        #expect(air.gate.events.contains(.notConnected(.connectionFailedToBeEstablished)))
        // Three attempts of four each are too many.
        air.gate.controller.deafness = 12
        try air.visit(message(10), message(20))
        #expect(air.gate.messages == [])
        #expect(air.gate.failure == .noLink)
    }

    @Test("a phone that opens no channel is asked by GATT on the same link")
    func noChannel() throws {
        let air = Air(.channel)
        air.phone.refusesChannel = true
        try air.visit(message(10), message(20))
        #expect(air.gate.events.contains(.channelRefused(.result(2))))
        #expect(air.gate.bearer == .client)
        #expect(air.gate.messages == [message(20)])
    }

    @Test("nobody by the one way, and the phone by the other")
    func otherWay() throws {
        let air = Air(.client)
        air.gate.request = message(10)
        air.phone.response = message(20)
        air.phone.begin(at: air.now)
        try air.gate.begin(MdocOffer(peripheral: AirPhone.peripheral, central: AirPhone.central), .client, at: air.now)
        air.settle()
        #expect(air.gate.controller.isScanning)
        air.pass(milliseconds: 7_999)
        #expect(!air.gate.controller.isAdvertising)
        for _ in 0..<20 where !air.gate.isIdle { air.pass(milliseconds: 1000) }
        #expect(air.gate.bearer == .server)
        #expect(air.gate.messages == [message(20)])
        #expect(air.gate.end == .complete)
    }

    @Test("nobody at all: the air is quiet again after 30 s", arguments: kinds)
    func nobody(kind: AirPhone.Kind, bearer: MdocBearer) throws {
        let air = Air(kind)
        try air.gate.begin(air.offer, .channel, at: air.now)
        air.settle()
        air.pass(milliseconds: 31_000)
        #expect(air.gate.failure == .noLink)
        #expect(air.gate.end == .failed)
        let controller = air.gate.controller
        #expect(!controller.isScanning && !controller.isAdvertising && !controller.isInitiating)
        try air.visit(message(10), message(20))
        #expect(air.gate.messages == [message(20)])
    }

    @Test("a link that is lost in the middle ends the visit, and the next one is whole", arguments: kinds)
    func lost(kind: AirPhone.Kind, bearer: MdocBearer) throws {
        let air = Air(kind)
        air.gate.request = message(10)
        air.phone.response = []
        air.phone.begin(at: air.now)
        try air.gate.begin(air.offer, .channel, at: air.now)
        while !air.gate.isOpen { guard air.gate.step(at: air.now) || air.phone.step(at: air.now) else { break } }
        #expect(air.gate.isOpen)
        air.gate.lose()
        air.settle()
        #expect(air.gate.failure == .linkLost)
        #expect(air.gate.isIdle)
        try air.visit(message(10), message(20))
        #expect(air.gate.messages == [message(20)])
    }

    @Test("a phone that stays is left after its second", arguments: kinds)
    func stays(kind: AirPhone.Kind, bearer: MdocBearer) throws {
        let air = Air(kind)
        air.phone.stays = true
        let before = air.milliseconds
        try air.visit(message(10), message(20))
        #expect(air.gate.end == .complete)
        #expect(air.milliseconds - before <= 3000)
        #expect(!air.phone.isConnected)
    }

    @Test("a controller that fails in the middle ends the visit, too")
    func fault() throws {
        let air = Air(.server)
        air.gate.request = message(10)
        air.phone.stays = true
        air.phone.begin(at: air.now)
        try air.gate.begin(air.offer, .channel, at: air.now)
        while !air.gate.isOpen { guard air.gate.step(at: air.now) || air.phone.step(at: air.now) else { break } }
        air.gate.controller.toHost = [[0x04, 0x10, 0x01, 0x42]]
        air.settle()
        air.pass(milliseconds: 40_000)
        #expect(air.gate.isIdle)
        #expect(air.gate.failure == .linkLost)
    }
}
