import Bluetooth
import Testing

@testable import Tuvali

/// Links of long connection intervals: what has to travel is waited for as long as that takes, and no stranger holds the gate by them.
@Suite struct SlowLinkTests {
    /// The longest interval there is (Core Vol 6 Part B 4.5.1), in microseconds and in milliseconds.
    private static let longest: UInt64 = 4_000_000, event: UInt64 = 4_000

    /// A session of the least patience at the end of its transfer, its report scheduled.
    private func sent(interval: UInt64) throws -> TestVisit {
        let visit = TestVisit()
        visit.obeysDisconnect = false
        try visit.advertise()
        visit.connect(interval: interval, step: 3)
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.responseSize, WalletSide.size(1))
        visit.send([WalletSide.chunk(1, [9])])
        visit.write(.transferReportRequest, [1])
        #expect(visit.phase == .deciding)
        return visit
    }

    @Test func aWalletOfASlowLinkHearsReportAndVerdict() throws {
        let visit = try sent(interval: Self.longest)
        visit.wait(2 * Self.event)
        #expect(visit.pushed(.transferReportResponse) == [[1, 0, 0]])
        // Its confirmation takes two events, and so long nothing else may go out.
        visit.isLinkBusy = true
        visit.decide(true)
        visit.wait(2 * Self.event - 1)
        #expect(!visit.events.contains(.disconnectNow))
        visit.isLinkBusy = false
        visit.wait(1)
        #expect(visit.pushed(.verificationStatus) == [[0]])
        // One event to arrive in, and one for the wallet to leave.
        visit.wait(2 * Self.event)
        #expect(!visit.events.contains(.disconnectNow))
        visit.leave()
        #expect(visit.ends == [.complete])
    }

    @Test func aSlowLinkIsNotWaitedForWithoutEnd() throws {
        // What the controller says beyond the longest interval gains nothing.
        for interval in [Self.longest, 80_000_000] as [UInt64] {
            let visit = try sent(interval: interval)
            visit.decide(true)
            visit.isLinkBusy = true
            visit.wait(5 * Self.event - 1)
            #expect(!visit.events.contains(.disconnectNow))
            visit.wait(1)
            #expect(visit.events.contains(.disconnectNow))
            let told = try sent(interval: interval)
            told.decide(true)
            told.wait(2 * Self.event)
            #expect(told.pushed(.verificationStatus) == [[0]])
            told.wait(3 * Self.event - 1)
            #expect(!told.events.contains(.disconnectNow))
            told.wait(1)
            #expect(told.events.contains(.disconnectNow))
        }
    }

    @Test func aFastLinkIsWaitedForAsEver() throws {
        let visit = try sent(interval: 50_000)
        visit.decide(true)
        visit.wait(100)
        #expect(visit.pushed(.verificationStatus) == [[0]])
        visit.wait(999)
        #expect(!visit.events.contains(.disconnectNow))
        visit.wait(1)
        #expect(visit.events.contains(.disconnectNow))
    }

    /// Identify, picking and the whole transfer bound the link, whatever its interval.
    @Test func aStrangerGainsNothingByALongInterval() throws {
        let timing = SessionTiming().shortened(by: 3)
        let silent = TestVisit()
        try silent.advertise()
        silent.connect(interval: Self.longest, step: 3)
        silent.wait(timing.identify + timing.afterDisconnect - 1)
        #expect(!silent.events.contains(.disconnectNow))
        silent.wait(1)
        #expect(silent.events.contains(.disconnectNow))
        let picking = TestVisit()
        try picking.advertise()
        picking.connect(interval: Self.longest, step: 3)
        picking.write(.identifyRequest, WalletSide.identify)
        picking.wait(timing.idle)
        #expect(picking.phase == .closing)
        picking.wait(3 * Self.event)
        #expect(picking.events.contains(.disconnectNow))
    }
}
