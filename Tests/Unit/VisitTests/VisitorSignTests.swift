import Bluetooth
import Credentials
import Testing

@testable import Tuvali
@testable import Visit

/// What the screen says in a visit. That strangers change nothing of a verdict is in `StandingVerdictTests`.
@Suite struct VisitorSignTests {
    @Test func aVisitIsToldStepByStep() throws {
        let test = try TestGate()
        try test.goodVisit()
        test.wait(50)
        var steps: [VisitorSign] = [], percents: [UInt8] = []
        for sign in test.signs {
            if case .receiving(let percent) = sign {
                percents.append(percent)
                if case .receiving = steps.last { continue }
            }
            steps.append(sign)
        }
        #expect(percents == percents.sorted() && percents.allSatisfy { $0 % 5 == 0 && $0 <= 100 }, "\(percents)")
        #expect(steps.prefix(3) == [.scan, .connected, .choose], "\(test.signs)")
        #expect(steps.last == .accepted && steps.contains { if case .receiving = $0 { true } else { false } }, "\(test.signs)")
        test.leave()
        #expect(test.sign == .accepted)
        test.wait(Policy().verdictLight)
        #expect(test.sign == .scan)
    }

    @Test func aRejectSaysWhyToTheGuard() throws {
        let test = try TestGate()
        try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(expires: TestIssuer.now - 1)))
        test.wait(50)
        guard case .rejected(let reason?) = test.sign else {
            Issue.record("\(test.signs)")
            return
        }
        #expect(reason.code == test.records.last?.reasons.first?.code)
        // The next visitor's accept does not inherit it.
        test.leave()
        try test.goodVisit()
        test.wait(50)
        #expect(test.sign == .accepted)
        test.leave()
        test.wait(Policy().verdictLight + Policy().verdictPause)
        try StrangerMischief.identify(test)
        test.write(.transferReportRequest, [1])
        #expect(test.sign == .failed)
    }

    @Test func aControllerThatIsLostIsAFault() throws {
        let test = try TestGate()
        test.gate.linkLost(at: test.now)
        test.turn()
        #expect(test.sign == .fault)
    }
}
