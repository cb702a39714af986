import Bluetooth
import Testing

@testable import Tuvali
@testable import Visit

/// How visits begin, end and follow one another, whatever happens in the middle.
@Suite struct VisitTests {
    // MARK: keys, addresses, what is left

    @Test func everyVisitHasAFreshKeyAddressAndCode() throws {
        let test = try TestGate()
        var keys: Set<[UInt8]> = []
        var addresses: Set<[UInt8]> = []
        var codes: Set<UInt64> = []
        for _ in 0..<5 {
            #expect(test.light == .ready)
            #expect(test.uri.hasPrefix("OPENID4VP://connect?name=OVPGATE&key="))
            #expect(test.key.count == 32)
            // What is on the air is what is on the screen; the address is a resolvable private one.
            #expect(Array(test.controller.data.suffix(6)) == [0x5F] + test.key.prefix(5))
            #expect(Array(test.controller.scanResponse.suffix(27)) == Array(test.key.suffix(27)))
            #expect(test.controller.address.count == 6)
            #expect((test.controller.address.last ?? 0) & 0xC0 == 0x40)
            keys.insert(test.key)
            addresses.insert(test.controller.address)
            codes.insert(test.code)
            try test.goodVisit()
            test.wait(50)
            test.leave()
            #expect(test.isForgotten)
            test.wait(4000)
        }
        #expect(keys.count == 5)
        #expect(addresses.count == 5)
        #expect(codes.count == 5)
        #expect(test.outcomes == [.accepted, .accepted, .accepted, .accepted, .accepted])
        #expect(test.records.map(\.visit) == [1, 2, 3, 4, 5])
    }

    @Test("a wallet whose MTU request overtakes the event of its link is served like any other")
    func anEarlyRequestIsAnswered() throws {
        let test = try TestGate()
        let handle = TestController.handle
        test.controller.inject([0x02, UInt8(handle & 0xFF), UInt8(handle >> 8) | 0x20, 7, 0, 3, 0, 4, 0, 0x02, 0x05, 0x02])
        test.connect(mtu: nil)
        #expect(test.answers.last == [0x03, 0x05, 0x02])
        let wallet = try TestWallet()
        test.visit(wallet, try wallet.seal(TestWallet.gzip(TestIssuer.payload()), for: test.key), from: .identified)
        test.wait(60)
        #expect(test.outcomes == [.accepted])
    }

    @Test("a slow link is asked to be faster when its transfer begins, whenever that is", arguments: [0, 20_000] as [UInt64])
    func aTransferAsksForAFasterLink(picking: UInt64) throws {
        let test = try TestGate()
        test.connect(interval: 24)
        let wallet = try TestWallet()
        test.write(.identifyRequest, wallet.identify)
        test.wait(picking)
        // The link was good, and is slowed without a word to the gate that it would wait for.
        test.controller.inject([0x04, 0x3E, 10, 0x03, 0, 0x40, 0, 40, 0, 0, 0, 200, 0])
        test.turn()
        #expect(test.controller.otherFrames.isEmpty)
        test.write(.responseSize, [0, 0, 16, 0])
        #expect(test.controller.otherFrames.map(\.channel) == [5])
        #expect(test.controller.otherFrames.first.map { Array($0.payload.dropFirst(2)) } == [8, 0, 12, 0, 24, 0, 0, 0, 0x58, 2])
        test.write(.submitResponse, [0, 1, 0, 0, 1])
        #expect(test.controller.otherFrames.count == 1)
    }

    @Test func aLinkLostBeforeIdentifyKeepsTheKeyAndTheAddress() throws {
        let test = try TestGate()
        let key = test.key
        let code = test.code
        var addresses: Set<[UInt8]> = [test.controller.address]
        for round in 1...3 {
            test.connect(mtu: round % 2 == 0 ? 517 : nil)
            #expect(test.light == .busy)
            test.leave()
            #expect(test.controller.isAdvertising)
            #expect(test.light == .ready)
            addresses.insert(test.controller.address)
        }
        #expect(test.key == key)
        #expect(test.code == code)
        #expect(addresses.count == 1)
        #expect(test.records.isEmpty)
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.accepted])
    }

    /// Somebody connected once and left; nobody is visiting when the advertisement ends or the controller fails.
    @Test func nobodyVisitingMakesNoRecord() throws {
        let test = try TestGate()
        test.connect()
        test.leave()
        let key = test.key
        test.wait(600_000)
        #expect(test.key != key)
        test.connect()
        test.leave()
        test.controller.hardwareError()
        test.turn()
        #expect(test.records.isEmpty)
        #expect(test.light == .ready)
    }

    /// The key on the air, by its two halves in the advertisement.
    private func isOnAir(_ key: [UInt8], _ test: TestGate) -> Bool {
        test.controller.isAdvertising && Array(test.controller.data.suffix(5)) == Array(key.prefix(5))
            && Array(test.controller.scanResponse.suffix(27)) == Array(key.suffix(27))
    }

    @Test("a code nobody used makes way for the next after ten minutes, and its key is on the air ten seconds longer")
    func anAdvertisementsLifeEndsInAFreshKey() throws {
        let test = try TestGate()
        let key = test.key
        test.wait(599_999)
        #expect(test.key == key)
        test.wait(1)
        let next = test.key
        #expect(next != key)
        #expect(isOnAir(key, test))
        test.wait(9_999)
        #expect(isOnAir(key, test))
        test.wait(1)
        #expect(test.key == next)
        #expect(isOnAir(next, test))
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.accepted])
        test.leave()
        #expect(test.isForgotten)
        test.wait(4000)
        #expect(test.key != next)
        #expect(isOnAir(test.key, test))
    }

    @Test("whoever scanned a code just before it made way is let in, and the code shown meanwhile is the next visitor's")
    func theLastScanOfACodeCounts() throws {
        let test = try TestGate()
        let key = test.key
        test.wait(605_000)
        let next = test.key
        #expect(next != key)
        let wallet = try TestWallet()
        test.visit(wallet, try wallet.seal(TestWallet.gzip(TestIssuer.payload()), for: key), mtu: 100)
        test.wait(60)
        #expect(test.outcomes == [.accepted])
        test.leave()
        test.wait(4000)
        #expect(test.key == next)
        #expect(isOnAir(next, test))
        try test.goodVisit()
        test.wait(60)
        #expect(test.outcomes == [.accepted, .accepted])
    }

    @Test("a phone whose link fails just before the key ends finds it again, once; nobody keeps it for longer")
    func aFailedLinkKeepsTheKeyForAnotherTry() throws {
        let test = try TestGate()
        let key = test.key
        test.wait(609_000)
        test.connect(mtu: nil)
        test.wait(2_000)
        test.leave()
        #expect(isOnAir(key, test))
        test.wait(8_000)
        test.connect(mtu: nil)
        test.wait(2_000)
        test.leave()
        #expect(!isOnAir(key, test))
        #expect(isOnAir(test.key, test))
    }

    @Test("a wallet that has subscribed to reports is told at once, one that has not 50 ms later", arguments: [false, true])
    func theFirstReport(isSubscribed: Bool) throws {
        let test = try TestGate()
        test.connect()
        if isSubscribed { test.subscribe(.transferReportResponse, 2) }
        let wallet = try TestWallet()
        let message = try wallet.seal(TestWallet.gzip(TestIssuer.payload()), for: test.key)
        test.visit(wallet, message, from: .identified)
        #expect(test.pushed(.transferReportResponse).count == (isSubscribed ? 1 : 0))
        test.wait(49)
        #expect(test.pushed(.transferReportResponse).count == (isSubscribed ? 1 : 0))
        test.wait(1)
        #expect(test.pushed(.transferReportResponse).count == 1)
        test.wait(1000)
        #expect(test.outcomes == [.accepted])
    }

    @Test func theCompressedMessageIsGoneBeforeTheWalletIs() throws {
        let test = try TestGate()
        try test.goodVisit()
        #expect(test.gate.storage.message.prefix(1 << 16).allSatisfy { $0 == 0 })
        #expect(!test.holdsChannelKey)
        test.wait(50)
        #expect(test.isConnected)
        #expect(test.hasNoPayload)
    }

    // MARK: the wallet leaves

    @Test(arguments: TestGate.Step.allCases)
    func aWalletMayLeaveAtEveryStep(_ step: TestGate.Step) throws {
        let test = try TestGate()
        let key = test.key
        try test.goodVisit(upTo: step)
        test.leave()
        test.wait(1000)
        test.expectNoAccept()
        #expect(test.statuses == [])
        #expect(test.outcomes == (step < .identified ? [] : [.left]))
        #expect((test.key == key) == (step < .identified))
        #expect(test.isForgotten)
        #expect(test.light == .ready)
        if let record = test.records.first { #expect(record.mtu == 100) }
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes.last == .accepted)
    }

    @Test func aWalletThatStallsAtAnyStepIsMadeToLeave() throws {
        let limits: [(TestGate.Step, UInt64, VisitRecord.Outcome?, MissedDeadline?)] = [
            (.connected, 30_000, nil, nil), (.exchanged, 30_000, nil, nil), (.identified, 300_000, .timedOut, .pick),
            (.sized, 30_000, .timedOut, .chunk), (.halfSent, 30_000, .timedOut, .pace), (.sent, 30_000, .timedOut, .chunk),
            (.asked, 1050, .accepted, nil),
        ]
        for (step, limit, outcome, deadline) in limits {
            let test = try TestGate()
            try test.goodVisit(upTo: step)
            test.wait(limit - 1)
            #expect(test.isConnected, "\(step)")
            test.wait(501)
            #expect(!test.isConnected, "\(step)")
            // Whoever never identified is only counted.
            #expect(test.outcomes == (outcome.map { [$0] } ?? []))
            #expect(test.records.first?.deadline == deadline)
            #expect(test.isAskedToLeave == (outcome != .accepted))
            #expect(test.isForgotten)
            #expect(test.controller.isAdvertising)
            if outcome != .accepted { test.expectNoAccept() }
        }
    }

    /// Between the last chunk and the verdict there are four moments; in none of them a lost link ends in an accept.
    @Test func aLinkLostBetweenMessageAndVerdictNeverAccepts() throws {
        // Opened, not yet verified.
        let opened = try TestGate()
        try opened.goodVisit()
        #expect(opened.isMessageOpened)
        opened.leave()
        opened.wait(5000)
        opened.expectNoAccept()
        #expect(opened.outcomes == [.left])

        // Verified; the record is still in the gate.
        let verified = try TestGate()
        verified.shelf = .waits
        try verified.goodVisit()
        verified.wait(50)
        verified.leave()
        let record = verified.take()
        #expect(record?.outcome == .left)
        verified.stored(true)
        verified.wait(5000)
        verified.expectNoAccept()

        // Verified; the record is on its way to the disk.
        let storing = try TestGate()
        storing.shelf = .waits
        try storing.goodVisit()
        storing.wait(50)
        #expect(storing.take()?.outcome == .accepted)
        storing.leave()
        storing.stored(true)
        storing.wait(5000)
        storing.expectNoAccept()

        // The record belongs to a visit that is over; another wallet has come.
        let late = try TestGate()
        late.shelf = .waits
        try late.goodVisit()
        late.wait(50)
        #expect(late.take()?.outcome == .accepted)
        late.leave()
        try late.goodVisit(upTo: .sent)
        late.stored(true)
        late.wait(1000)
        late.expectNoAccept()
    }

    // MARK: lights and records

    @Test func theLightsTellTheState() throws {
        let test = try TestGate()
        #expect(test.lights == [.off, .ready])
        test.connect()
        #expect(test.light == .busy)
        test.leave()
        #expect(test.light == .ready)
        try test.goodVisit()
        test.wait(50)
        #expect(test.light == .accept)
        test.leave()
        // The next visit is ready underneath; the verdict stays for its three seconds, of which 50 ms are over.
        #expect(test.controller.isAdvertising)
        test.wait(2949)
        #expect(test.light == .accept)
        test.wait(1)
        #expect(test.light == .ready)
        test.wait(500)
        test.connect()
        test.write(.identifyRequest, try TestWallet().identify)
        test.write(.transferReportRequest, [1])
        #expect(test.light == .reject)
        test.wait(1500)
        #expect(test.light == .ready)
    }

    @Test func theReadyLightStaysWhileTheAdvertisingIntervalChanges() throws {
        let test = try TestGate()
        #expect(test.light == .ready)
        let before = test.lights.count
        // The fast interval ends after 30 s: advertising goes off and on again.
        test.wait(31_000)
        #expect(test.light == .ready)
        #expect(test.lights.dropFirst(before).allSatisfy { $0 == .ready })
    }

    @Test func aStrangerWhoOnlyConnectsTurnsNoVerdictLight() throws {
        let test = try TestGate()
        test.connect()
        test.write(.transferReportRequest, [1])
        test.wait(5000)
        test.connect(mtu: 23)
        test.wait(5000)
        test.connect()
        test.wait(31_000)
        #expect(!test.lights.contains(.reject))
        #expect(!test.lights.contains(.accept))
        #expect(test.light == .ready)
    }

    @Test func aVisitHasAtMostOneRecord() throws {
        let test = try TestGate()
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.accepted])
        // Whatever the wallet does afterwards.
        test.write(.transferReportRequest, [1])
        test.write(.transferReportRequest, [2])
        test.write(.identifyRequest, try TestWallet().identify)
        test.write(.responseSize, [0, 0, 0, 0])
        test.write(.submitResponse, [0, 1, 0, 0, 1])
        test.exchange(23)
        test.gate.stop(at: test.now)
        test.turn()
        test.controller.hardwareError()
        test.turn()
        test.wait(5000)
        #expect(test.outcomes == [.accepted])
        #expect(test.statuses == [[0]])
        #expect(!test.lights.contains(.reject))
    }

    @Test func oneVisitsTroubleIsNotInTheNextOnesRecord() throws {
        let test = try TestGate()
        try test.goodVisit(upTo: .sized)
        var broken = TestGate.chunk(1, [UInt8](repeating: 1, count: 93))
        broken[3] ^= 1
        test.write(.submitResponse, broken)
        test.leave()
        #expect(test.records.last?.checksumFailures == 1)
        #expect(test.records.last?.sizeClass != nil)
        test.connect()
        test.write(.identifyRequest, try TestWallet().identify)
        test.write(.transferReportRequest, [2])
        #expect(test.records.count == 2)
        #expect(test.records.last?.error == .walletFailed)
        #expect(test.records.last?.checksumFailures == 0)
        #expect(test.records.last?.chunks == 0)
        #expect(test.records.last?.sizeClass == nil)
        var times = VisitTimes()
        times.identified = 0
        #expect(test.records.last?.times == times)
    }

    /// A change of the interval counts from the packet on that tells of it.
    @Test func anIntervalChangedLastBeforeTheVerdictCounts() throws {
        for (interval, milliseconds) in [(0x18, 1000), (0x0C80, 12_000)] as [(UInt16, UInt64)] {
            let test = try TestGate()
            let wallet = try TestWallet()
            test.connect(mtu: nil, interval: 24)
            test.visit(wallet, try wallet.seal(TestWallet.gzip(TestIssuer.payload()), for: test.key), from: .exchanged)
            test.controller.inject([0x04, 0x3E, 10, 0x03, 0, 0x40, 0] + pair(Int(interval)) + [0, 0, 0x80, 0x0C])
            test.turn()
            // Work that waits needs no time.
            while test.statuses.isEmpty, let due = test.deadline { test.wait(due.milliseconds(since: test.now.monotonic)) }
            #expect(test.statuses == [[0]])
            test.wait(milliseconds - 1)
            #expect(test.isConnected, "\(interval)")
            test.wait(1)
            #expect(!test.isConnected)
        }
    }

    @Test func theFirstReportWaitsTwoIntervalsOfThePhonesLink() throws {
        let test = try TestGate()
        test.controller.connect(interval: 80)
        test.turn()
        test.exchange(517)
        let wallet = try TestWallet()
        test.write(.identifyRequest, wallet.identify)
        test.write(.responseSize, [0, 0, 0, 1])
        test.write(.submitResponse, TestGate.chunk(1, [9]))
        test.write(.transferReportRequest, [1])
        test.wait(199)
        #expect(test.reports == [])
        test.wait(1)
        #expect(test.reports == [[1, 0, 0]])
    }
}
