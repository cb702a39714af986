import Bluetooth
import Testing

@testable import Tuvali
@testable import Visit

/// Strangers who want the gate's one slot, in virtual time: what each state costs at most, who is sent away, who is not,
/// and what is recorded of it.
@Suite struct StrangerTests {
    /// Connects and leaves, `count` times.
    private func comeAndGo(_ test: TestGate, _ count: Int, isFresh: Bool = false, every milliseconds: UInt64 = 100) {
        for _ in 0..<count {
            if isFresh { test.renewPhone() }
            test.connect(mtu: nil)
            test.leave()
            test.wait(milliseconds)
        }
    }

    /// How long a link lives that stays silent after `step`, to the millisecond.
    private func lifetime(_ test: TestGate, upTo step: TestGate.Step) throws -> UInt64 {
        test.renewPhone()
        test.waitForLights()
        let begin = test.now.monotonic
        try test.goodVisit(upTo: step)
        while test.isConnected, test.now.monotonic.milliseconds(since: begin) < 700_000 { test.wait(1) }
        return test.now.monotonic.milliseconds(since: begin)
    }

    // MARK: the code

    /// A key that nobody has identified with is as good as before, however the link ended.
    @Test(arguments: ["leaves", "asks", "fails", "MTU", "silent"])
    func whoNeverIdentifiesUsesNoCodeUp(_ stranger: String) throws {
        let test = try TestGate()
        let (uri, code, address) = (test.uri, test.code, test.controller.address)
        test.connect(mtu: stranger == "MTU" ? 23 : 517)
        switch stranger {
        case "leaves": test.leave()
        case "asks": test.write(.transferReportRequest, [1])
        case "fails": test.write(.transferReportRequest, [2])
        default: break
        }
        test.wait(31_000)
        #expect(!test.isConnected && test.light == .ready)
        #expect(test.uri == uri && test.code == code && test.controller.address == address)
        // Nothing of it is left for the next visitor: no word, no light, no lost record.
        let words = test.pushes.count
        try test.goodVisit(upTo: .identified)
        test.wait(5000)
        #expect(test.isConnected && test.pushes.count == words && test.light == .busy)
        test.leave()
        #expect(test.outcomes == [.left] && test.uri != uri)
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.left, .accepted] && test.statuses == [[0]])
        test.wait(60_000)
        let counts = test.abandoned
        #expect(counts.map(\.left) == [stranger == "leaves" ? 1 : 0])
        #expect(counts.map(\.failed) == [["asks", "fails", "MTU"].contains(stranger) ? 1 : 0])
        #expect(counts.map(\.silent) == [stranger == "silent" ? 1 : 0])
    }

    /// The key stays for whoever scanned it, but not for ever.
    @Test func whoFailsAgainAndAgainKeepsNoCodeBeyondItsLife() throws {
        let test = try TestGate()
        let key = test.key
        var last: UInt64 = 0
        let begin = test.now.monotonic
        while array(test.publicKey.span) == key, last < 700_000 {
            test.renewPhone()
            test.connect(mtu: 23)
            test.wait(1000)
            last = test.now.monotonic.milliseconds(since: begin)
        }
        #expect((610_000...621_000).contains(last))
    }

    // MARK: by address

    @Test func whoComesAFourthTimeInVainIsSentAwayBeforeAnythingIsServed() throws {
        let test = try TestGate()
        comeAndGo(test, 4)
        let (key, code, address) = (test.key, test.code, test.controller.address)
        let lights = test.lights.count
        // The request for an MTU comes with the link.
        test.controller.connect()
        test.controller.send([0x02, 0x05, 0x02])
        test.turn()
        #expect(!test.isConnected)
        #expect(test.answers.isEmpty)
        // No lamp says so, and what was advertised goes on.
        #expect(test.lights.count == lights)
        #expect(test.light == .ready)
        #expect(test.controller.isAdvertising)
        #expect(test.key == key)
        #expect(test.code == code)
        #expect(test.controller.address == address)
        #expect(test.records.isEmpty)
    }

    @Test func whoIsSentAwayIsServedWhenTheTimeIsOver() throws {
        let test = try TestGate()
        for _ in 0..<4 {
            test.connect(mtu: nil)
            test.leave()
        }
        for _ in 0..<19 {
            test.wait(100)
            test.connect(mtu: nil)
            #expect(!test.isConnected)
        }
        test.wait(100)
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.accepted])
    }

    @Test func somebodyElseIsServedMeanwhile() throws {
        let test = try TestGate()
        comeAndGo(test, 40)
        test.renewPhone()
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.accepted])
    }

    /// Walked off, walked off, tried again; and once more after the third.
    @Test func anHonestPhoneThatFailedThreeTimesIsServed() throws {
        for step in [TestGate.Step.connected, .exchanged, .identified, .halfSent] {
            let test = try TestGate()
            for _ in 0..<3 {
                try test.goodVisit(upTo: step)
                test.leave()
            }
            try test.goodVisit()
            test.wait(50)
            #expect(test.outcomes.last == .accepted, "\(step)")
        }
    }

    @Test func aVisitThatIsAcceptedForgetsWhatWasBefore() throws {
        let test = try TestGate()
        for _ in 0..<3 {
            comeAndGo(test, 3)
            try test.goodVisit()
            test.wait(50)
            test.leave()
        }
        #expect(test.outcomes == [.accepted, .accepted, .accepted])
        #expect(test.records.map(\.step) == [1, 1, 1])
    }

    @Test func aRejectedCredentialCountsAgainstNobodyAndClearsNothing() throws {
        let test = try TestGate()
        let expired = TestIssuer.wrapped(try TestIssuer.credential(expires: TestIssuer.now - 1))
        for _ in 0..<10 {
            try test.visit(with: expired)
            test.wait(50)
            test.leave()
        }
        #expect(test.outcomes.allSatisfy { $0 == .rejected })
        #expect(test.records.count == 10)
        #expect(test.records.allSatisfy { $0.step == 0 })
        comeAndGo(test, 3, every: 10)
        try test.visit(with: expired)
        test.wait(50)
        test.leave()
        comeAndGo(test, 1, every: 10)
        test.connect(mtu: nil)
        #expect(!test.isConnected)
    }

    /// The stranger's way around: a message of nonsense at the end of every stretched deadline.
    @Test func aRejectedCredentialAfterALongVisitCounts() throws {
        let test = try TestGate()
        test.renewPhone()
        try test.goodVisit(upTo: .identified)
        test.wait(299_000)
        let wallet = try TestWallet()
        // Not the key that was agreed on: the message does not open. And one that does.
        test.write(.responseSize, [0, 0, 0, 60])
        test.write(.submitResponse, TestGate.chunk(1, try wallet.seal([UInt8](repeating: 0, count: 44), for: [UInt8](wallet.publicKey))))
        test.write(.transferReportRequest, [1])
        test.wait(2_000)
        #expect(test.outcomes == [.rejected])
        #expect(try lifetime(test, upTo: .connected) == 15_500)

        let opened = try TestGate()
        opened.renewPhone()
        opened.connect()
        let stranger = try TestWallet()
        let message = try stranger.seal(TestWallet.gzip(Array("nonsense".utf8)), for: opened.key)
        opened.write(.identifyRequest, stranger.identify)
        opened.wait(299_000)
        opened.write(.responseSize, [0, 0, 0, UInt8(message.count)])
        opened.write(.submitResponse, TestGate.chunk(1, message))
        opened.write(.transferReportRequest, [1])
        opened.wait(2_000)
        #expect(opened.outcomes == [.rejected])
        #expect(try lifetime(opened, upTo: .connected) == 15_500)
    }

    @Test func theGateMayStopWhileSomebodyIsSentAway() throws {
        let test = try TestGate()
        comeAndGo(test, 4)
        test.controller.endsLinks = false
        test.connect(mtu: nil)
        #expect(test.isConnected)
        test.gate.stop(at: test.now)
        test.turn()
        test.wait(1500)
        #expect(test.isStopped)
        #expect(!test.controller.isAdvertising)
        #expect(test.abandoned.map(\.refused) == [1])
    }

    @Test func aFaultWhileSomebodyIsSentAwayIsSurvived() throws {
        let test = try TestGate()
        comeAndGo(test, 4)
        test.controller.endsLinks = false
        test.connect(mtu: nil)
        // The link that never ends is a fault after five seconds.
        test.wait(5_000)
        #expect(test.faults == [.reset])
        test.controller.endsLinks = true
        test.renewPhone()
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.accepted])
    }

    @Test func theCodeChangesUnderAFloodWhenItsLifeIsOver() throws {
        let test = try TestGate()
        let key = test.key
        comeAndGo(test, 700, every: 1_000)
        #expect(test.key != key)
        #expect(test.light == .ready)
        test.renewPhone()
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.accepted])
    }

    @Test func nothingIsRememberedBehindTheEnd() throws {
        let test = try TestGate()
        comeAndGo(test, 4)
        test.gate.wipe()
        test.connect(mtu: nil)
        #expect(test.isConnected)
    }

    // MARK: by progress

    @Test func strangersWhoStaySilentAreWaitedForShorterAndShorter() throws {
        let test = try TestGate()
        var lifetimes: [UInt64] = []
        for _ in 0..<16 { lifetimes.append(try lifetime(test, upTo: .connected)) }
        #expect(lifetimes.first == 30_500)
        #expect(lifetimes.last == 6_500)
        #expect(Set(lifetimes) == [30_500, 15_500, 10_500, 6_500])
        #expect(zip(lifetimes, lifetimes.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(lifetimes.prefix { $0 == 30_500 }.count == 2)
        // A phone that needs all of the least: it is served, and patience is back.
        test.renewPhone()
        test.connect(mtu: nil)
        test.wait(5_900)
        let wallet = try TestWallet()
        let message = try wallet.seal(TestWallet.gzip(TestIssuer.payload()), for: test.key)
        test.exchange(517)
        test.write(.identifyRequest, wallet.identify)
        test.wait(89_000)
        test.write(.responseSize, (0..<4).map { UInt8(truncatingIfNeeded: message.count >> (24 - 8 * $0)) })
        test.write(.submitResponse, TestGate.chunk(1, message))
        test.write(.transferReportRequest, [1])
        test.wait(50)
        #expect(test.outcomes.last == .accepted)
        #expect(test.records.last?.step == 3)
        test.leave()
        #expect(try lifetime(test, upTo: .connected) == 30_500)
    }

    @Test(arguments: [(.identified, 90_500), (.sized, 10_500), (.halfSent, 10_500), (.sent, 10_500)] as [(TestGate.Step, UInt64)])
    func everyStateHasItsFloor(_ step: TestGate.Step, _ limit: UInt64) throws {
        let test = try TestGate()
        comeAndGo(test, 12, isFresh: true)
        #expect(try lifetime(test, upTo: step) == limit)
        #expect(test.records.last?.step == 3)
        #expect(test.records.last?.outcome == .timedOut)
    }

    /// The longest anybody can hold the gate, from a link to the next advertisement: every deadline stretched to its last
    /// millisecond, and nothing ever confirmed.
    private func stretch(_ test: TestGate, _ timing: SessionTiming) throws -> UInt64 {
        test.renewPhone()
        test.confirms = false
        let begin = test.now.monotonic
        test.connect()
        test.subscribe(.transferReportResponse, 2)
        test.subscribe(.verificationStatus, 2)
        test.subscribe(.disconnect, 2)
        test.wait(timing.identify - 1)
        let wallet = try TestWallet()
        let size = 505 * 900
        test.write(.identifyRequest, wallet.identify)
        test.wait(timing.idle - 1)
        test.write(.responseSize, (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) })
        let started = test.now.monotonic
        let payload = [UInt8](repeating: 1, count: 505)
        let pause = timing.progress / UInt64(timing.quota) - 1
        var sequence = 1
        while sequence < 900, test.now.monotonic.milliseconds(since: started) + pause < timing.transfer {
            test.wait(pause)
            test.write(.submitResponse, TestGate.chunk(sequence, payload))
            sequence += 1
        }
        test.wait(timing.transfer - 1 - test.now.monotonic.milliseconds(since: started))
        #expect(test.isConnected)
        // Everything that is left, and a report that is never confirmed holds the status back.
        while sequence <= 900 {
            test.write(.submitResponse, TestGate.chunk(sequence, payload))
            sequence += 1
        }
        test.write(.transferReportRequest, [1])
        while test.isConnected, test.now.monotonic.milliseconds(since: begin) < 1_000_000 { test.wait(1) }
        #expect(test.controller.isAdvertising)
        test.confirms = true
        return test.now.monotonic.milliseconds(since: begin)
    }

    @Test func nobodyHoldsTheGateForLongerThanTheSumOfItsDeadlines() throws {
        let test = try TestGate()
        // 30 s, 5 min, 5 min and 10 s; then, whoever comes, less and less, down to 6 s, 90 s, 2 min and 5 s.
        for (step, most) in [(0, 640_000), (1, 415_000), (2, 287_000), (3, 221_000), (3, 221_000)] as [(UInt8, UInt64)] {
            let held = try stretch(test, SessionTiming().shortened(by: step))
            #expect((most - 1_000...most + 100).contains(held))
        }
        test.renewPhone()
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.rejected, .rejected, .rejected, .rejected, .rejected, .accepted])
    }

    /// An honest end, but not a way to take nearly all the time there is.
    @Test func whoIsRejectedLateAgainAndAgainIsSentAway() throws {
        let test = try TestGate()
        for _ in 0..<4 {
            test.connect()
            let wallet = try TestWallet()
            test.write(.identifyRequest, wallet.identify)
            test.wait(25_000)
            test.write(.responseSize, [0, 0, 0, 100])
            test.write(.submitResponse, TestGate.chunk(1, [UInt8](repeating: 7, count: 100)))
            test.write(.transferReportRequest, [1])
            test.wait(50)
            #expect(test.outcomes.last == .rejected)
            test.leave()
        }
        test.connect(mtu: nil)
        #expect(!test.isConnected)
        test.renewPhone()
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes.last == .accepted)
    }

    @Test func aQuietWhileBringsPatienceBack() throws {
        let test = try TestGate()
        comeAndGo(test, 40, isFresh: true)
        #expect(try lifetime(test, upTo: .connected) == 6_500)
        test.wait(360_000)
        #expect(try lifetime(test, upTo: .connected) == 30_500)
    }

    @Test func aWalletThatDribblesIsRecordedAsSuch() throws {
        let test = try TestGate()
        try test.goodVisit(upTo: .sized, mtu: 67)
        for _ in 0..<3 {
            test.wait(9_000)
            test.write(.submitResponse, TestGate.chunk(1, [UInt8](repeating: 1, count: 60)))
        }
        test.wait(4_000)
        #expect(test.outcomes == [.timedOut])
        #expect(test.records.map(\.deadline) == [.pace])
    }

    // MARK: what is recorded

    /// Five links a second for ten minutes, from fresh addresses: one record a minute, none for each.
    @Test func aFloodMakesOneRecordAMinute() throws {
        let test = try TestGate()
        comeAndGo(test, 3_000, isFresh: true, every: 200)
        test.wait(60_000)
        #expect(test.records.isEmpty)
        #expect((10...11).contains(test.abandoned.count))
        #expect(test.abandoned.map(\.links).reduce(0, +) == 3_000)
        #expect(test.abandoned.allSatisfy { $0.left == $0.links && $0.step == 3 && $0.milliseconds <= 60_000 })
    }

    @Test func whoIsSentAwayIsCounted() throws {
        let test = try TestGate()
        comeAndGo(test, 20, every: 10)
        test.wait(60_000)
        #expect(test.abandoned.count == 1)
        let record = try #require(test.abandoned.first)
        #expect((record.left, record.refused, record.links) == (4, 16, 20))
        #expect(test.records.isEmpty)
    }

    @Test func eachKindIsCountedAsWhatItWas() throws {
        let test = try TestGate()
        test.renewPhone()
        test.connect()
        test.leave()
        test.renewPhone()
        test.connect()
        test.wait(30_500)
        test.renewPhone()
        test.connect()
        test.write(.transferReportRequest, [1])
        test.wait(500)
        test.wait(30_000)
        let record = try #require(test.abandoned.first)
        #expect((record.left, record.silent, record.failed, record.links) == (1, 1, 1, 3))
        #expect(record.milliseconds == 31_000)
        #expect(test.records.isEmpty)
        // And nothing more where nothing more happened.
        test.wait(600_000)
        #expect(test.abandoned.count == 1)
    }

    @Test func aFloodOfVisitsMakesABurstOfRecordsAndThenSoManyAnHour() throws {
        let test = try TestGate()
        let begin = test.now.monotonic
        for _ in 0..<1_000 {
            test.renewPhone()
            test.connect()
            test.write(.identifyRequest, try TestWallet().identify)
            test.leave()
            test.wait(100)
        }
        let minutes = Int(test.now.monotonic.milliseconds(since: begin) / 60_000)
        #expect((64...65 + minutes / 3).contains(test.records.count))
        test.wait(60_000)
        #expect(Int(test.abandoned.map(\.visits).reduce(0, +)) + test.records.count == 1_000)
        #expect(test.outcomes.allSatisfy { $0 == .left })
    }

    /// Behind the budget a wallet is told all the same, and nobody is let in without a record.
    @Test func aFloodOfRejectedVisitsIsCountedAndTold() throws {
        let test = try TestGate()
        for _ in 0..<200 {
            test.renewPhone()
            try test.visit(with: Array("nonsense".utf8))
            test.wait(60)
            test.leave()
        }
        #expect(test.statuses.count == 200)
        #expect(test.statuses.allSatisfy { $0 == [1] })
        #expect(test.records.count < 70)
        test.expectNoAccept()
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes.last == .accepted)
        #expect(test.statuses.last == [0])
        test.wait(60_000)
        #expect(Int(test.abandoned.map(\.rejected).reduce(0, +)) + test.records.count == 201)
    }

    /// Whoever holds a credential of a trusted issuer has a record of the reject, however many strangers were there before.
    @Test func strangersDoNotUseUpTheRecordsOfGenuineCredentials() throws {
        let test = try TestGate()
        for _ in 0..<100 {
            test.renewPhone()
            try test.visit(with: Array("nonsense".utf8))
            test.wait(60)
            test.leave()
        }
        let before = test.records.count
        #expect(before < 70)
        test.renewPhone()
        try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(expires: TestIssuer.now - 1)))
        test.wait(60)
        test.leave()
        #expect(test.records.count == before + 1)
        #expect(test.records.last?.reasons == [.credential(.expired)])
        // A signature that does not hold is a stranger's, whatever the text says.
        var forged = try TestIssuer.wrapped(TestIssuer.credential(expires: TestIssuer.now - 1))
        let at = try #require(forged.lastIndex(of: UInt8(ascii: "~")))
        forged[at - 10] = forged[at - 10] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        test.renewPhone()
        try test.visit(with: forged)
        test.wait(60)
        test.leave()
        #expect(test.records.count == before + 1)
    }

    @Test func aFloodThatGoesOnHasARecordInTenMinutes() throws {
        let test = try TestGate()
        for _ in 0..<240 {
            comeAndGo(test, 2, isFresh: true, every: 100)
            test.wait(60_000)
        }
        // Four hours: 12 at once, and one in ten minutes.
        #expect((30...40).contains(test.abandoned.count), "\(test.abandoned.count)")
    }

    @Test func stoppingTellsWhatWasCounted() throws {
        let test = try TestGate()
        comeAndGo(test, 2)
        test.gate.stop(at: test.now)
        test.turn()
        #expect(test.abandoned.map(\.left) == [2])
        #expect(test.isStopped)
    }

    @Test func aTallyNobodyTakesStaysWholeAndAsksForNothing() throws {
        let test = try TestGate()
        test.shelf = .waits
        comeAndGo(test, 2)
        test.wait(70_000)
        #expect(test.deadline.map { $0 > test.now.monotonic } ?? true)
        comeAndGo(test, 2)
        test.shelf = .stores
        test.turn()
        #expect(test.abandoned.map(\.left) == [4])
    }
}
