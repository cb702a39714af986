import Bluetooth
import Testing

@testable import Visit

/// The ladder: what the gate asks for when its controller fails, how often it tries, and the visit afterwards.
@Suite struct RecoveryTests {
    /// Each storm is one fault, and each fault the next rung.
    @Test(arguments: TestGate.Step.allCases)
    func hardwareErrorStorms(_ step: TestGate.Step) throws {
        let test = try TestGate()
        try test.goodVisit(upTo: step)
        storm(test)
        #expect(test.faults == [.reset])
        #expect(test.light == .ready)
        storm(test)
        #expect(test.faults == [.reset, .reopenLink])
        #expect(test.light == .fault)
        // Nothing more is sent until the shell has opened the link again.
        let sent = test.controller.commands.count
        storm(test)
        test.wait(600_000)
        #expect(test.controller.commands.count == sent)
        #expect(test.controller.commands.filter { $0 == 0x0C03 }.count == 2)
        test.expectNoAccept()
        test.open()
        try Malformed.expectNextVisit(test)
        #expect(test.faults == [.reset, .reopenLink])
        // The minutes without a fault have led back to the ladder's foot.
        storm(test)
        #expect(test.faults.last == .reset)
        try Malformed.expectNextVisit(test)
    }

    private func storm(_ test: TestGate) {
        for _ in 0..<1000 { test.controller.hardwareError() }
        test.turn()
    }

    @Test func theLadderHasNoEndAndNoLoop() throws {
        let test = try TestGate()
        for _ in 0..<10 {
            test.controller.hardwareError()
            test.turn()
            if test.light == .fault { test.open() }
        }
        #expect(test.faults.prefix(6) == [.reset, .reopenLink, .restartController, .reopenLink, .restartController, .reopenLink])
        #expect(test.controller.commands.filter { $0 == 0x0C03 }.count == 11)
        try Malformed.expectNextVisit(test)
    }

    /// What the gate cannot do without, never answered.
    @Test(arguments: [0x0C03, 0x1001, 0x1002, 0x1003, 0x0C01, 0x2002, 0x2005, 0x2006, 0x2008, 0x2009, 0x200A] as [UInt16])
    func aCommandThatIsNeverAnswered(_ command: UInt16) throws {
        let test = try TestGate(script: ControllerScript(silences: [command: .max]))
        test.wait(60_000)
        #expect(test.faults == [.reset, .reopenLink])
        #expect(test.light == .fault)
        // Three times Reset, any other once, for each of the two rungs.
        #expect(test.controller.commands.filter { $0 == command }.count == (command == 0x0C03 ? 6 : 2))
        let sent = test.controller.commands.count
        test.wait(600_000)
        #expect(test.controller.commands.count == sent)
        test.controller.script.silences = [:]
        test.open()
        try Malformed.expectNextVisit(test)
    }

    @Test(arguments: ControllerScript.extendedAdvertising)
    func anExtendedCommandThatIsNeverAnswered(_ command: UInt16) throws {
        var script = ControllerScript.extended
        script.silences = [command: .max]
        let test = try TestGate(script: script)
        test.wait(60_000)
        #expect(test.faults == [.reset, .reopenLink])
        #expect(test.controller.commands.filter { $0 == command }.count == 2)
        test.controller.script.silences = [:]
        test.open()
        try Malformed.expectNextVisit(test)
    }

    /// The end of a link that the gate asks for, in every phase in which the wallet stalls.
    @Test(arguments: TestGate.Step.allCases)
    func aDisconnectThatIsNeverAnswered(_ step: TestGate.Step) throws {
        let test = try TestGate(script: ControllerScript(silences: [0x0406: 1]))
        try test.goodVisit(upTo: step)
        test.wait(310_000)
        #expect(test.faults == [.reset])
        #expect(test.outcomes == [step == .asked ? .accepted : .controllerFault])
        try Malformed.expectNextVisit(test)
    }

    /// Answered, but the link's end is never told, or refused.
    @Test(arguments: TestGate.Step.allCases, [false, true])
    func aDisconnectThatNeverCompletes(_ step: TestGate.Step, _ isRefused: Bool) throws {
        let test = try TestGate(script: ControllerScript(refusals: isRefused ? [0x0406: 0x0C] : [:]))
        test.controller.endsLinks = false
        try test.goodVisit(upTo: step)
        test.wait(310_000)
        #expect(test.faults == [.reset])
        // The wallet's doing, for all the gate can tell; without Identify it is only counted.
        switch step {
        case .asked: #expect(test.outcomes == [.accepted])
        case .connected, .exchanged: #expect(test.outcomes == [])
        default: #expect(test.outcomes == [.timedOut])
        }
        test.controller.endsLinks = true
        test.controller.script.refusals = [:]
        try Malformed.expectNextVisit(test)
    }

    /// A Reset in the middle of a link that the controller answers only at the third time.
    @Test(arguments: TestGate.Step.allCases)
    func aResetLostTwice(_ step: TestGate.Step) throws {
        let test = try TestGate()
        try test.goodVisit(upTo: step)
        test.controller.script.silences = [0x0C03: 2]
        test.controller.hardwareError()
        test.turn()
        test.wait(5000)
        test.expectNoAccept()
        #expect(test.faults == [.reset])
        #expect(test.light == .ready)
        try Malformed.expectNextVisit(test)
    }
}
