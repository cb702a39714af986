import Bluetooth
import Testing

@testable import AriesTransport

/// How long a wallet is waited for, and what becomes of the visit then (aries.md section 1).
@Suite struct DeadlineTests {
    @Test("30 s to subscribe, and the invitation serves on")
    func subscription() throws {
        let gate = GateOnAir()
        try gate.begin(text(30))
        gate.connect()
        gate.pass(milliseconds: 29_999)
        #expect(gate.events == [])
        gate.pass(milliseconds: 1)
        #expect(gate.events == [.disconnectNow])
        #expect(gate.missed == .subscription)
        gate.leave()
        #expect(gate.events == [.disconnectNow, .released(.timedOut)])
        gate.connect()
        gate.subscribe()
        gate.pass(milliseconds: 300)
        #expect(gate.events.last == .asked)
    }

    @Test("a stranger who confirms each piece late has a minute")
    func invitation() throws {
        let gate = GateOnAir()
        gate.confirms = false
        try gate.begin(text(1_300))
        gate.connect()
        gate.subscribe()
        for _ in 0..<2 {
            gate.pass(milliseconds: 29_000)
            gate.ask([0x1E])
        }
        gate.pass(milliseconds: 1_999)
        #expect(gate.events == [.committed])
        gate.pass(milliseconds: 1)
        #expect(gate.events == [.committed, .failed(.timedOut), .disconnectNow])
        #expect(gate.missed == .invitation)
        // Half an invitation and a word behind it would be no message.
        #expect(!gate.answer(text(20)))
        gate.leave()
        #expect(gate.events.last == .ended(.timedOut))
    }

    @Test("five minutes for the holder")
    func consent() throws {
        let gate = try GateOnAir.invited()
        gate.pass(milliseconds: 299_999)
        #expect(gate.events.last == .asked)
        gate.pass(milliseconds: 1)
        #expect(gate.events.last == .failed(.timedOut))
        #expect(gate.missed == .consent)
        #expect(gate.answer(text(20)))
        gate.pass(milliseconds: 2_000)
        #expect(gate.events.last == .disconnectNow)
        gate.leave()
        #expect(gate.events.last == .ended(.timedOut))
    }

    @Test("a thousand octets in five seconds, and no octet less")
    func progress() throws {
        for octets in [999, 1_000] {
            let gate = try GateOnAir.invited(mtu: 512)
            gate.write([1])
            gate.pass(milliseconds: 4_000)
            gate.write(text(500))
            gate.write(text(octets - 501))
            gate.pass(milliseconds: 1_000)
            #expect(gate.events.last == (octets < 1_000 ? .failed(.timedOut) : .wantsSpeed))
            #expect(gate.missed == (octets < 1_000 ? .progress : nil))
        }
    }

    @Test("what a slow link cannot carry in five seconds is waited for")
    func slowLink() throws {
        let gate = GateOnAir()
        try gate.begin(text(30))
        // An interval of 100 ms and pieces of 11 octets: two events each.
        gate.connect(interval: 80)
        gate.subscribe()
        gate.pass(milliseconds: 300)
        for _ in 0..<90 {
            #expect(gate.write(text(11)) == GateOnAir.written)
            gate.pass(milliseconds: 200)
        }
        #expect(gate.isReceiving)
        gate.write(marker)
        #expect(gate.isJudging)
    }

    @Test("90 s for the whole message, however steadily it dribbles in")
    func transfer() throws {
        let gate = try GateOnAir.invited(mtu: 512)
        for second in 0..<90 {
            #expect(gate.isReceiving == (second > 0))
            gate.write(text(500))
            gate.pass(milliseconds: 1_000)
        }
        #expect(gate.events.last == .failed(.timedOut))
        #expect(gate.missed == .transfer)
        #expect(gate.write(text(500)) == GateOnAir.written)
        #expect(gate.count(of: .writeAfterFault) == 1)
        #expect(gate.received == 45_000)
    }

    @Test("whoever is not told of a failure has a second, and then leaves")
    func word() throws {
        let gate = try GateOnAir.invited()
        gate.write([1])
        gate.pass(milliseconds: 5_999)
        #expect(gate.events.last == .failed(.timedOut))
        gate.pass(milliseconds: 1)
        #expect(gate.events.last == .disconnectNow)
        #expect(!gate.answer(text(20)))
    }

    @Test("an answer that is not confirmed is not told for ever")
    func answer() throws {
        let gate = try GateOnAir.invited()
        gate.write(text(100))
        gate.write(marker)
        gate.confirms = false
        gate.answer(text(20))
        gate.pass(milliseconds: 9_999)
        #expect(gate.events.last == .received)
        gate.pass(milliseconds: 1)
        #expect(gate.events.last == .disconnectNow)
        #expect(gate.missed == .answer)
        gate.leave()
        #expect(gate.events.last == .ended(.walletLeft))
    }

    @Test("an invitation nobody takes up is over after its time, and somebody who is connected is served")
    func offer() throws {
        let gate = GateOnAir()
        try gate.begin(text(30))
        gate.pass(milliseconds: 609_999)
        #expect(gate.events == [])
        gate.connect()
        gate.pass(milliseconds: 10_000)
        gate.leave()
        #expect(gate.events == [.released(.walletLeft)])
        gate.pass(milliseconds: 10_000)
        #expect(gate.events.last == .ended(.timedOut))
        #expect(gate.isIdle && gate.deadline == nil)
    }

    @Test("a stop ends whatever is under way")
    func stop() throws {
        let gate = GateOnAir()
        #expect(!gate.stop())
        try gate.begin(text(30))
        #expect(!gate.stop())
        #expect(gate.isIdle && gate.outgoing.allSatisfy { $0 == 0 })
        for stage in 0..<5 {
            gate.events = []
            try gate.begin(text(30))
            gate.connect()
            if stage > 0 { gate.subscribe() }
            if stage > 1 { gate.pass(milliseconds: 300) }
            if stage > 2 { gate.write(text(10)) }
            if stage > 3 { gate.write(marker) }
            #expect(gate.stop())
            #expect(gate.events.last == .disconnectNow)
            gate.leave()
            #expect(gate.events.last == .ended(.stopped))
        }
    }

    @Test("a visit does not begin in another, nor without a word or with too many")
    func refusals() throws {
        let gate = GateOnAir()
        #expect(throws: AriesRefusal.invitationLength) { try gate.begin([]) }
        #expect(throws: AriesRefusal.invitationLength) { try gate.begin(text(AriesLink.longestOutgoing + 1)) }
        try gate.begin(text(AriesLink.longestOutgoing))
        #expect(throws: AriesRefusal.busy) { try gate.begin(text(30)) }
        gate.connect()
        #expect(throws: AriesRefusal.busy) { try gate.begin(text(30)) }
    }

    @Test("each step waits no longer than the one before, and never less than a wallet needs")
    func steps() {
        var former = AriesTiming()
        for step in 0...AriesTiming.steps + 1 {
            let timing = AriesTiming().shortened(by: step)
            #expect(timing.subscription <= former.subscription && timing.subscription >= 6_000)
            #expect(timing.invitation <= former.invitation && timing.invitation >= 20_000)
            #expect(timing.consent <= former.consent && timing.consent >= 90_000)
            #expect(timing.transfer <= former.transfer && timing.transfer >= 45_000)
            #expect(timing.quota >= former.quota && timing.quota <= 3_000)
            former = timing
        }
        let gate = GateOnAir()
        gate.step = 3
        gate.connect()
        #expect(gate.isIdle)
    }

    @Test("a wallet that comes after others that wasted the gate's time has less of it")
    func shortened() throws {
        let gate = GateOnAir()
        gate.step = 3
        try gate.begin(text(30))
        gate.connect()
        gate.pass(milliseconds: 6_000)
        #expect(gate.events == [.disconnectNow])
    }
}
