import Bluetooth
import Testing

@testable import MdocTransport

/// From an engagement to a link (mdoc.md sections 1.2 and 5).
@Suite struct SeekingTests {
    private static let both = MdocOffer(peripheral: TestLink.peripheral, central: TestLink.central)
    private static let same = MdocOffer(peripheral: TestLink.central, central: TestLink.central)
    private static let phone = MdocOffer(peripheral: TestLink.peripheral)
    private static let gate = MdocOffer(central: TestLink.central)

    @Test func whoIsNotFoundIsWaitedForByTheOtherWay() throws {
        let visit = TestLink()
        try visit.begin(Self.both)
        #expect(visit.told == [.scan(TestLink.peripheral)])
        visit.pass(milliseconds: 7_999)
        #expect(visit.told.count == 1)
        visit.pass(milliseconds: 1)
        #expect(visit.told == [.scan(TestLink.peripheral), .advertise(TestLink.central)])
        visit.pass(milliseconds: 21_999)
        #expect(visit.told.count == 2)
        visit.pass(milliseconds: 1)
        #expect(visit.told.dropFirst(2) == [.failed(.noLink), .rest, .ended(.failed)])
        #expect(visit.isIdle && visit.deadline == nil)
    }

    @Test func whereTheGateIsServerFirstItScansAfterwards() throws {
        let visit = TestLink()
        try visit.begin(Self.both, .server)
        visit.pass(milliseconds: 8_000)
        #expect(visit.told == [.advertise(TestLink.central), .scan(TestLink.peripheral)])
    }

    /// Many wallets have one UUID for both modes.
    @Test func oneUUIDIsNeverScannedForAndAdvertisedAtOnce() throws {
        let visit = TestLink()
        try visit.begin(Self.same)
        visit.pass(milliseconds: 8_000)
        #expect(visit.told == [.scan(TestLink.central), .advertise(TestLink.central)])
    }

    @Test func theOnlyWayHasAllTheTime() throws {
        for (offer, command) in [(Self.phone, MdocCommand.scan(TestLink.peripheral)), (Self.gate, .advertise(TestLink.central))] {
            let visit = TestLink()
            try visit.begin(offer)
            visit.pass(milliseconds: 29_999)
            #expect(visit.told == [command])
            visit.pass(milliseconds: 1)
            #expect(visit.failures == [.noLink] && visit.end == .failed)
        }
    }

    @Test func aPhoneThatIsNotReachedIsLookedForAnew() throws {
        let visit = TestLink()
        try visit.begin(Self.phone)
        for _ in 0..<2 {
            visit.happens { $0.found(now: $1) }
            visit.happens { $0.notConnected(now: $1) }
        }
        let once = [MdocCommand.scan(TestLink.peripheral), .connect]
        #expect(visit.told == once + once + [.scan(TestLink.peripheral)])
        visit.meet()
        #expect(visit.told.last == .ask(.exchangeMTU))
    }

    @Test func threeTimesIsEnough() throws {
        let visit = TestLink()
        try visit.begin(Self.phone)
        for _ in 0..<3 {
            visit.happens { $0.found(now: $1) }
            visit.happens { $0.notConnected(now: $1) }
        }
        #expect(visit.failures == [.noLink] && visit.end == .failed)
    }

    @Test func afterThreeTimesTheOtherWayIsTried() throws {
        let visit = TestLink()
        try visit.begin(Self.both)
        for _ in 0..<3 {
            visit.happens { $0.found(now: $1) }
            visit.happens { $0.notConnected(now: $1) }
        }
        #expect(visit.told.last == .advertise(TestLink.central))
        visit.pass(milliseconds: 30_000)
        #expect(visit.failures == [.noLink])
    }

    @Test func aHostThatSaysNothingIsNotWaitedFor() throws {
        let visit = TestLink()
        try visit.begin(Self.phone)
        visit.happens { $0.found(now: $1) }
        visit.pass(milliseconds: 3_000)
        #expect(visit.told == [.scan(TestLink.peripheral), .connect, .scan(TestLink.peripheral)])
    }

    @Test func theFirstWaysTimeWaitsForAConnectionUnderWay() throws {
        let visit = TestLink()
        try visit.begin(Self.both)
        visit.pass(milliseconds: 7_000)
        visit.happens { $0.found(now: $1) }
        visit.pass(milliseconds: 2_000)
        #expect(visit.told == [.scan(TestLink.peripheral), .connect])
        visit.happens { $0.notConnected(now: $1) }
        #expect(visit.told.last == .scan(TestLink.peripheral))
        visit.pass(milliseconds: 0)
        #expect(visit.told.last == .advertise(TestLink.central))
    }

    /// A success that crosses the word that it is given up is a success.
    @Test func aConnectionThatComesLateIsTaken() throws {
        let visit = TestLink()
        try visit.begin(Self.phone)
        visit.happens { $0.found(now: $1) }
        visit.happens { $0.notConnected(now: $1) }
        visit.connect(asCentral: true)
        #expect(visit.told.last == .ask(.exchangeMTU))
    }

    @Test func aPhoneThatLeavesBeforeStartMayComeAgain() throws {
        let visit = TestLink()
        try visit.begin(Self.gate)
        for _ in 0..<5 {
            visit.connect(asCentral: false)
            visit.disconnect()
        }
        #expect(visit.told == [MdocCommand](repeating: .advertise(TestLink.central), count: 6))
        try visit.openAfterwards()
        #expect(visit.isOpen)
    }

    @Test func whoLeavesAndDoesNotComeAgainWasLost() throws {
        let visit = TestLink()
        try visit.begin(Self.gate)
        visit.connect(asCentral: false)
        visit.disconnect()
        visit.pass(milliseconds: 30_000)
        #expect(visit.failures == [.linkLost] && visit.end == .failed)
    }

    @Test func aLinkThatIsLostBeforeItOpensCountsAsAConnectionThatFailed() throws {
        let visit = TestLink()
        try visit.begin(Self.phone)
        for _ in 0..<3 {
            visit.meet()
            visit.disconnect()
        }
        #expect(visit.failures == [.linkLost] && visit.end == .failed)
    }

    @Test func theTimeForSeekingDoesNotEndALinkThatOpens() throws {
        let visit = TestLink()
        try visit.begin(Self.gate)
        visit.pass(milliseconds: 29_000)
        visit.connect(asCentral: false)
        visit.pass(milliseconds: 5_000)
        #expect(visit.failures.isEmpty)
        visit.disconnect()
        #expect(visit.failures == [.linkLost])
    }

    @Test func aLinkThatNobodyWantedIsEndedAndTheSearchGoesOn() throws {
        let visit = TestLink()
        try visit.begin(Self.phone)
        visit.connect(asCentral: false)
        #expect(visit.told == [.scan(TestLink.peripheral), .disconnect, .scan(TestLink.peripheral)])
        #expect(visit.count(.linkUnexpected) == 1)
        visit.meet()
        visit.discover()
        #expect(visit.isOpen)
    }

    /// A stranger who was quicker than the end of advertising, and whom the gate sends away by itself: the host scans no more.
    @Test func aSearchThatSomebodyElseHasEndedBeginsAnew() throws {
        let visit = TestLink()
        try visit.begin(Self.phone)
        visit.happens { link, _ in link.searchLost() }
        #expect(visit.told == [.scan(TestLink.peripheral), .scan(TestLink.peripheral)])
        // An attempt to connect has a time of its own.
        visit.happens { $0.found(now: $1) }
        visit.happens { link, _ in link.searchLost() }
        #expect(visit.told.dropFirst(2) == [.connect])
        visit.gate { $0.stop(now: $1) }
        #expect(visit.told.dropFirst(3) == [.rest, .ended(.stopped)])
        // Of a visit that is over, and of one by advertising, nothing is told again.
        visit.happens { link, _ in link.searchLost() }
        #expect(visit.told.count == 5)
        let served = TestLink()
        try served.begin(Self.gate)
        served.happens { link, _ in link.searchLost() }
        #expect(served.told == [.advertise(TestLink.central)])
    }

    @Test func aSecondVisitIsNotBegunInTheMiddleOfOne() throws {
        let visit = TestLink()
        try visit.begin(Self.gate)
        #expect(throws: MdocLinkRefusal.busy) { try visit.begin(Self.phone) }
        visit.gate { $0.stop(now: $1) }
        #expect(visit.told.suffix(2) == [.rest, .ended(.stopped)])
        try visit.begin(Self.phone)
        #expect(visit.told.last == .scan(TestLink.peripheral))
    }
}

extension TestLink {
    /// A phone comes while the gate advertises.
    fileprivate func openAfterwards() throws {
        connect(asCentral: false)
        receive(.state, [0x01])
        happens { $0.subscribed(state: true, data: true, now: $1) }
    }
}
