import Bluetooth
import TestSupport
import Testing

/// The controller has so many buffers; whatever it is led to say of them, it gets no more packets than that.
@Suite struct CreditTests {
    @Test(arguments: [1, 2, 8], 1...4 as ClosedRange<UInt64>)
    func neverMorePacketsThanBuffers(_ buffers: Int, _ seed: UInt64) throws {
        var numbers = SeededRandom(seed: seed &* 1000 &+ UInt64(buffers))
        let test = try TestGate(script: ControllerScript(leLength: 27, leCount: buffers))
        test.connect(mtu: 185)
        test.controller.returnsCredits = false
        var most = 0
        for _ in 0..<600 {
            switch Int.random(in: 0..<20, using: &numbers) {
            // An answer of several packets.
            case 0..<8: test.controller.send(hex("04 01 00 FF FF"))
            case 8..<12: if test.controller.held > 0 { test.controller.returnCredits(1) }
            case 12: test.controller.inject(event(0x13, "00"))
            case 13: test.controller.inject(event(0x13, "01 41 00 FF FF"))
            case 14: test.controller.inject(event(0x13, "02 41 00 08 00"))
            case 15: test.controller.inject(event(0x13, "01 40 00 00 00"))
            // More than there are: what it says is done is done, and no more than that.
            case 16: test.controller.returnCredits(test.controller.held + Int.random(in: 1...300, using: &numbers))
            case 17: test.controller.send(hex("0A 03 00"))
            case 18:
                test.leave()
                // Of a link that is gone.
                test.controller.inject(event(0x13, "01 40 00 08 00"))
                test.turn()
                test.connect(mtu: 185)
            default: test.controller.inject(frame(6, hex("01 03 00 0D 10 03 03")))
            }
            test.turn()
            most = max(most, test.controller.held)
        }
        #expect(test.controller.offences == [])
        #expect(most == buffers)
        test.controller.returnsCredits = true
        while test.controller.held > 0 {
            test.controller.returnCredits(1)
            test.turn()
        }
        try Malformed.expectNextVisit(test)
        #expect(test.controller.offences == [])
    }

    /// Buffers full of a link's packets come back with its end, even when nobody says so.
    @Test func aLinkThatEndsGivesItsBuffersBack() throws {
        let test = try TestGate(script: ControllerScript(leLength: 27, leCount: 2))
        for visitor in 0..<5 {
            // Each another one: whoever leaves again and again is turned away.
            test.controller.peer[0] = UInt8(visitor)
            test.connect(mtu: nil)
            test.controller.returnsCredits = false
            test.controller.send(hex("04 01 00 FF FF"))
            test.controller.send(hex("0A 03 00"))
            test.turn()
            #expect(test.controller.held == 2)
            test.controller.returnsCredits = true
            test.leave()
        }
        #expect(test.controller.offences == [])
        try Malformed.expectNextVisit(test)
    }
}

/// Everything against one gate in one life.
@Suite struct LivenessTests {
    @Test func everyInputOneAfterTheOther() throws {
        let inputs =
            ACLAndL2CAPTests.inputs + EventTests.inputs + SignallingTests.inputs + SecurityTests.inputs + MalformedAttributeTests.inputs
        let harmless = inputs.filter { $0.ending == .unharmed && $0.mtu == 185 && $0.skips.isEmpty }
        #expect(harmless.count > 150)
        let test = try TestGate()
        for start in stride(from: 0, to: harmless.count, by: 8) {
            let visit = try HonestVisit(test)
            try visit.begin()
            for input in harmless[start..<min(start + 8, harmless.count)] { input.inject(test) }
            #expect(visit.finish())
            test.leave()
            test.wait(4000)
        }
        try Malformed.expectNextVisit(test)
        #expect(test.faults.isEmpty)
    }
}
