import Bluetooth
import Testing

@testable import Tuvali
@testable import Visit

/// Links whose peer does not acknowledge their end, so that the controller is reset: what that costs the gate and its code.
@Suite struct LostDisconnectionTests {
    /// Strangers who never identify, and what brings each to the end of a link.
    private func stranger(_ kind: String, _ test: TestGate) {
        switch kind {
        case "refused":
            for _ in 0..<4 {
                test.connect(mtu: nil)
                test.leave()
            }
        case "refused behind a visit":
            test.connect()
            test.write(.identifyRequest, [UInt8](repeating: 0, count: 44))
            test.leave()
            for _ in 0..<3 {
                test.connect(mtu: nil)
                test.leave()
            }
        default: break
        }
        test.controller.endsLinks = false
    }

    /// The code is good for one link that identifies: a radio that does not acknowledge changes nothing of that.
    @Test(arguments: ["silent", "MTU", "asks", "fails", "refused", "refused behind a visit"])
    func whoNeverIdentifiedUsesNoCodeUp(_ kind: String) throws {
        let test = try TestGate()
        stranger(kind, test)
        let (uri, code, address) = (test.uri, test.code, test.controller.address)
        let (data, lights, records) = (test.controller.data, test.lights.count, test.records.count)
        test.connect(mtu: kind == "MTU" ? 23 : 517)
        if kind == "asks" { test.write(.transferReportRequest, [1]) }
        if kind == "fails" { test.write(.transferReportRequest, [2]) }
        test.wait(40_000)
        #expect(test.faults == [.reset])
        #expect(test.uri == uri && test.code == code && test.controller.address == address && test.controller.data == data)
        #expect(test.controller.isAdvertising && !test.isConnected && test.light == .ready)
        #expect(!test.lights[lights...].contains { [.accept, .reject, .fault].contains($0) })
        #expect(test.records.count == records)
        // Whoever scanned the code before is served with it, and uses it up.
        test.controller.endsLinks = true
        test.renewPhone()
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes.last == .accepted && test.statuses == [[0]])
        test.leave()
        #expect(test.uri != uri)
        test.wait(60_000)
        #expect(test.abandoned.map(\.silent).reduce(0, +) == (kind == "silent" ? 1 : 0))
        #expect(test.abandoned.map(\.failed).reduce(0, +) == (["MTU", "asks", "fails"].contains(kind) ? 1 : 0))
        #expect(test.abandoned.map(\.refused).reduce(0, +) == (kind.hasPrefix("refused") ? 1 : 0))
    }

    @Test func whoIdentifiedUsesTheCodeUp() throws {
        let test = try TestGate()
        let uri = test.uri
        test.controller.endsLinks = false
        try StrangerMischief.identify(test)
        test.write(.transferReportRequest, [1])
        test.wait(7_000)
        #expect(test.faults == [.reset])
        #expect(test.uri != uri && test.uri != "" && test.light == .ready)
        #expect(test.outcomes == [.failed])
    }

    /// How long a link that the gate has asked to end keeps the one place, of an interval of 4 s and a supervision time-out of 32 s.
    private func slowEnd(_ test: TestGate) -> UInt64 {
        test.controller.endsLinks = false
        test.controller.inject([0x04, 0x3E, 10, 0x03, 0, 0x40, 0, 0x80, 0x0C, 0, 0, 0x80, 0x0C])
        test.turn()
        while !test.controller.commands.contains(0x0406) { test.wait(1) }
        let asked = test.now.monotonic
        while test.isConnected, test.now.monotonic.milliseconds(since: asked) < 60_000 { test.wait(1) }
        #expect(test.faults == [.reset])
        return test.now.monotonic.milliseconds(since: asked)
    }

    /// Only whoever identified is given what a slow link takes to end.
    @Test func aSlowLinkGainsAStrangerNothing() throws {
        let refused = try TestGate()
        stranger("refused", refused)
        refused.controller.connect(interval: 3200)
        refused.turn()
        refused.wait(4999)
        #expect(refused.isConnected && refused.faults.isEmpty)
        refused.wait(1)
        #expect(!refused.isConnected && refused.faults == [.reset])

        let silent = try TestGate()
        silent.connect(interval: 3200)
        #expect(slowEnd(silent) == 5000)

        let identified = try TestGate()
        try StrangerMischief.identify(identified)
        identified.write(.transferReportRequest, [1])
        #expect(slowEnd(identified) == 12_000)
        // What that one was given is not given to the next.
        identified.controller.endsLinks = false
        identified.connect(mtu: 23, interval: 3200)
        identified.wait(5600)
        #expect(!identified.isConnected && identified.faults == [.reset, .reset])
    }

    /// A phone that was served, took the parameters it was asked for and is carried away: the link ends by its time-out, 6 s, and nothing
    /// is reset.
    @Test func whoWasServedAndVanishesCostsNoReset() throws {
        let test = try TestGate()
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.accepted])
        test.controller.inject([0x04, 0x3E, 10, 0x03, 0, 0x40, 0, 0x0C, 0, 0, 0, 0x58, 0x02])
        test.turn()
        test.controller.endsLinks = false
        while !test.controller.commands.contains(0x0406) { test.wait(1) }
        test.wait(6000)
        #expect(test.isConnected && test.faults.isEmpty)
        test.controller.drop(reason: 0x08)
        test.turn()
        #expect(!test.isConnected && test.faults.isEmpty && test.light == .ready)
    }

    /// A controller that does not come back from the reset has no code that is good.
    @Test func aResetThatFailsEndsTheVisit() throws {
        let test = try TestGate()
        let uri = test.uri
        test.controller.endsLinks = false
        test.connect(mtu: nil)
        test.wait(31_000)
        test.controller.isDead = true
        test.wait(20_000)
        #expect(test.faults.count > 1 && test.uri == "" && test.light == .fault)
        test.controller.isDead = false
        test.controller.endsLinks = true
        test.open()
        #expect(test.uri != uri && test.uri != "" && test.light == .ready)
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.accepted])
    }

    /// The key stays for whoever scanned it, but not for ever.
    @Test func aKeyIsNotKeptBeyondItsLife() throws {
        let test = try TestGate()
        let key = test.key
        test.controller.endsLinks = false
        let begin = test.now.monotonic
        while array(test.publicKey.span) == key, test.now.monotonic.milliseconds(since: begin) < 700_000 {
            test.renewPhone()
            test.connect(mtu: 23)
            test.wait(6000)
        }
        #expect((610_000...630_000).contains(test.now.monotonic.milliseconds(since: begin)))
        #expect(test.faults.allSatisfy { $0 == .reset } && test.light == .ready)
    }

    @Test func theGateStopsWhileADisconnectionIsWaitedFor() throws {
        let test = try TestGate()
        test.controller.endsLinks = false
        test.connect(mtu: 23)
        test.wait(4_500)
        test.gate.stop(at: test.now)
        test.turn()
        test.wait(1_500)
        #expect(test.isStopped && !test.controller.isAdvertising && test.uri == "")
    }
}
