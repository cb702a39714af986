import Bluetooth
import Testing

@testable import MdocTransport

/// From a link to where messages may go (mdoc.md sections 2.1, 2.3 and 2.4).
@Suite struct OpeningTests {
    // MARK: the gate is the server

    @Test func startAndSubscriptionComeInAnyOrder() throws {
        for isStartFirst in [false, true] {
            let visit = TestLink()
            try visit.begin(MdocOffer(central: TestLink.central))
            visit.connect(asCentral: false)
            if isStartFirst { visit.receive(.state, [1]) } else { visit.happens { $0.subscribed(state: false, data: true, now: $1) } }
            #expect(!visit.isOpen && visit.said.isEmpty)
            if isStartFirst { visit.happens { $0.subscribed(state: false, data: true, now: $1) } } else { visit.receive(.state, [1]) }
            #expect(visit.isOpen && visit.told.last == .opened(.server))
            #expect(visit.drops == 0)
        }
    }

    @Test func aSubscriptionToStateIsNotRequiredAndNotEnough() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(central: TestLink.central))
        visit.connect(asCentral: false)
        visit.receive(.state, [1])
        visit.happens { $0.subscribed(state: true, data: false, now: $1) }
        #expect(!visit.isOpen)
    }

    // MARK: the gate is the client

    @Test func aClientAsksOneThingAfterTheOther() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(peripheral: TestLink.peripheral))
        visit.meet()
        visit.discover()
        let steps: [MdocStep] = [.exchangeMTU, .findService, .findCharacteristics, .findConfigurations, .subscribeState, .subscribeData]
        #expect(Array(visit.told.dropFirst(2)) == steps.map { .ask($0) } + [.opened(.client)])
        #expect(visit.said.first == TestLink.Said(command: .write(.state), octets: [0x01]))
        #expect(visit.heard == [TestLink.request])
    }

    @Test func aPhoneWithoutExchangeMTUIsServedAtTheLeastOne() throws {
        for answer in [MdocAnswer.refused(0x06), .notFound, .done] {
            let visit = TestLink()
            try visit.begin(MdocOffer(peripheral: TestLink.peripheral))
            visit.meet()
            visit.answer(.exchangeMTU, answer)
            for step in [MdocStep.findService, .findCharacteristics, .findConfigurations, .subscribeState, .subscribeData] {
                visit.answer(step, .done)
            }
            #expect(visit.isOpen)
            #expect(visit.values(of: .write(.clientToServer)).allSatisfy { $0.count <= 20 })
            #expect(visit.heard == [TestLink.request])
        }
    }

    @Test func configurationsThatAreNotThereAreDoneWithout() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(peripheral: TestLink.peripheral))
        visit.meet()
        visit.answer(.exchangeMTU, .mtu(100))
        visit.answer(.findService, .done)
        visit.answer(.findCharacteristics, .done)
        for step in [MdocStep.findConfigurations, .subscribeState, .subscribeData] { visit.answer(step, .notFound) }
        #expect(visit.isOpen)
    }

    @Test func whatAPhoneDoesNotHaveEndsTheVisitByItsStep() throws {
        let steps: [MdocStep] = [.exchangeMTU, .findService, .findCharacteristics, .findConfigurations, .subscribeState, .subscribeData]
        for (index, step) in steps.enumerated() {
            let answers: [(MdocAnswer, MdocLinkFailure)] = [
                (.refused(0x0F), .refused(step, 0x0F)), (.notFound, .refused(step, 0x0A)), (.malformed, .answerMalformed(step)),
                (.timedOut, .noStart(step)),
            ]
            for (answer, failure) in answers {
                if step == .exchangeMTU, answer == .refused(0x0F) || answer == .notFound { continue }
                if index >= 3, answer == .notFound { continue }
                let visit = TestLink()
                try visit.begin(MdocOffer(peripheral: TestLink.peripheral))
                visit.meet()
                for earlier in steps[..<index] { visit.answer(earlier, .done) }
                visit.answer(step, answer)
                #expect(visit.failures == [failure])
                #expect(visit.told.suffix(2) == [.disconnect, .ended(.failed)])
                #expect(visit.said.isEmpty)
            }
        }
    }

    // MARK: the channel

    @Test func aChannelIsOpenAtOnce() throws {
        let visit = try TestLink.open(.channel)
        #expect(visit.told == [.scan(TestLink.peripheral), .connect, .openChannel(0x00C1), .opened(.channel)])
        #expect(visit.heard == [TestLink.request])
        #expect(visit.channelRoom == MessageSize.buffer)
    }

    @Test func withoutAChannelTheClientBeginsOnTheSameLink() throws {
        for isRefused in [true, false] {
            let visit = TestLink()
            try visit.begin(MdocOffer(peripheral: TestLink.peripheral, spsm: 0x0080))
            visit.meet()
            if isRefused { visit.happens { $0.channelRefused(now: $1) } } else { visit.pass(milliseconds: 5_000) }
            #expect(visit.told.suffix(2) == [.openChannel(0x0080), .ask(.exchangeMTU)])
            #expect(visit.channelRoom == 0)
            // The client has all its time.
            visit.pass(milliseconds: 9_000)
            visit.discover()
            #expect(visit.told.last == .opened(.client))
        }
    }

    @Test func aChannelThatOpensLateIsTakenAsLongAsStateHasNotSaidStart() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(peripheral: TestLink.peripheral, spsm: 0x0080))
        visit.meet()
        visit.pass(milliseconds: 5_000)
        visit.answer(.exchangeMTU, .mtu(515))
        visit.happens { $0.channelOpened(now: $1) }
        #expect(visit.told.last == .opened(.channel))
        #expect(visit.heard == [TestLink.request])
        visit.answer(.findService, .done)
        #expect(visit.count(.answerUnasked) == 1)
    }

    @Test func aChannelThatOpensInASessionIsNotLookedAt() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(peripheral: TestLink.peripheral, spsm: 0x0080))
        visit.meet()
        visit.happens { $0.channelRefused(now: $1) }
        visit.discover()
        visit.happens { $0.channelOpened(now: $1) }
        #expect(visit.bearer == .client && visit.count(.channelUnasked) == 1)
    }

    @Test func aChannelThatIsClosedAtOnceIsARefusal() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(peripheral: TestLink.peripheral, spsm: 0x0080))
        visit.meet()
        visit.happens { $0.channelClosed(now: $1) }
        #expect(visit.told.last == .ask(.exchangeMTU))
    }

    // MARK: values

    @Test(arguments: [MdocBearer.client, .server], [23, 185, 515, 517] as [UInt16])
    func aRequestLeavesInValuesOfTheLinksMTU(_ bearer: MdocBearer, _ mtu: UInt16) throws {
        let visit = try TestLink.open(bearer, mtu: mtu)
        let values = visit.values(of: bearer == .server ? .notify(.serverToClient) : .write(.clientToServer))
        #expect(values == fragments(TestLink.request, longest: min(Int(mtu) - 3, 512)))
    }

    @Test func aBusyRadioIsOfferedTheSameAgain() throws {
        let visit = try TestLink.open(.server, request: nil)
        visit.isBusy = true
        try visit.send(TestLink.request)
        #expect(visit.said.isEmpty)
        visit.isBusy = false
        visit.pump()
        #expect(visit.heard == [TestLink.request])
    }

    @Test func aChannelTakesAsMuchAsItHasCreditsFor() throws {
        let visit = try TestLink.open(.channel, request: nil)
        visit.channelTakes = 3
        try visit.send(TestLink.request)
        #expect(visit.heard == [TestLink.request])
        #expect(visit.said.allSatisfy { $0.octets.count <= 3 })
    }
}
