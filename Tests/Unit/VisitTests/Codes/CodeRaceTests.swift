import Bluetooth
import Testing
import Trust

@testable import Faces
@testable import Presentation
@testable import Tuvali
@testable import Visit

/// A code beside the radio: who comes first, who yields, and what a fault, an end or another bundle does in the middle.
@Suite("A code and the radio") struct CodeRaceTests {
    /// A code's visit that waits for its face.
    private func comparing() throws -> TestGate {
        let test = try TestGate.withCodes(face: .required)
        try comparing(test)
        return test
    }

    private func comparing(_ test: TestGate) throws {
        test.look(try TestIssuer.credential(portrait: TestGate.photo))
        test.wait(20)
        #expect(test.isByCode && test.light == .look)
    }

    /// The next visitor with a phone is served, and let in.
    private func expectServed(_ test: TestGate, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let before = test.outcomes.count
        test.wait(1000)
        test.waitForLights()
        let portrait = test.gate.policy.face == .off ? nil : TestGate.photo
        try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(portrait: portrait)))
        test.wait(50)
        if portrait != nil { try test.answer(TestGate.match) }
        #expect(test.outcomes.dropFirst(before) == [.accepted], sourceLocation: sourceLocation)
        #expect(test.records.last?.presentation == .tuvali, sourceLocation: sourceLocation)
        test.leave()
        test.wait(100)
    }

    // MARK: a phone that has connected

    @Test("a phone that has not identified yields: it is asked to leave, and nothing is held against it", arguments: [true, false])
    func yields(leaves: Bool) throws {
        let test = try TestGate.withCodes()
        for visit in 1...6 {
            test.waitForLights()
            test.connect()
            #expect(test.isServed, "\(visit)")
            let key = test.key
            test.look(try TestIssuer.credential(name: "\(visit)"))
            #expect(test.isAskedToLeave && test.sign == .checking && test.light == .busy)
            if leaves { test.leave() }
            test.wait(20)
            #expect(test.outcomes == Array(repeating: .accepted, count: visit) && test.light == .accept)
            // Half a second for the wallet to go by itself.
            test.wait(500)
            #expect(!test.isConnected && test.controller.isAdvertising && test.key != key)
        }
        #expect(test.abandoned.isEmpty && test.records.allSatisfy { $0.presentation == .code && $0.step == 0 })
        try expectServed(test)
    }

    @Test("what a phone writes that was asked to leave is nothing")
    func lateIdentify() throws {
        let test = try TestGate.withCodes(face: .required)
        test.connect()
        try comparing(test)
        test.write(.identifyRequest, try TestWallet().identify)
        test.write(.responseSize, [0, 0, 4, 0])
        test.write(.transferReportRequest, [1])
        test.wait(100)
        #expect(test.isByCode && test.light == .look)
        try test.answer(TestGate.match)
        test.wait(1000)
        #expect(test.outcomes == [.accepted] && test.light == .accept && !test.isConnected)
        try expectServed(test)
    }

    @Test("a phone that never lets go costs a reset, and the code's visit nothing")
    func neverLeaves() throws {
        let test = try TestGate.withCodes(face: .required)
        test.connect()
        test.controller.endsLinks = false
        try comparing(test)
        test.wait(10_000)
        #expect(test.faults == [.reset] && test.isByCode && test.light == .look && !test.isConnected)
        test.controller.endsLinks = true
        try test.answer(TestGate.match)
        #expect(test.outcomes == [.accepted] && test.light == .accept)
        try expectServed(test)
    }

    @Test("a phone that times out, or fails, as the code comes", arguments: [true, false])
    func closing(isTimedOut: Bool) throws {
        let test = try TestGate.withCodes(face: .required)
        test.connect()
        if isTimedOut { test.wait(SessionTiming().identify + 100) } else { test.write(.transferReportRequest, [1]) }
        try comparing(test)
        test.wait(2000)
        try test.answer(TestGate.match)
        #expect(test.outcomes == [.accepted])
        try expectServed(test)
    }

    @Test("a phone that is sent away does not keep a code from its visit")
    func refused() throws {
        let test = try TestGate.withCodes()
        for _ in 0..<4 {
            test.connect()
            test.leave()
        }
        test.controller.endsLinks = false
        test.connect()
        #expect(test.isRefusing && test.wantsCodes)
        test.look(try TestIssuer.credential())
        test.wait(20)
        #expect(test.outcomes == [.accepted])
        test.controller.endsLinks = true
        test.controller.drop()
        test.turn()
        #expect(test.controller.isAdvertising)
    }

    // MARK: a phone that has identified

    @Test("a visit that has identified is not disturbed by any code", arguments: TestGate.Step.allCases.filter { $0 >= .identified })
    func identified(_ step: TestGate.Step) throws {
        let test = try TestGate.withCodes()
        let wallet = try TestWallet()
        let message = try wallet.seal(TestWallet.gzip(TestIssuer.payload()), for: test.key)
        test.visit(wallet, message, upTo: step, mtu: 100)
        let (lights, signs, sign) = (test.lights.count, test.signs.count, test.sign)
        for text in try StrangeCode.ignored + StrangeCode.rejected() + [TestIssuer.credential()] {
            test.look(text)
            test.look(text)
        }
        #expect(test.lights.count == lights && test.signs.count == signs && test.sign == sign && !test.isByCode && test.records.isEmpty)
        if step < .asked, let next = TestGate.Step(rawValue: step.rawValue + 1) { test.visit(wallet, message, from: next, mtu: 100) }
        test.wait(50)
        #expect(test.outcomes == [.accepted] && test.records.first?.presentation == .tuvali && test.codes.taken == 0)
    }

    // MARK: a phone that comes meanwhile

    @Test("a phone that connects while a code is judged is sent away, and nothing is held against it")
    func crossing() throws {
        let test = try comparing()
        for _ in 0..<6 {
            test.connect()
            test.write(.identifyRequest, try TestWallet().identify)
            #expect(!test.isConnected && test.light == .look && test.isByCode)
        }
        try test.answer(TestGate.match)
        #expect(test.outcomes == [.accepted] && test.abandoned.isEmpty && test.controller.isAdvertising)
        test.connect()
        #expect(test.isServed)
        test.leave()
        try expectServed(test)
    }

    @Test("a phone that crosses the code, and is still there when its visit is over, waits for nothing")
    func crossingStays() throws {
        for lifetimeEnds in [false, true] {
            let test = try comparing()
            if lifetimeEnds { test.wait(100) }
            test.controller.endsLinks = false
            test.connect()
            try test.answer(TestGate.match)
            #expect(test.outcomes == [.accepted] && test.isConnected && !test.controller.isAdvertising && test.light == .accept)
            test.controller.endsLinks = true
            test.controller.drop()
            test.turn()
            #expect(test.controller.isAdvertising)
            try expectServed(test)
        }
    }

    @Test("the advertisement's life ends while a code is judged: the next offer has another key")
    func lifetime() throws {
        var policy = Policy()
        (policy.takesCodes, policy.face) = (true, .required)
        for stays in [false, true] {
            let test = try TestGate(policy: policy, timing: SessionTiming())
            test.wait(SessionTiming().advertisement - 1000)
            let key = test.key
            try comparing(test)
            test.wait(SessionTiming().handover + 5000)
            if stays {
                test.controller.endsLinks = false
                test.connect()
            }
            #expect(test.isByCode)
            try test.answer(TestGate.match)
            test.controller.endsLinks = true
            test.controller.drop()
            test.turn()
            #expect(test.outcomes == [.accepted] && test.controller.isAdvertising && test.key != key)
            try expectServed(test)
        }
    }

    // MARK: another's verdict stands

    @Test("a code's verdict waits for another's light, and a phone's for a code's", arguments: [true, false])
    func standing(isCodeFirst: Bool) throws {
        let test = try TestGate.withCodes()
        test.visitsWaitForLights = false
        if isCodeFirst { test.look(try TestIssuer.credential()) } else { try test.goodVisit() }
        test.wait(10)
        let verdict = test.now.monotonic
        test.leave()
        if isCodeFirst { try test.goodVisit() } else { test.look(try TestIssuer.credential()) }
        test.wait(2000)
        #expect(test.verdicts == [true] && test.records.count == 1 && test.light == .accept)
        test.waitForLights()
        test.wait(20)
        #expect(test.verdicts == [true, true] && test.now.monotonic.milliseconds(since: verdict) >= 3400)
        #expect(test.lights.filter { $0 == .accept }.count == 2)
        #expect(Set(test.records.map(\.presentation)) == [.tuvali, .code])
    }

    @Test("whatever a stranger holds up changes no light, no sign and no record of a verdict that stands", arguments: [true, false])
    func strangers(isByCode: Bool) throws {
        let card = try TestIssuer.credential()
        for text in try StrangeCode.ignored + StrangeCode.rejected() + [card] {
            let test = try TestGate.withCodes()
            if isByCode { test.look(card) } else { try test.goodVisit() }
            test.wait(20)
            test.leave()
            let (lights, signs, record) = (test.lights.count, test.signs.count, String(reflecting: test.records))
            #expect(test.light == .accept)
            test.hold(text, milliseconds: 2800)
            #expect(test.lights.count == lights && test.signs.count == signs && test.sign == .accepted)
            #expect(String(reflecting: test.records) == record && test.verdicts == [true])
        }
    }

    // MARK: in the middle

    @Test("the gate stops in the middle of a code's visit: nobody is let in")
    func stops() throws {
        for isStoring in [false, true] {
            let test = try TestGate.withCodes(face: isStoring ? .off : .required)
            if isStoring { test.shelf = .waits }
            test.connect()
            test.look(try TestIssuer.credential(portrait: TestGate.photo))
            test.wait(20)
            let request = test.takeFaceRequest()
            if isStoring { _ = test.take() }
            test.gate.stop(at: test.now)
            test.turn()
            if isStoring { test.stored(true) }
            if let request { test.gate.faceDecided(TestGate.match, of: request.number, at: test.now) }
            test.wait(2000)
            #expect(test.isStopped && !test.controller.isAdvertising && test.light == .off && !test.lights.contains(.accept))
            if !isStoring { #expect(test.outcomes == [.stopped] && test.records.first?.presentation == .code) }
            test.gate.wipe()
            #expect(test.isForgotten && test.areCodesForgotten)
        }
    }

    @Test("a controller that fails in the middle ends no code's visit", arguments: [true, false])
    func controllerFails(isLost: Bool) throws {
        let test = try comparing()
        if isLost { test.gate.linkLost(at: test.now) } else { test.controller.hardwareError() }
        test.turn()
        #expect(test.isByCode && test.light == .look && test.sign == .look)
        try test.answer(TestGate.match)
        #expect(test.outcomes == [.accepted] && test.light == .accept && test.verdicts == [true])
        if isLost {
            #expect(test.uri == "")
            test.wait(5000)
            #expect(test.light == .fault && test.sign == .fault && test.uri == "")
            test.open()
        }
        test.wait(5000)
        #expect(test.light == .ready && test.uri != "")
        try expectServed(test)
    }

    @Test("a controller that is opened anew under a phone, served or sent away, is on the air again", arguments: [true, false])
    func openedAnew(isSentAway: Bool) throws {
        let test = try TestGate.withCodes()
        test.connect()
        if isSentAway {
            test.look(try TestIssuer.credential())
            #expect(test.isRefusing)
        }
        test.open()
        test.wait(100)
        test.waitForLights()
        #expect(!test.isRefusing && test.controller.isAdvertising && test.light == .ready && test.wantsCodes)
        try expectServed(test)
    }

    @Test("a gate without a controller takes codes: its verdicts have their light, and the fault the rest")
    func noController() throws {
        let test = try TestGate.withCodes()
        test.gate.linkLost(at: test.now)
        test.turn()
        for visit in 1...3 {
            #expect(test.light == .fault && test.wantsCodes)
            test.look(try TestIssuer.credential(name: "\(visit)"))
            #expect(test.light == .busy)
            test.wait(20)
            #expect(test.light == .accept && test.outcomes.count == visit)
            test.waitForLights()
        }
        test.open()
        #expect(test.light == .ready)
        try expectServed(test)
    }

    @Test("another bundle in the middle of a code's visit is no way past it")
    func trust() throws {
        func terms(_ sequence: Int64) throws -> TrustTerms {
            let bundle = try TrustBundle(
                sequence: sequence, created: TestIssuer.now - 100, notBefore: TestIssuer.now - 100, notAfter: TestIssuer.now + 1000,
                clock: .reject, contents: TrustContents())
            return TrustTerms(bundle, highWater: TestIssuer.now - 100)
        }
        var policy = Policy()
        (policy.takesCodes, policy.face) = (true, .required)
        let test = try TestGate(policy: policy, terms: try terms(7))
        try comparing(test)
        test.gate.believe(try TrustStore(files: [("issuer.json", TestIssuer.trust())]).under(try terms(8)))
        try test.answer(TestGate.match)
        test.expectNoAccept()
        #expect(test.records.first?.reasons == [.trustChanged])

        // One that waits is judged by those who are believed when its time comes.
        let waits = try TestGate.withCodes()
        try waits.goodVisit()
        waits.wait(20)
        waits.leave()
        waits.look(try TestIssuer.credential())
        // Of the same issuer, and not for this type any more.
        let other = String(decoding: try TestIssuer.trust(), as: UTF8.self).replacing("urn:example:id", with: "urn:example:none")
        waits.gate.believe(try TrustStore(files: [("issuer.json", Array(other.utf8))]))
        waits.waitForLights()
        waits.wait(20)
        #expect(waits.outcomes == [.accepted, .rejected])
    }

    @Test("what nobody waits for any more is nothing")
    func lateAnswers() throws {
        let test = try comparing()
        let request = try #require(test.takeFaceRequest())
        test.gate.faceDecided(FaceOutcome(refused: .noMatch), of: request.number, at: test.now)
        test.turn()
        #expect(test.outcomes == [.rejected])
        test.gate.faceDecided(TestGate.match, of: request.number, at: test.now)
        test.gate.recordStored(true, of: 1, at: test.now)
        test.gate.verify(at: test.now)
        test.turn()
        test.expectNoAccept()
    }
}
