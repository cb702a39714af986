import Bluetooth
import TestSupport
import Testing

@testable import AriesTransport

/// Wallets that do what they may not, and whoever is no wallet at all (aries.md section 1).
@Suite struct HostileLinkTests {
    @Test("a configuration that is no subscription to indications", arguments: [[1, 0], [3, 0], [0, 1], [2, 1], [0xFF, 0xFF]])
    func configurations(octets: [UInt8]) throws {
        let gate = GateOnAir()
        try gate.begin(text(30))
        gate.connect()
        #expect(gate.configure(octets) == GateOnAir.refused(0x12, 0x13, at: AriesService.lastHandle))
        #expect(gate.events == [])
        #expect(gate.configure([0, 0]) == GateOnAir.written)
        #expect(gate.events == [])
        #expect(gate.configure([2, 0]) == GateOnAir.written)
        #expect(gate.events == [.committed])
    }

    @Test("a write to a gate that has invited nobody is refused and counted, and the visit goes on")
    func outOfTurn() throws {
        let gate = GateOnAir()
        gate.connect()
        #expect(gate.write([1]) == GateOnAir.refused(0x12, 0x0E))
        gate.leave()
        try gate.begin(text(30))
        gate.connect()
        for _ in 0..<3 { #expect(gate.write(text(15)) == GateOnAir.refused(0x12, 0x0E)) }
        #expect(gate.writeLong(text(30), by: 18) == GateOnAir.refused(0x18, 0x0E))
        #expect(gate.count(of: .writeOutOfTurn) == 4)
        gate.subscribe()
        gate.pass(milliseconds: 300)
        #expect(gate.write(text(15)) == GateOnAir.written)
        #expect(gate.write(marker) == GateOnAir.written)
        #expect(gate.message == text(15))
    }

    @Test("neither value is read, and nothing is written by a command or into the indicated one")
    func properties() throws {
        let gate = try GateOnAir.invited()
        for handle in [AriesService.message, AriesService.indicated] {
            #expect(gate.ask([0x0A, UInt8(handle), 0]) == GateOnAir.refused(0x0A, 0x02, at: handle))
        }
        #expect(gate.ask([0x12, UInt8(AriesService.indicated), 0, 1]) == GateOnAir.refused(0x12, 0x03, at: AriesService.indicated))
        #expect(gate.ask([0x52, UInt8(AriesService.message), 0, 1]) == nil)
        #expect(gate.received == 0)
        #expect(gate.drops[.writeCommandRefused] == 1)
    }

    @Test("more octets than a gate takes are refused, told, and may be answered", arguments: [true, false])
    func tooLarge(isAnswered: Bool) throws {
        let gate = try GateOnAir.invited(mtu: 512), piece = text(500)
        for _ in 0..<(PieceSize.longest / 500) { gate.write(piece) }
        #expect(gate.received == PieceSize.longest / 500 * 500)
        #expect(gate.write(piece) == GateOnAir.refused(0x12, 0x0D))
        #expect(gate.events.last == .failed(.messageTooLarge))
        for octets in [piece, marker] { #expect(gate.write(octets) == GateOnAir.refused(0x12, 0x0D)) }
        #expect(gate.count(of: .writeAfterFault) == 2)
        #expect(gate.message == nil)
        gate.indicated = []
        if isAnswered {
            #expect(gate.answer(text(80)))
            #expect(gate.indicated == [text(80), marker])
            gate.pass(milliseconds: 2_000)
        } else {
            gate.pass(milliseconds: 1_000)
        }
        #expect(gate.events.last == .disconnectNow)
        gate.leave()
        #expect(gate.events.last == .ended(.failed))
        try next(at: gate)
    }

    @Test("a message that fills the memory to its last octet is taken")
    func largest() throws {
        let gate = try GateOnAir.invited(mtu: 517)
        for _ in 0..<(PieceSize.longest / 512) { #expect(gate.write(text(512)) == GateOnAir.written) }
        #expect(gate.write(marker) == GateOnAir.written)
        #expect(gate.message?.count == PieceSize.longest)
    }

    @Test("a message of no octets, and a value of none")
    func nothing() throws {
        for (octets, response) in [(marker, GateOnAir.written), ([], GateOnAir.refused(0x12, 0x0D))] {
            let gate = try GateOnAir.invited()
            #expect(gate.write(octets) == response)
            #expect(gate.events.last == .failed(.messageMalformed))
            #expect(gate.answer(text(20)))
            gate.leave()
            #expect(gate.events.last == .ended(.failed))
            try next(at: gate)
        }
    }

    @Test("a second message, and a second marker")
    func again() throws {
        let gate = try GateOnAir.invited(), message = text(200)
        gate.write(Array(message[..<100]))
        gate.write(Array(message[100...]))
        gate.write(marker)
        #expect(gate.write(marker) == GateOnAir.written)
        #expect(gate.count(of: .repeatedMarker) == 1 && gate.count(of: .messageAfterAnswer) == 0)
        gate.answer(text(20))
        for octets in [message.prefix(100), message.suffix(100), marker[...]] { #expect(gate.write(Array(octets)) == GateOnAir.written) }
        #expect(gate.count(of: .messageAfterAnswer) == 3)
        #expect(gate.message == message)
        #expect(gate.events.filter { $0 == .received }.count == 1)
        gate.pass(milliseconds: 2_000)
        #expect(gate.events.last == .disconnectNow)
    }

    @Test("whoever unsubscribes is waited for, and the piece is said again")
    func unsubscribed() throws {
        let gate = GateOnAir()
        gate.confirms = false
        try gate.begin(text(40))
        gate.connect()
        gate.subscribe()
        gate.pass(milliseconds: 300)
        gate.configure([0, 0])
        gate.confirms = true
        gate.ask([0x1E])
        gate.pass(milliseconds: 10_000)
        #expect(gate.indicated.count == 1 && gate.events == [.committed])
        gate.subscribe()
        #expect(gate.events == [.committed, .asked])
        #expect(gate.indicated.dropLast().flatMap { $0 } == text(40))
    }

    @Test("a wallet that leaves before it subscribes is nobody's visit, and afterwards has vanished")
    func leaves() throws {
        let gate = GateOnAir()
        try gate.begin(text(30))
        gate.connect()
        gate.leave()
        #expect(gate.events == [.released(.walletLeft)])
        #expect(gate.isWaiting)
        for stage in 0..<4 {
            gate.events = []
            if stage > 0 { try gate.begin(text(30)) }
            gate.connect()
            gate.subscribe()
            if stage > 0 { gate.pass(milliseconds: 300) }
            if stage > 1 { gate.write(text(10)) }
            if stage > 2 { gate.write(marker) }
            gate.leave()
            #expect(gate.events.last == .ended(.walletLeft))
            #expect(!gate.answer(text(20)) && gate.isIdle)
        }
        try next(at: gate)
    }

    @Test("confirmations, executions and exchanges that nobody asked for change nothing")
    func unasked() throws {
        let gate = GateOnAir()
        try gate.begin(text(30))
        gate.connect()
        gate.ask([0x1E])
        gate.ask([0x18, 0x01])
        gate.subscribe()
        gate.ask([0x1E])
        gate.pass(milliseconds: 300)
        gate.ask([0x1E])
        #expect(gate.indicated.count == 4)
        #expect(gate.events == [.committed, .asked])
        #expect(gate.write(text(10)) == GateOnAir.written)
    }

    @Test("a host that is reset under a visit ends it")
    func reset() throws {
        let gate = try GateOnAir.invited()
        gate.write(text(100))
        gate.controller.toHost.append([0x04, 0x10, 0x01, 0x42])
        gate.move()
        #expect(gate.events.last == .ended(.walletLeft))
        try next(at: gate)
    }

    @Test("any requests in any order, and a good visit afterwards", arguments: 0..<40 as Range<UInt64>)
    func anything(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let gate = GateOnAir()
        try gate.begin(text(60))
        gate.connect()
        gate.confirms = random.next() & 1 == 0
        let handles: [UInt8] = [UInt8(AriesService.message), UInt8(AriesService.indicated), UInt8(AriesService.lastHandle), 3]
        for _ in 0..<60 {
            let handle = handles[Int(random.next() % 4)], size = Int(random.next() % 20)
            switch random.next() % 10 {
            case 0: gate.subscribe()
            case 1: gate.ask([0x16, handle, 0, UInt8(random.next() % 4), 0] + text(size))
            case 2: gate.ask([0x18, UInt8(random.next() % 3)])
            case 3: gate.ask([0x1E])
            case 4: gate.write(marker)
            case 5: gate.pass(milliseconds: random.next() % 2_000)
            case 6: gate.exchange(mtu: UInt16(random.next() % 600))
            case 7: gate.answer(text(size))
            case 8: gate.ask((0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            default: gate.ask([0x12, handle, 0] + text(size))
            }
        }
        gate.leave()
        try next(at: gate)
    }

    /// Whatever was before: the next visit is whole.
    private func next(at gate: GateOnAir) throws {
        gate.reset()
        #expect(gate.incoming.allSatisfy { $0 == 0 } && gate.outgoing.allSatisfy { $0 == 0 })
        gate.events = []
        gate.confirms = true
        try gate.begin(text(100))
        gate.connect()
        gate.subscribe()
        gate.pass(milliseconds: 300)
        #expect(gate.write(text(19)) == GateOnAir.written)
        #expect(gate.write(marker) == GateOnAir.written)
        #expect(gate.message == text(19))
        #expect(gate.answer(text(20)))
        gate.leave()
        #expect(gate.events == [.committed, .asked, .wantsSpeed, .received, .ended(.complete)])
    }
}
