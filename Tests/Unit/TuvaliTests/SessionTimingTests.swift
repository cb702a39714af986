import Bluetooth
import Testing

@testable import Tuvali

/// Every deadline of a session, to the millisecond (tuvali.md sections 7, 8 and 10).
@Suite struct SessionTimingTests {
    @Test func theDefaultsAreTheSpecifications() {
        let timing = SessionTiming()
        #expect(timing.identify == 30_000)
        #expect(timing.idle == 300_000)
        #expect(timing.progress == 30_000)
        #expect(timing.quota == 16)
        #expect(timing.transfer == 300_000)
        #expect(timing.status == 10_000)
        #expect(timing.firstReport == 50)
        #expect(timing.afterStatus == 1_000)
        #expect(timing.afterDisconnect == 500)
    }

    /// Nothing happens a millisecond before; at the time the wallet is asked to leave, and made to 500 ms later.
    private func expectTimeOut(_ visit: TestVisit, after milliseconds: UInt64, sourceLocation: SourceLocation = #_sourceLocation) {
        let phase = visit.phase
        visit.wait(milliseconds - 1)
        #expect(visit.phase == phase, sourceLocation: sourceLocation)
        #expect(!visit.isAskedToLeave, sourceLocation: sourceLocation)
        visit.wait(1)
        #expect(visit.isAskedToLeave, sourceLocation: sourceLocation)
        #expect(visit.phase == .closing, sourceLocation: sourceLocation)
        visit.wait(499)
        #expect(!visit.events.contains(.disconnectNow), sourceLocation: sourceLocation)
        visit.wait(1)
        #expect(visit.events.contains(.disconnectNow), sourceLocation: sourceLocation)
        #expect(visit.linkEnd == .timedOut, sourceLocation: sourceLocation)
    }

    @Test func withoutIdentifyTheWalletLeavesAfter30Seconds() throws {
        expectTimeOut(try .at(.connected), after: 30_000)
    }

    @Test func nothingButIdentifyMovesTheIdentifyDeadline() throws {
        let visit = try TestVisit.at(.connected)
        for _ in 0..<29 {
            visit.wait(1000)
            visit.write(.identifyRequest, [1, 2, 3])
            visit.write(.responseSize, WalletSide.size(100))
            visit.write(.submitResponse, WalletSide.chunk(1, [1]))
            visit.session.mtuExchanged(517, now: visit.now)
        }
        expectTimeOut(visit, after: 1000)
    }

    @Test func keysThatAreNeverAgreedEndWithTheIdentifyDeadline() throws {
        expectTimeOut(try .at(.identified), after: 30_000)
    }

    @Test func aPersonHasFiveMinutesToPick() throws {
        expectTimeOut(try .at(.secure), after: 300_000)
    }

    @Test func withoutANewChunkTheTransferEndsAfter30Seconds() throws {
        expectTimeOut(try .at(.receiving), after: 30_000)
        // The request for a report has its time behind the last chunk.
        let visit = try TestVisit.at(.receiving)
        visit.wait(29_000)
        visit.send(WalletSide.chunks(TestVisit.message(600), mtu: 67))
        expectTimeOut(visit, after: 30_000)
        #expect(visit.session.missed == .chunk)
    }

    @Test func onlyANewChunkIsProgress() throws {
        let visit = try TestVisit.at(.receiving)
        let chunks = WalletSide.chunks(TestVisit.message(600), mtu: 67)
        visit.send([chunks[0], chunks[1], chunks[2]])
        for _ in 0..<29 {
            visit.wait(1000)
            visit.send([chunks[0], WalletSide.chunk(99, [1]), [0], WalletSide.chunk(4, [1])])
            visit.write(.transferReportRequest, [1])
            visit.write(.transferReportRequest, [0])
            visit.write(.responseSize, WalletSide.size(1))
            visit.write(.identifyRequest, WalletSide.identify)
        }
        expectTimeOut(visit, after: 1000)
    }

    @Test func aTransferThatDribblesEndsAfterFiveMinutes() throws {
        let visit = try TestVisit.at(.receiving, size: 60 * 250)
        let chunks = WalletSide.chunks(TestVisit.message(60 * 250), mtu: 67)
        for index in 0..<29 {
            visit.wait(10_000)
            visit.send(Array(chunks[8 * index..<8 * index + 8]))
        }
        expectTimeOut(visit, after: 10_000)
        #expect(visit.session.missed == .transfer)
    }

    @Test func aVerdictHasItsTimeAndTheLinkItsDeadlineAfterwards() throws {
        let visit = try TestVisit.at(.deciding)
        visit.wait(50)
        #expect(visit.deadline == nil)
        visit.wait(3_600_000)
        #expect(visit.phase == .deciding)
        visit.decide(false)
        visit.obeysDisconnect = false
        visit.wait(0)
        #expect(visit.statuses == [[1]])
        visit.wait(999)
        #expect(!visit.events.contains(.disconnectNow))
        visit.wait(1)
        #expect(visit.events.contains(.disconnectNow))
        visit.leave()
        #expect(visit.ends == [.complete])
    }

    @Test func aStatusThatCannotLeaveIsNotWaitedForLongerThan10Seconds() throws {
        let visit = try TestVisit.at(.deciding)
        visit.wait(50)
        visit.isLinkBusy = true
        visit.decide(true)
        visit.wait(9_999)
        #expect(!visit.events.contains(.disconnectNow))
        visit.wait(1)
        #expect(visit.events.contains(.disconnectNow))
        #expect(visit.statuses == [])
        // It was never told.
        #expect(visit.ends == [.walletLeft])
    }

    // MARK: reports

    @Test func theFirstReportWaits50Milliseconds() throws {
        let visit = try TestVisit.at(.receiving, size: 120)
        visit.send([WalletSide.chunks(TestVisit.message(120), mtu: 67)[1]])
        let asked = visit.milliseconds
        visit.write(.transferReportRequest, [1])
        visit.wait(49)
        #expect(visit.reports == [])
        visit.wait(1)
        #expect(visit.reports == [[0, 0, 1, 0, 1]])
        // The later ones do not.
        visit.write(.transferReportRequest, [1])
        #expect(visit.pushes.map(\.at) == [asked + 50, asked + 50])
    }

    @Test(arguments: [(7_500, 50), (25_000, 50), (30_000, 60), (48_750, 98), (50_000, 100), (4_000_000, 8_000)] as [(UInt64, UInt64)])
    func theFirstReportWaitsTwoConnectionIntervals(_ interval: UInt64, _ wait: UInt64) throws {
        let visit = TestVisit()
        try visit.advertise()
        visit.connect(interval: interval, mtu: 67)
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.responseSize, WalletSide.size(60))
        visit.send(WalletSide.chunks(TestVisit.message(60), mtu: 67))
        visit.write(.transferReportRequest, [1])
        visit.wait(wait - 1)
        #expect(visit.reports == [])
        visit.wait(1)
        #expect(visit.reports == [[1, 0, 0]])
    }

    @Test func theIntervalThatHoldsWhenTheReportIsAskedForCounts() throws {
        let visit = try TestVisit.at(.receiving, size: 60)
        visit.send(WalletSide.chunks(TestVisit.message(60), mtu: 67))
        visit.session.advance(to: visit.now, intervalMicroseconds: 100_000)
        visit.write(.transferReportRequest, [1])
        visit.wait(199)
        #expect(visit.reports == [])
        visit.wait(1)
        #expect(visit.reports == [[1, 0, 0]])
    }

    @Test func askingAgainNeitherHurriesNorDelaysTheFirstReport() throws {
        let visit = try TestVisit.at(.receiving, size: 120)
        visit.send([WalletSide.chunks(TestVisit.message(120), mtu: 67)[0]])
        for _ in 0..<5 {
            visit.write(.transferReportRequest, [1])
            visit.wait(10)
        }
        #expect(visit.reports.count == 1)
        visit.wait(200)
        #expect(visit.reports.count == 1)
    }

    @Test func aReportOnMissingChunksIsSentOnceMoreAndOnlyOnce() throws {
        let visit = try TestVisit.at(.receiving, size: 120)
        visit.send([WalletSide.chunks(TestVisit.message(120), mtu: 67)[0]])
        visit.write(.transferReportRequest, [1])
        visit.wait(50)
        visit.wait(SessionTiming().reportResend - 1)
        #expect(visit.reports.count == 1)
        visit.wait(1)
        #expect(visit.reports == [[0, 0, 1, 0, 2], [0, 0, 1, 0, 2]])
        visit.wait(20_000)
        #expect(visit.reports.count == 2)
    }

    @Test func aWalletThatAnsweredIsNotToldAgain() throws {
        let visit = try TestVisit.at(.receiving, size: 180)
        let chunks = WalletSide.chunks(TestVisit.message(180), mtu: 67)
        visit.send([chunks[0]])
        visit.write(.transferReportRequest, [1])
        visit.wait(50)
        visit.wait(4000)
        visit.send([chunks[1]])
        visit.wait(20_000)
        #expect(visit.reports.count == 1)
    }

    @Test func theStatusNeverOvertakesTheReport() throws {
        let visit = TestVisit()
        visit.verdict = true
        try visit.advertise()
        visit.connect(mtu: 67)
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.responseSize, WalletSide.size(60))
        visit.send(WalletSide.chunks(TestVisit.message(60), mtu: 67))
        visit.write(.transferReportRequest, [1])
        #expect(visit.pushes == [])
        visit.wait(50)
        #expect(visit.pushes.map(\.characteristic) == [.transferReportResponse, .verificationStatus])
        #expect(visit.pushes.map(\.value) == [[1, 0, 0], [0]])
    }

    // MARK: the advertisement's life

    @Test func anAdvertisementEndsWithItsLife() throws {
        let life = SessionTiming().advertisement + SessionTiming().handover
        let visit = try TestVisit.at(.advertising)
        visit.wait(life - 1)
        #expect(visit.phase == .advertising)
        visit.wait(1)
        #expect(visit.ends == [.timedOut])
        #expect(visit.phase == .idle)
    }

    @Test func aLinkLostBeforeIdentifyAdvertisesAgainUntilTheLifeIsOver() throws {
        var timing = SessionTiming()
        timing.advertisement = 60_000
        timing.handover = 0
        let visit = try TestVisit.at(.advertising, timing: timing)
        for round in 1...4 {
            visit.wait(10_000)
            visit.connect(mtu: 517)
            visit.wait(1000)
            visit.leave()
            #expect(visit.events.filter { $0 == .advertiseAgain(.walletLeft) }.count == round)
            #expect(visit.phase == .advertising)
        }
        // 44 s are over. A link does not lengthen the life, and a life that ends under a link does not end the link.
        visit.wait(10_000)
        visit.connect(mtu: 517)
        visit.wait(10_000)
        #expect(visit.phase == .connected)
        visit.leave()
        #expect(visit.ends == [.timedOut])
        #expect(visit.events.filter { $0 == .advertiseAgain(.walletLeft) }.count == 4)
    }

    @Test func aLinkThatComesAndGoesInsideTheLifeLeavesTheLifeAsItWas() throws {
        var timing = SessionTiming()
        timing.handover = 0
        let visit = try TestVisit.at(.advertising, timing: timing)
        visit.wait(590_000)
        visit.connect(mtu: 517)
        visit.leave()
        #expect(visit.phase == .advertising)
        visit.wait(9_999)
        #expect(visit.ends == [])
        visit.wait(1)
        #expect(visit.ends == [.timedOut])
    }
}
