import Bluetooth
import Testing

@testable import AriesTransport

/// Whole visits: every octet goes through HCI, L2CAP and ATT (aries.md section 1).
@Suite struct LinkTests {
    @Test("an invitation, a message and an answer at any MTU", arguments: [23, 24, 50, 100, 185, 247, 512, 517] as [UInt16])
    func visit(mtu: UInt16) throws {
        let invitation = text(1_347), answer = text(219), gate = try GateOnAir.invited(invitation, mtu: mtu)
        let size = PieceSize.piece(mtu: mtu)
        #expect(gate.indicated.dropLast(2).allSatisfy { $0.count == size })
        #expect(gate.indicated.dropLast().flatMap { $0 } == invitation)
        #expect(gate.indicated.last == marker)
        for count in [1, 4, 3_000, 40_000] {
            let message = text(count)
            gate.events = []
            gate.indicated = []
            for start in stride(from: 0, to: count, by: size) {
                #expect(gate.write(Array(message[start..<min(start + size, count)])) == GateOnAir.written)
            }
            #expect(gate.received == count)
            #expect(gate.write(marker) == GateOnAir.written)
            #expect(gate.events == [.wantsSpeed, .received])
            #expect(gate.message == message)
            #expect(gate.pieces == (count + size - 1) / size)
            #expect(gate.answer(answer))
            #expect(gate.indicated.dropLast().flatMap { $0 } == answer)
            #expect(gate.indicated.last == marker)
            gate.leave()
            #expect(gate.events.last == .ended(.complete))
            #expect(gate.drops.total == 0)
            guard count < 40_000 else { break }
            try gate.begin(invitation)
            gate.connect()
            gate.exchange(mtu: mtu)
            gate.subscribe()
            gate.pass(milliseconds: 300)
        }
    }

    @Test("a value of 512 octets by a long write in any split", arguments: [1, 2, 3, 7, 17, 18, 100, 180, 500, 512])
    func longWrite(size: Int) throws {
        for mtu in [23, 185, 517] as [UInt16] where size <= Int(mtu) - 5 {
            let gate = try GateOnAir.invited(mtu: mtu), message = text(1_024)
            #expect(gate.writeLong(Array(message[..<512]), by: size) == [0x19])
            #expect(gate.writeLong(Array(message[512...]), by: size) == [0x19])
            #expect(gate.write(marker) == GateOnAir.written)
            #expect(gate.message == message)
            #expect(gate.pieces == 2)
        }
    }

    @Test("the end marker by a long write is one, and by two writes is none")
    func markerInParts() throws {
        let gate = try GateOnAir.invited()
        gate.write([0x7B])
        gate.write([0x45])
        gate.write([0x4F, 0x4D])
        #expect(gate.message == nil)
        #expect(gate.writeLong(marker, by: 1) == [0x19])
        #expect(gate.message == [0x7B] + marker)
    }

    @Test("packets of any length from the phone", arguments: [1, 5, 23, 27, 251])
    func fragments(size: Int) throws {
        let gate = try GateOnAir.invited(mtu: 512), message = text(500)
        gate.fragment = size
        #expect(gate.write(message) == GateOnAir.written)
        #expect(gate.write(marker) == GateOnAir.written)
        #expect(gate.message == message)
    }

    @Test("the first indication 300 ms after the subscription")
    func settling() throws {
        let gate = GateOnAir()
        try gate.begin(text(100))
        gate.connect()
        gate.pass(milliseconds: 5_000)
        #expect(gate.indicated == [] && gate.events == [])
        gate.subscribe()
        #expect(gate.events == [.committed])
        gate.pass(milliseconds: 299)
        #expect(gate.indicated == [])
        gate.pass(milliseconds: 1)
        #expect(gate.events == [.committed, .asked])
        #expect(gate.indicated.count == 11)
    }

    @Test("one indication at a time, the next after the confirmation")
    func confirmations() throws {
        let gate = GateOnAir()
        gate.confirms = false
        try gate.begin(text(30))
        gate.connect()
        gate.subscribe()
        gate.pass(milliseconds: 300)
        for count in 1...4 {
            #expect(gate.indicated.count == count)
            gate.pass(milliseconds: 1_000)
            #expect(gate.indicated.count == count)
            #expect(gate.events == [.committed])
            gate.ask([0x1E])
        }
        #expect(gate.events == [.committed, .asked])
    }

    @Test("an MTU that is agreed while the invitation goes out counts from the next piece on")
    func laterMTU() throws {
        let gate = GateOnAir()
        gate.confirms = false
        try gate.begin(text(600))
        gate.connect()
        gate.subscribe()
        gate.pass(milliseconds: 300)
        gate.exchange(mtu: 512)
        gate.confirms = true
        gate.ask([0x1E])
        #expect(gate.indicated.map(\.count) == [11, 500, 89, 3])
        #expect(gate.indicated.dropLast().flatMap { $0 } == text(600))
    }

    @Test("a write before the invitation is out is answered when it is, and is the first piece")
    func eager() throws {
        let gate = GateOnAir(), message = text(40)
        gate.confirms = false
        try gate.begin(text(30))
        gate.connect()
        gate.exchange(mtu: 185)
        gate.subscribe()
        #expect(gate.write(Array(message[..<20])) == nil)
        gate.pass(milliseconds: 300)
        #expect(gate.response == nil && gate.indicated.count == 1)
        gate.ask([0x1E])
        #expect(gate.response == nil && gate.indicated.count == 2)
        gate.ask([0x1E])
        #expect(gate.response == GateOnAir.written)
        #expect(gate.events == [.committed, .wantsSpeed, .asked])
        #expect(gate.write(Array(message[20...])) == GateOnAir.written)
        #expect(gate.write(marker) == GateOnAir.written)
        #expect(gate.message == message)
    }

    @Test("an eager long write is held back just so")
    func eagerLong() throws {
        let gate = GateOnAir(), message = text(512)
        try gate.begin(text(30))
        gate.connect()
        gate.subscribe()
        #expect(gate.writeLong(message, by: 18) == nil)
        gate.pass(milliseconds: 300)
        #expect(gate.response == [0x19])
        #expect(gate.write(marker) == GateOnAir.written)
        #expect(gate.message == message)
    }

    @Test("after its answer a wallet has two seconds to leave")
    func stays() throws {
        let gate = try GateOnAir.invited()
        gate.write(text(100))
        gate.write(marker)
        gate.pass(milliseconds: 60_000)
        #expect(gate.events.last == .received)
        gate.answer(text(50))
        gate.pass(milliseconds: 1_999)
        #expect(gate.events.last == .received)
        gate.pass(milliseconds: 1)
        #expect(gate.events.suffix(1) == [.disconnectNow])
        gate.leave()
        #expect(gate.events.last == .ended(.complete))
    }

    @Test("a message that gets no answer ends the link")
    func declined() throws {
        let gate = try GateOnAir.invited()
        gate.write(text(100))
        gate.write(marker)
        #expect(gate.close())
        #expect(gate.events.last == .disconnectNow)
        gate.leave()
        #expect(gate.events.last == .ended(.complete))
        #expect(!gate.close())
    }

    @Test("a thousand visits leave everything as it was")
    func thousand() throws {
        let gate = GateOnAir()
        gate.fragment = 27
        for number in 1...1_000 {
            gate.events = []
            gate.indicated = []
            try gate.begin(text(100 + number % 50))
            gate.connect()
            gate.exchange(mtu: 23 + UInt16(number % 490))
            gate.subscribe()
            gate.pass(milliseconds: 300)
            gate.write(text(1 + number % 20))
            gate.write(marker)
            #expect(gate.answer(text(20)))
            gate.leave()
            #expect(gate.events == [.committed, .asked, .wantsSpeed, .received, .ended(.complete)])
            gate.reset()
        }
        #expect(gate.incoming.allSatisfy { $0 == 0 } && gate.outgoing.allSatisfy { $0 == 0 })
        #expect(gate.drops.total == 0)
    }
}
