import Bluetooth
import Testing

@testable import Tuvali
@testable import Visit

/// A verdict that is shown stands for its time: what strangers, later visitors and the controller do meanwhile changes no light, no code
/// and no record of it.
@Suite struct StandingVerdictTests {
    private static let lightTime = Policy().verdictLight, pause = Policy().verdictPause

    /// A gate whose visitors come as soon as they can.
    private func gate(verdictLight: UInt64 = lightTime) throws -> TestGate {
        var policy = Policy()
        policy.verdictLight = verdictLight
        let test = try TestGate(policy: policy)
        test.visitsWaitForLights = false
        return test
    }

    /// Milliseconds from `begin` to now.
    private func passed(_ test: TestGate, since begin: Instant) -> UInt64 { test.now.monotonic.milliseconds(since: begin) }

    /// A visit up to its verdict, 50 ms after its last write; when that was.
    private func visit(_ test: TestGate, isGood: Bool) throws -> Instant {
        try test.visit(with: isGood ? TestIssuer.payload() : TestIssuer.wrapped(TestIssuer.credential(expires: TestIssuer.now - 1)))
        test.wait(50)
        #expect(test.light == (isGood ? .accept : .reject))
        let verdict = try #require(test.lightsAt.last)
        test.leave()
        return verdict
    }

    /// The light of `verdict` ends when it has to, and until `pause` after it nothing else is said of a visit.
    private func expectItsTime(
        _ test: TestGate, _ verdict: Instant, _ light: LightState, isFaulty: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let begun = test.lights.count
        #expect(passed(test, since: verdict) < Self.lightTime, sourceLocation: sourceLocation)
        test.wait(Self.lightTime - 1 - passed(test, since: verdict))
        #expect(test.lights.count == begun && test.light == light, "\(test.lights)", sourceLocation: sourceLocation)
        test.wait(1)
        #expect(test.light != light, sourceLocation: sourceLocation)
        test.wait(Self.pause - 1)
        let after = test.lights[begun...]
        #expect(!after.contains(.accept) && !after.contains(.reject), "\(after)", sourceLocation: sourceLocation)
        #expect(after.contains(.fault) == isFaulty, "\(after)", sourceLocation: sourceLocation)
    }

    // MARK: strangers

    @Test(arguments: StrangerMischief.all, [true, false])
    func aStrangerChangesNothingOfAVerdictThatIsShown(_ stranger: StrangerMischief, isGood: Bool) throws {
        let test = try gate()
        let verdict = try visit(test, isGood: isGood)
        let (record, count, code) = (String(reflecting: try #require(test.records.first)), test.lights.count, test.code)
        let statuses = test.statuses, (signs, sign) = (test.signs.count, test.sign)
        test.renewPhone()
        try stranger.act(test)
        #expect(test.lights.count == count, "\(test.lights)")
        #expect(test.signs.count == signs && test.sign == sign, "\(test.signs)")
        expectItsTime(test, verdict, isGood ? .accept : .reject)
        if !stranger.usesCodeUp { #expect(test.code == code) }
        // Whatever he waits for.
        test.leave()
        test.wait(700_000)
        #expect(String(reflecting: test.records[0]) == record)
        #expect(!test.records.dropFirst().contains { $0.outcome == .accepted })
        #expect(test.statuses.prefix(statuses.count) == statuses[...] && !test.statuses.dropFirst(statuses.count).contains([0]))
        #expect(!test.lights[count...].contains { [.accept, .reject, .look, .fault].contains($0) }, "\(test.lights)")
        // The next visitor is served.
        #expect(test.light == .ready)
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes.last == .accepted && test.light == .accept)
    }

    /// The same without a verdict: a failed visit is shown, so that its visitor tries again.
    @Test func aFailureIsShownWhereNoVerdictStands() throws {
        let test = try gate()
        let verdict = try visit(test, isGood: true)
        test.wait(Self.lightTime + Self.pause - passed(test, since: verdict))
        try StrangerMischief.identify(test)
        test.write(.transferReportRequest, [1])
        #expect(test.light == .reject)
        test.wait(1499)
        #expect(test.light == .reject)
        test.wait(1)
        #expect(test.light == .ready)
    }

    @Test func aFailureGivesWayToTheNextVerdict() throws {
        let test = try gate()
        try StrangerMischief.identify(test)
        test.write(.transferReportRequest, [1])
        test.leave()
        #expect(test.light == .reject)
        let verdict = try visit(test, isGood: true)
        expectItsTime(test, verdict, .accept)
    }

    /// However many come after one another, whoever is believed after them has green, and at once.
    @Test func failuresHoldNoLightBeforeAnyVerdict() throws {
        let test = try gate()
        for _ in 0..<10 {
            test.renewPhone()
            try StrangerMischief.identify(test)
            test.write(.transferReportRequest, [1])
            test.leave()
        }
        test.renewPhone()
        #expect(test.light == .reject)
        _ = try visit(test, isGood: true)
    }

    // MARK: the next visitor's verdict

    @Test(arguments: [true, false], [true, false])
    func theNextVerdictWaitsForItsOwnTime(_ isFirstGood: Bool, _ isSecondGood: Bool) throws {
        let test = try gate()
        let verdict = try visit(test, isGood: isFirstGood)
        test.renewPhone()
        try test.visit(with: isSecondGood ? TestIssuer.payload() : TestIssuer.wrapped(TestIssuer.credential(expires: TestIssuer.now - 1)))
        test.wait(200)
        // The message is there; neither wallet nor light nor record say anything yet.
        #expect(test.statuses.count == 1 && test.records.count == 1 && test.isConnected)
        expectItsTime(test, verdict, isFirstGood ? .accept : .reject)
        #expect(test.light == .busy && test.statuses.count == 1)
        test.wait(1)
        let light: LightState = isSecondGood ? .accept : .reject
        #expect(test.light == light && test.statuses.last == [isSecondGood ? 0 : 1])
        #expect(test.outcomes.last == (isSecondGood ? .accepted : .rejected))
        #expect(passed(test, since: verdict) == Self.lightTime + Self.pause)
        let second = test.now.monotonic
        test.leave()
        expectItsTime(test, second, light)
    }

    /// The pause is seen however late the loop is: it begins when the light has ended, not when it should have.
    @Test func aLateLoopMakesNoLongGreenOfTwo() throws {
        let test = try gate()
        _ = try visit(test, isGood: true)
        test.renewPhone()
        try test.goodVisit()
        test.oversleep(Self.lightTime + Self.pause + 1000)
        #expect(test.light == .busy && test.statuses == [[0]])
        test.wait(Self.pause - 1)
        #expect(test.light == .busy && test.statuses == [[0]])
        test.wait(1)
        #expect(test.light == .accept && test.statuses == [[0], [0]])
    }

    /// What a stranger can seal under the key on the air is a verdict too, his own: it comes after the other's time, and holds the next
    /// visitor up for one light at the most.
    @Test func aStrangersOwnVerdictComesAfterAnothersTime() throws {
        let test = try gate()
        let verdict = try visit(test, isGood: true)
        test.renewPhone()
        try test.visit(with: Array("{}".utf8))
        expectItsTime(test, verdict, .accept)
        test.wait(1)
        #expect(test.light == .reject && test.outcomes == [.accepted, .rejected])
        let red = test.now.monotonic
        test.leave()
        test.renewPhone()
        try test.goodVisit()
        expectItsTime(test, red, .reject)
        test.wait(1)
        #expect(test.light == .accept && test.outcomes.last == .accepted)
    }

    @Test func whoLeavesWhileHisVerdictWaitsHasNone() throws {
        let test = try gate()
        let verdict = try visit(test, isGood: true)
        test.renewPhone()
        try test.goodVisit()
        test.wait(100)
        test.leave()
        #expect(test.outcomes == [.accepted, .left])
        expectItsTime(test, verdict, .accept)
        test.wait(10_000)
        #expect(test.statuses == [[0]] && test.lights.last == .ready)
    }

    /// What a visitor waits behind another's light is not held against the address.
    @Test func waitingBehindAnothersLightIsNotHeldAgainstTheLink() throws {
        let test = try gate(verdictLight: 8000)
        for _ in 0..<5 {
            _ = try visit(test, isGood: true)
            try test.goodVisit()
            test.wait(6000)
            test.leave()
            test.wait(4000)
        }
        test.connect()
        #expect(test.isConnected)
    }

    /// Whoever seals nonsense again and again waits behind its red on his own account, whatever address it came from; who comes with a
    /// credential that an issuer signed, or waits behind the light of one, does not. Links after one another: nonsense, an expired and a
    /// good credential; in capitals from another address. Those are watched that wait, and are not another's.
    @Test(arguments: [
        ("n", false, true), ("n", true, true), ("e", false, false), ("e", true, false), ("ne", false, false), ("Nn", false, true),
        ("Nn", true, true), ("en", true, false), ("En", false, false), ("Gn", true, false), ("Ng", false, false), ("Ne", false, false),
    ])
    func waitingBehindNonsenseIsHeldAgainstTheLink(_ links: String, leavesEarly: Bool, isSentAway: Bool) throws {
        let test = try gate(verdictLight: 8000)
        let (own, others) = (test.controller.peer, [9, 9, 9, 9, 9, 0x7A] as [UInt8])
        var waits = 0, turn = 0
        while waits < 4 {
            let link = Array(links)[turn % links.count]
            turn += 1
            test.controller.peer = link.isUppercase ? others : own
            if link.isUppercase, !links.hasPrefix("n") { test.waitForLights() }
            let isWaiting = test.gate.light.isStanding
            try test.visit(with: payload(link))
            #expect(test.isConnected)
            test.wait(isWaiting ? leavesEarly ? 6000 : 8600 : 50)
            test.leave()
            if isWaiting, link.isLowercase { waits += 1 }
            if isWaiting, leavesEarly, waits < 4 { test.wait(2600) }
        }
        test.controller.peer = own
        test.connect()
        #expect(test.isConnected != isSentAway)
    }

    private func payload(_ link: Character) throws -> [UInt8] {
        switch link.lowercased() {
        case "n": Array("{}".utf8)
        case "e": TestIssuer.wrapped(try TestIssuer.credential(expires: TestIssuer.now - 1))
        default: try TestIssuer.payload()
        }
    }

    /// A new address for each link is no way around it: the time that comes to nothing is the gate's, and its patience with everybody's
    /// links ends. An honest visitor behind such a red is served, and patience is back.
    @Test(arguments: [true, false]) func nonsenseFromEverNewAddressesIsHeldAgainstTheLinks(isBehindNonsense: Bool) throws {
        let test = try gate(verdictLight: 8000)
        for _ in 0..<12 {
            if !isBehindNonsense { test.waitForLights() }
            test.renewPhone()
            let isWaiting = test.gate.light.isStanding
            try test.visit(with: payload("n"))
            test.wait(isWaiting ? 8500 : 50)
            test.leave()
        }
        #expect(test.outcomes == [VisitRecord.Outcome](repeating: .rejected, count: 12))
        #expect(test.records.map(\.step).max() == (isBehindNonsense ? 3 : 0))
        test.renewPhone()
        let step = try #require(test.records.last?.step)
        try test.goodVisit()
        test.wait(8500)
        test.leave()
        #expect(test.outcomes.last == .accepted && test.records.last.map { $0.step >= step } == true)
        test.renewPhone()
        try test.visit(with: payload("e"))
        test.wait(8500)
        #expect(test.outcomes.last == .rejected && test.records.last?.step == 0)
    }

    @Test func theGateStopsWhileAVerdictWaits() throws {
        let test = try gate()
        _ = try visit(test, isGood: true)
        try test.goodVisit()
        test.gate.stop(at: test.now)
        test.turn()
        test.wait(5000)
        #expect(test.isStopped && test.outcomes == [.accepted, .stopped] && test.statuses == [[0]])
    }

    // MARK: the controller

    @Test(arguments: [true, false])
    func aFaultOfTheControllerComesAfterTheVerdict(_ isGood: Bool) throws {
        for isConnected in [false, true] {
            let test = try gate()
            let verdict = try visit(test, isGood: isGood)
            if isConnected { try StrangerMischief.identify(test) }
            test.controller.hardwareError()
            test.turn()
            #expect(test.faults == [.reset])
            // Over before the light is: nobody sees it.
            expectItsTime(test, verdict, isGood ? .accept : .reject)
            test.wait(5000)
            #expect(test.light == .ready)
        }
    }

    @Test(arguments: [true, false])
    func aLostControllerIsShownAfterTheVerdict(_ isGood: Bool) throws {
        let test = try gate()
        let verdict = try visit(test, isGood: isGood)
        test.gate.linkLost(at: test.now)
        test.turn()
        #expect(test.gate.isFaulty && test.uri == "")
        expectItsTime(test, verdict, isGood ? .accept : .reject, isFaulty: true)
        #expect(test.light == .fault)
        test.open()
        #expect(test.light == .ready)
    }

    /// A stranger who does not let go of the link costs a reset, and nobody's light.
    @Test func aLinkThatNeverEndsCostsNoLight() throws {
        let test = try gate(verdictLight: 8000)
        let verdict = try visit(test, isGood: true)
        test.renewPhone()
        test.controller.endsLinks = false
        try StrangerMischief.identify(test)
        test.write(.transferReportRequest, [1])
        test.wait(7000)
        #expect(test.faults == [.reset])
        #expect(test.light == .accept)
        test.wait(8000 - passed(test, since: verdict))
        #expect(test.light == .ready)
    }

    @Test func aFailureIsNotShownBesideAFault() throws {
        let test = try gate()
        try StrangerMischief.identify(test)
        test.write(.transferReportRequest, [1])
        test.gate.linkLost(at: test.now)
        test.turn()
        #expect(test.light == .fault)
    }
}
