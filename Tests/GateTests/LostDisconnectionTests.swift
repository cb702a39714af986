import Bluetooth
import Testing
@testable import Gate
@testable import Tuvali

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
        let (uri, code, address) = (test.uri, test.gate.advertisement, test.controller.address)
        let (data, lights, records) = (test.controller.data, test.lights.count, test.records.count)
        test.connect(mtu: kind == "MTU" ? 23 : 517)
        if kind == "asks" { test.write(.transferReportRequest, [1]) }
        if kind == "fails" { test.write(.transferReportRequest, [2]) }
        test.wait(40_000)
        #expect(test.faults == [.reset])
        #expect(test.uri == uri && test.gate.advertisement == code && test.controller.address == address && test.controller.data == data)
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
        #expect(test.fruitless.map(\.silent).reduce(0, +) == (kind == "silent" ? 1 : 0))
        #expect(test.fruitless.map(\.failed).reduce(0, +) == (["MTU", "asks", "fails"].contains(kind) ? 1 : 0))
        #expect(test.fruitless.map(\.refused).reduce(0, +) == (kind.hasPrefix("refused") ? 1 : 0))
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
        let begin = test.moment.instant
        while array(test.gate.agreement.publicKey.span) == key, test.moment.instant.milliseconds(since: begin) < 700_000 {
            test.renewPhone()
            test.connect(mtu: 23)
            test.wait(6000)
        }
        #expect((610_000...630_000).contains(test.moment.instant.milliseconds(since: begin)))
        #expect(test.faults.allSatisfy { $0 == .reset } && test.light == .ready)
    }

    @Test func theGateStopsInTheReset() throws {
        let test = try TestGate()
        test.controller.endsLinks = false
        test.connect(mtu: 23)
        test.wait(500)
        test.wait(4_000)
        test.gate.stop(at: test.moment)
        test.turn()
        test.wait(1_500)
        #expect(test.isStopped && !test.controller.isAdvertising && test.uri == "")
    }
}
