import Bluetooth
import Testing

@testable import Tuvali

/// Deadlines that were shortened, the pace of a transfer, and what honest wallets need under both.
@Suite struct SessionPatienceTests {
    @Test func eachStepIsShorterAndTheLastIsTheFloor() {
        let steps = (0...4).map { SessionTiming().shortened(by: $0) }
        #expect(steps.map(\.identify) == [30_000, 15_000, 10_000, 6_000, 6_000])
        #expect(steps.map(\.idle) == [300_000, 150_000, 90_000, 90_000, 90_000])
        #expect(steps.map(\.progress) == [30_000, 20_000, 15_000, 10_000, 10_000])
        #expect(steps.map(\.quota) == [16, 24, 36, 50, 50])
        #expect(steps.map(\.transfer) == [300_000, 240_000, 180_000, 120_000, 120_000])
        #expect(steps.map(\.status) == [10_000, 10_000, 7_000, 5_000, 5_000])
        #expect(SessionTiming().shortened(by: .max).identify == 6_000)
        #expect(SessionTiming.steps == 3)
    }

    @Test func nothingGetsLongerThanItWas() {
        var timing = SessionTiming()
        (timing.identify, timing.idle, timing.progress, timing.quota, timing.transfer, timing.status) = (1, 2, 3, 1000, 4, 5)
        let floor = timing.shortened(by: 3)
        #expect((floor.identify, floor.idle, floor.progress, floor.quota) == (1, 2, 3, 1000))
        #expect((floor.transfer, floor.status) == (4, 5))
    }

    @Test(arguments: 0...3 as ClosedRange<UInt8>)
    func everyStateEndsAtTheDeadlineOfItsStep(_ step: UInt8) throws {
        let timing = SessionTiming().shortened(by: step)
        let limits: [(Session.Phase, UInt64, MissedDeadline)] = [
            (.connected, timing.identify, .identify), (.identified, timing.identify, .identify), (.secure, timing.idle, .pick),
            (.receiving, timing.progress, .chunk),
        ]
        for (phase, limit, missed) in limits {
            let visit = try TestVisit.at(phase, step: step)
            visit.wait(limit - 1)
            #expect(visit.phase == phase)
            #expect(visit.session.missed == nil)
            visit.wait(1)
            #expect(visit.phase == .closing)
            #expect(visit.session.missed == missed)
            visit.wait(500)
            #expect(visit.linkEnd == .timedOut)
        }
        let told = try TestVisit.at(.deciding, step: step)
        told.wait(50)
        told.isLinkBusy = true
        told.decide(true)
        told.wait(timing.status - 1)
        #expect(!told.events.contains(.disconnectNow))
        told.wait(1)
        #expect(told.events.contains(.disconnectNow))
    }

    @Test func theNextLinkHasItsOwnPatience() throws {
        let visit = try TestVisit.at(.connected, step: 3)
        visit.wait(1000)
        visit.leave()
        visit.connect()
        visit.wait(29_999)
        #expect(visit.phase == .connected)
        visit.wait(1)
        #expect(visit.phase == .closing)
    }

    // MARK: pace

    /// New chunks that come evenly, so many in each of the step's periods.
    private func dribble(_ count: Int, step: UInt8) throws -> (visit: TestVisit, milliseconds: UInt64) {
        let timing = SessionTiming().shortened(by: step)
        let visit = try TestVisit.at(.receiving, size: 60 * 5000, step: step)
        let chunks = WalletSide.chunks(TestVisit.message(60 * 5000), mtu: 67)
        let begin = visit.milliseconds
        for chunk in chunks {
            visit.wait((timing.progress - 1) / UInt64(count))
            if visit.phase != .receiving { break }
            visit.send([chunk])
        }
        return (visit, visit.milliseconds - begin)
    }

    @Test(arguments: 0...3 as ClosedRange<UInt8>)
    func whoSendsLessThanTheQuotaIsEndedByItsPace(_ step: UInt8) throws {
        let timing = SessionTiming().shortened(by: step)
        for count in [1, timing.quota / 2, timing.quota - 1] {
            let (visit, milliseconds) = try dribble(count, step: step)
            #expect(visit.session.missed == .pace, "\(count)")
            #expect(milliseconds < timing.progress * 2)
        }
        // And who sends just enough, by the transfer's deadline.
        let (visit, milliseconds) = try dribble(timing.quota, step: step)
        #expect(visit.session.missed == .transfer)
        #expect(milliseconds < timing.transfer + timing.progress)
    }

    @Test func oneChunkBeforeEveryDeadlineIsNoProgress() throws {
        let visit = try TestVisit.at(.receiving, size: 60 * 100)
        let chunks = WalletSide.chunks(TestVisit.message(60 * 100), mtu: 67)
        visit.wait(29_999)
        visit.send([chunks[0]])
        visit.wait(1)
        #expect(visit.phase == .closing)
        #expect(visit.session.missed == .pace)
    }

    @Test func whereFewAreMissingThoseAreTheQuota() throws {
        let visit = try TestVisit.at(.receiving, size: 180)
        let chunks = WalletSide.chunks(TestVisit.message(180), mtu: 67)
        visit.wait(29_000)
        visit.send(chunks)
        visit.wait(29_999)
        #expect(visit.phase == .receiving)
        visit.write(.transferReportRequest, [1])
        #expect(visit.phase == .deciding)
    }

    @Test func duplicatesAndNonsenseAreNoPace() throws {
        let visit = try TestVisit.at(.receiving, size: 60 * 100)
        let chunks = WalletSide.chunks(TestVisit.message(60 * 100), mtu: 67)
        visit.send(Array(chunks[..<15]))
        for _ in 0..<29 {
            visit.wait(1000)
            visit.send(Array(chunks[..<15]) + [WalletSide.chunk(999, [1]), WalletSide.chunk(50, [1])])
        }
        visit.wait(1000)
        #expect(visit.session.missed == .pace)
    }

    // MARK: honest wallets under the least patience

    /// 700 kB at MTU 185 with 20 ms after each chunk, as an iOS wallet sends it; then one chunk in ten again by write
    /// requests of two connection intervals.
    @Test func aLargeCredentialFromIOSArrivesAtTheFloor() throws {
        let visit = try TestVisit.at(.receiving, mtu: 185, size: 700_000, step: 3)
        let chunks = WalletSide.chunks(TestVisit.message(700_000), mtu: 185)
        for (index, chunk) in chunks.enumerated() {
            visit.wait(20)
            if index % 10 != 0 { visit.send([chunk]) }
        }
        visit.write(.transferReportRequest, [1])
        visit.wait(50)
        for chunk in stride(from: 0, to: chunks.count, by: 10).map({ chunks[$0] }) {
            visit.wait(60)
            visit.send([chunk])
        }
        visit.write(.transferReportRequest, [1])
        #expect(visit.phase == .deciding)
        #expect(visit.session.missed == nil)
    }

    /// A fade of four seconds in the middle of a slow phone's transfer.
    @Test func aFadeIsSurvivedAtTheFloor() throws {
        let visit = try TestVisit.at(.receiving, size: 60 * 300, step: 3)
        for (index, chunk) in WalletSide.chunks(TestVisit.message(60 * 300), mtu: 67).enumerated() {
            visit.wait(index == 150 ? 4_000 : 100)
            visit.send([chunk])
        }
        visit.write(.transferReportRequest, [1])
        #expect(visit.phase == .deciding)
    }

    /// The report that is sent once more, after five seconds, still finds a wallet that answers.
    @Test func aLostReportIsRepairedAtTheFloor() throws {
        let visit = try TestVisit.at(.receiving, size: 180, step: 3)
        let chunks = WalletSide.chunks(TestVisit.message(180), mtu: 67)
        visit.send([chunks[0], chunks[2]])
        visit.write(.transferReportRequest, [1])
        visit.wait(5_050)
        #expect(visit.reports.count == 2)
        visit.wait(1_000)
        visit.send([chunks[1]])
        visit.write(.transferReportRequest, [1])
        #expect(visit.phase == .deciding)
    }
}
