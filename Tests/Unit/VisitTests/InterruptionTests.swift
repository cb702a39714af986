import Bluetooth
import Testing

@testable import Tuvali
@testable import Visit

/// The controller fails, or the gate is stopped, at any moment of a visit.
@Suite struct InterruptionTests {
    // MARK: the controller fails

    @Test(arguments: TestGate.Step.allCases)
    func aFaultOfTheControllerEndsTheVisitAndTheGateComesBack(_ step: TestGate.Step) throws {
        let test = try TestGate()
        let key = test.key
        try test.goodVisit(upTo: step)
        test.controller.hardwareError()
        test.turn()
        #expect(test.faults == [.reset])
        #expect(test.lights.contains(.fault))
        test.wait(5000)
        test.expectNoAccept()
        #expect(test.outcomes == [.controllerFault])
        #expect(test.isForgotten)
        #expect(test.key != key)
        #expect(test.light == .ready)
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.controllerFault, .accepted])
    }

    @Test(arguments: TestGate.Step.allCases)
    func aLostControllerEndsTheVisitAndTheGateComesBack(_ step: TestGate.Step) throws {
        let test = try TestGate()
        try test.goodVisit(upTo: step)
        test.gate.linkLost(at: test.now)
        test.turn()
        #expect(test.light == .fault)
        #expect(test.uri == "")
        test.wait(5000)
        test.expectNoAccept()
        #expect(test.outcomes == [.controllerFault])
        #expect(test.isForgotten)
        test.open()
        #expect(test.light == .ready)
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.controllerFault, .accepted])
    }

    @Test func aFaultAfterVerificationNeverAccepts() throws {
        for isTaken in [false, true] {
            let test = try TestGate()
            test.shelf = .waits
            try test.goodVisit()
            test.wait(50)
            if isTaken { _ = test.take() }
            test.controller.hardwareError()
            test.turn()
            if !isTaken { #expect(test.take()?.outcome == .controllerFault) }
            test.stored(true)
            test.wait(5000)
            test.expectNoAccept()
        }
    }

    @Test func aControllerThatFallsSilentIsAFault() throws {
        let test = try TestGate()
        test.connect()
        test.controller.isDead = true
        test.wait(31_000)
        test.wait(10_000)
        #expect(!test.faults.isEmpty)
        #expect(test.light == .fault)
        test.expectNoAccept()
    }

    // MARK: stop

    @Test(arguments: TestGate.Step.allCases)
    func stoppingMidVisitEndsInItsTime(_ step: TestGate.Step) throws {
        for isDeaf in [false, true] {
            let test = try TestGate()
            try test.goodVisit(upTo: step)
            test.controller.endsLinks = !isDeaf
            test.gate.stop(at: test.now)
            test.turn()
            #expect(test.isAskedToLeave)
            #expect(test.uri == "")
            test.wait(isDeaf ? 1500 : 500)
            #expect(test.isStopped, "\(step)")
            #expect(!test.controller.isAdvertising)
            test.wait(10_000)
            test.expectNoAccept()
            #expect(test.outcomes == [.stopped])
            test.gate.wipe()
            #expect(test.isForgotten)
        }
    }

    @Test func stoppingWithADeadControllerEndsInItsTime() throws {
        let test = try TestGate()
        try test.goodVisit(upTo: .sent)
        test.controller.isDead = true
        test.gate.stop(at: test.now)
        test.turn()
        test.wait(1500)
        #expect(test.isStopped)
        #expect(test.outcomes == [.stopped])
    }

    @Test func stoppingBetweenVerificationAndTheRecordNeverAccepts() throws {
        for isTaken in [false, true] {
            let test = try TestGate()
            test.shelf = .waits
            try test.goodVisit()
            test.wait(50)
            if isTaken { _ = test.take() }
            test.gate.stop(at: test.now)
            if !isTaken { #expect(test.take()?.outcome == .stopped) }
            test.stored(true)
            test.wait(2000)
            test.expectNoAccept()
            #expect(test.isStopped)
        }
    }

    @Test func stoppingWhileIdleTurnsAdvertisingOff() throws {
        let test = try TestGate()
        test.gate.stop(at: test.now)
        test.turn()
        #expect(test.isStopped)
        #expect(!test.controller.isAdvertising)
        #expect(test.light == .off)
        #expect(test.records.isEmpty)
    }

    @Test func aWalletThatConnectsWhileStoppingIsSentAway() throws {
        let test = try TestGate()
        test.controller.connect()
        test.gate.stop(at: test.now)
        test.turn()
        #expect(!test.isConnected)
        #expect(test.isStopped)
        #expect(test.records.isEmpty)
    }
}
