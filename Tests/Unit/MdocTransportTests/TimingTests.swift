import Bluetooth
import Testing

@testable import MdocTransport

/// Every deadline: a millisecond before it nothing happens (mdoc.md sections 2.2 and 5).
@Suite struct TimingTests {
    static let bearers: [MdocBearer] = [.channel, .client, .server]

    /// Passes `milliseconds`, all but the last of them in silence, then expects the failure.
    private func expect(_ failure: MdocLinkFailure, after milliseconds: UInt64, _ visit: TestLink) {
        visit.pass(milliseconds: milliseconds - 1)
        #expect(visit.failures.isEmpty)
        visit.pass(milliseconds: 1)
        #expect(visit.failures == [failure])
    }

    @Test func aServerWaitsForStart() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(central: TestLink.central))
        visit.connect(asCentral: false)
        expect(.noStart(.start), after: 10_000, visit)
        #expect(visit.told.suffix(2) == [.disconnect, .ended(.failed)])
    }

    @Test func aServerWaitsForTheSubscription() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(central: TestLink.central))
        visit.connect(asCentral: false)
        visit.receive(.state, [1])
        expect(.noStart(.subscribeData), after: 10_000, visit)
    }

    @Test func aClientWaitsForEachStepAndForAllOfThem() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(peripheral: TestLink.peripheral))
        visit.meet()
        visit.answer(.exchangeMTU, .mtu(515))
        visit.pass(milliseconds: 9_000)
        visit.answer(.findService, .done)
        expect(.noStart(.findCharacteristics), after: 1_000, visit)
    }

    @Test func aClientWhoseStartDoesNotLeaveHasNotStarted() throws {
        let visit = TestLink()
        visit.isBusy = true
        try visit.openClient()
        expect(.noStart(.start), after: 10_000, visit)
    }

    @Test(arguments: bearers) func aRequestHasToLeave(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer, request: nil)
        visit.pass(milliseconds: 4_000)
        visit.isBusy = true
        try visit.send(TestLink.request)
        expect(.notSent, after: 5_000, visit)
    }

    @Test(arguments: bearers) func aRequestHasToBeHandedOver(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer, request: nil)
        expect(.notSent, after: 5_000, visit)
    }

    @Test(arguments: bearers) func aPersonHasFiveMinutes(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        expect(.noAnswer, after: 300_000, visit)
        #expect(visit.failure?.status == 20)
        #expect(visit.heard == [TestLink.request, TestLink.word])
        visit.pass(milliseconds: 1_000)
        #expect(visit.told.suffix(2) == [.disconnect, .ended(.failed)])
    }

    @Test func aPersonHasAMinuteAtTheLeast() throws {
        var timing = MdocTiming()
        timing.answer = 1_000
        expect(.noAnswer, after: 60_000, try TestLink.open(.server, timing: timing))
    }

    @Test(arguments: bearers) func anAnswerThatStopsIsTooSlow(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.pass(milliseconds: 100_000)
        visit.speak(part: 30)
        expect(.tooSlow, after: 10_000, visit)
        #expect(visit.failure?.status == 11)
    }

    @Test(arguments: bearers) func fifteenValuesInTenSecondsAreTooFew(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        for _ in 0..<15 {
            visit.speak(part: 1)
            visit.pass(milliseconds: 600)
        }
        expect(.tooSlow, after: 1_000, visit)
    }

    @Test(arguments: bearers) func sixteenAreEnoughUntilTheTimeForAllOfItIsOver(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        var passed: UInt64 = 0
        while passed < 119_000 {
            visit.speak(part: 1)
            visit.pass(milliseconds: 600)
            passed += 600
        }
        #expect(visit.failures.isEmpty)
        expect(.tooLate, after: 120_000 - passed, visit)
        #expect(visit.failure?.status == 11)
    }

    @Test(arguments: bearers) func twoKilobytesAreAsGoodAsSixteenValues(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        for _ in 0..<8 {
            for _ in 0..<5 { visit.speak(part: 410) }
            visit.pass(milliseconds: 9_900)
        }
        #expect(visit.failures.isEmpty)
    }

    @Test(arguments: bearers) func whoLooksAtAnAnswerAndDoesNothingEndsTheVisit(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.endsAfterMessage = false
        visit.speak(message(100))
        visit.pass(milliseconds: 5_000)
        #expect(visit.told.suffix(2) == [.disconnect, .ended(.complete)])
    }

    @Test(arguments: bearers) func aLastWordThatDoesNotLeaveIsNotWaitedFor(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.isBusy = true
        visit.speak(message(100))
        visit.pass(milliseconds: 1_000)
        #expect(visit.told.suffix(2) == [.disconnect, .ended(.complete)])
        #expect(visit.heard == [TestLink.request])
    }

    @Test(arguments: bearers) func aFailureOfWhichNothingIsSaidEndsTheLink(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.speaks = false
        visit.pass(milliseconds: 300_000)
        #expect(visit.told.last == .failed(.noAnswer))
        visit.pass(milliseconds: 1_000)
        #expect(visit.told.suffix(2) == [.disconnect, .ended(.failed)])
    }

    @Test func disconnectIsToldOnce() throws {
        let visit = try TestLink.open(.server)
        visit.obeysDisconnect = false
        visit.receive(.state, [2])
        visit.pass(milliseconds: 600_000)
        #expect(visit.told.filter { $0 == .disconnect }.count == 1)
        #expect(visit.deadline == nil && visit.end == nil)
        visit.disconnect()
        #expect(visit.end == .failed)
    }

    @Test func aLinkThatIsEndingIsNotToldToEndOnceMore() throws {
        for isStranger in [false, true] {
            let visit = isStranger ? TestLink() : try TestLink.open(.server)
            visit.obeysDisconnect = false
            if isStranger {
                try visit.begin(MdocOffer(peripheral: TestLink.peripheral))
                visit.connect(asCentral: false)
            } else {
                visit.receive(.state, [2])
            }
            visit.gate { $0.stop(now: $1) }
            visit.gate { link, _ in link.reset() }
            visit.pass(milliseconds: 600_000)
            #expect(visit.told.filter { $0 == .disconnect }.count == 1)
            #expect(throws: MdocLinkRefusal.busy) { try visit.begin(MdocOffer(central: TestLink.central)) }
            visit.disconnect()
            try visit.begin(MdocOffer(central: TestLink.central))
            #expect(visit.told.last == .advertise(TestLink.central))
        }
    }

    @Test func everyStepHasLessPatienceAndEnoughOfIt() {
        var before = MdocTiming()
        for step in 0...5 as ClosedRange<UInt8> {
            let timing = MdocTiming().shortened(by: step)
            #expect(timing.opening <= before.opening && timing.answer <= before.answer && timing.response <= before.response)
            #expect(timing.quota >= before.quota)
            #expect(timing.opening >= 4_000 && timing.answer >= MdocTiming.leastAnswer && timing.response >= 40_000)
            #expect(timing.channel <= timing.opening)
            before = timing
        }
        #expect(before.opening == MdocTiming().shortened(by: MdocTiming.steps).opening)
    }

    @Test func aStrangersLinkHasLess() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(central: TestLink.central))
        visit.connect(asCentral: false, step: 3)
        expect(.noStart(.start), after: 4_000, visit)
    }
}

extension TestLink {
    /// So many octets of a message that goes on; in a channel its length comes first.
    func speak(part count: Int) {
        switch bearer {
        case .channel:
            let octets: [UInt8] = (spoken..<spoken + count).map { $0 == 1 ? 0x03 : $0 < 4 ? 0x00 : 7 }
            spoken += count
            receiveChannel(octets)
        case .client: receive(.serverToClient, [1] + [UInt8](repeating: 7, count: count - 1))
        case .server: receive(.clientToServer, [1] + [UInt8](repeating: 7, count: count - 1))
        }
    }
}
