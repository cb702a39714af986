import Bluetooth
import TestSupport
import Testing

@testable import MdocTransport

/// What a phone may not say, and what a radio may not tell: each is a drop with a name, or a failure (mdoc.md sections 2.1 to 2.5).
@Suite struct HostileLinkTests {
    static let bearers: [MdocBearer] = [.channel, .client, .server]
    static let gatt: [MdocBearer] = [.client, .server]

    private func incoming(_ bearer: MdocBearer) -> MdocCharacteristic { bearer == .server ? .clientToServer : .serverToClient }

    // MARK: State

    @Test func stateThatIsNeitherStartNorEndEndsTheVisitBeforeStart() throws {
        for value in [[], [0], [3], [1, 0], [0xFF], [UInt8](repeating: 1, count: 512)] as [[UInt8]] {
            let visit = TestLink()
            try visit.begin(MdocOffer(central: TestLink.central))
            visit.connect(asCentral: false)
            visit.receive(.state, value)
            #expect(visit.told.dropFirst() == [.failed(.wrongState), .disconnect, .ended(.failed)])
        }
    }

    @Test(arguments: gatt) func stateThatSaysAnythingElseInASessionIsDropped(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        for value in [[], [0], [3], [2, 2]] as [[UInt8]] { visit.receive(.state, value) }
        #expect(visit.count(.stateIgnored) == 4 && visit.isOpen)
        visit.receive(.state, [1])
        #expect(visit.count(.startTwice) == 1 && visit.isOpen)
    }

    @Test(arguments: gatt) func startInTheMiddleOfAnAnswerChangesNothing(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        let values = fragments(message(2_000), longest: 512)
        for (index, value) in values.enumerated() {
            if index == 2 { visit.receive(.state, [1]) }
            visit.receive(incoming(bearer), value)
        }
        #expect(visit.messages == [message(2_000)])
        #expect(visit.count(.startTwice) == 1)
    }

    @Test func endBeforeStartIsTheEnd() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(central: TestLink.central))
        visit.connect(asCentral: false)
        visit.receive(.state, [2])
        #expect(visit.failures == [.phoneEnded] && visit.end == .failed)
        let client = TestLink()
        try client.begin(MdocOffer(peripheral: TestLink.peripheral))
        client.meet()
        client.receive(.state, [2])
        #expect(client.failures == [.phoneEnded] && client.end == .failed)
    }

    @Test func stateOfAServerThatWasNotStartedIsDropped() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(peripheral: TestLink.peripheral))
        visit.meet()
        visit.receive(.state, [7])
        visit.receive(.state, [1])
        #expect(visit.count(.stateIgnored) == 1 && visit.count(.startTwice) == 1)
        visit.discover()
        #expect(visit.isOpen)
    }

    // MARK: values

    @Test(arguments: gatt) func whatIsNoFragmentEndsTheSession(_ bearer: MdocBearer) throws {
        let faults: [([UInt8], MessageFault)] = [
            ([], .emptyValue), ([2, 1], .header), ([0x80], .header), ([1] + [UInt8](repeating: 0, count: 512), .valueTooLong),
        ]
        for (value, fault) in faults {
            let visit = try TestLink.open(bearer)
            visit.receive(incoming(bearer), [1, 2, 3])
            visit.receive(incoming(bearer), value)
            #expect(visit.failures == [.malformed(fault)])
            #expect(visit.failure?.status == 11)
            #expect(visit.heard == [TestLink.request, TestLink.word])
            // What comes behind it is nothing.
            visit.receive(incoming(bearer), [0, 4])
            #expect(visit.count(.afterEnd) == 1 && visit.messages.isEmpty)
            visit.pass(milliseconds: 1_000)
            #expect(visit.told.suffix(2) == [.disconnect, .ended(.failed)])
        }
    }

    @Test(arguments: gatt) func fragmentsWithoutEndHaveABound(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        let value = [1] + [UInt8](repeating: 7, count: 511)
        var count = 0
        while visit.failures.isEmpty, count < 2_000 {
            visit.receive(incoming(bearer), value)
            count += 1
        }
        #expect(visit.failures == [.malformed(.messageTooLong)])
        #expect(count == MessageSize.longest / 511 + 1)
        #expect(visit.incoming[MessageSize.longest..<MessageSize.buffer].allSatisfy { $0 == 0 })
    }

    @Test(arguments: bearers) func messagesThatNobodyTakesHaveABound(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.takesMessages = false
        for _ in 0..<MessageBuffer.mostWaiting { visit.speak([]) }
        #expect(visit.failures.isEmpty)
        visit.speak([])
        #expect(visit.failures == [.malformed(.tooManyMessages)])
        #expect(visit.told.filter { $0 == .received(0) }.count == 1)
    }

    @Test(arguments: bearers) func aPhoneThatSpeaksBeforeItIsAskedIsNotListenedTo(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer, request: nil)
        visit.speak([1])
        #expect(visit.failures == [.unasked] && visit.messages.isEmpty)
        visit.pass(milliseconds: 1_000)
        #expect(visit.end == .failed)
    }

    @Test(arguments: bearers) func aPhoneThatSpeaksWhileTheRequestLeavesIsNotListenedTo(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer, request: nil)
        visit.isBusy = true
        try visit.send(TestLink.request)
        visit.speak([1])
        #expect(visit.failures == [.unasked])
    }

    @Test func aFragmentBeforeStartEndsTheVisit() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(central: TestLink.central))
        visit.connect(asCentral: false)
        visit.receive(.clientToServer, [0, 1])
        #expect(visit.told.dropFirst() == [.failed(.unasked), .disconnect, .ended(.failed)])
    }

    @Test func valuesOfTheOtherDirectionAreDropped() throws {
        let server = try TestLink.open(.server)
        for characteristic in [MdocCharacteristic.serverToClient, .ident] { server.receive(characteristic, [0, 1]) }
        #expect(server.count(.wrongCharacteristic) == 2 && server.isOpen)
        let client = try TestLink.open(.client)
        for characteristic in [MdocCharacteristic.clientToServer, .ident] { client.receive(characteristic, [0, 1]) }
        #expect(client.count(.wrongCharacteristic) == 2 && client.isOpen)
    }

    @Test func oneBearerAtATime() throws {
        let channel = try TestLink.open(.channel)
        for characteristic in [MdocCharacteristic.state, .serverToClient, .clientToServer] { channel.receive(characteristic, [2]) }
        #expect(channel.count(.wrongBearer) == 3 && channel.isOpen)
        for bearer in Self.gatt {
            let visit = try TestLink.open(bearer)
            visit.receiveChannel([0, 0, 0, 1, 7])
            visit.happens { $0.channelOpened(now: $1) }
            visit.happens { $0.channelClosed(now: $1) }
            visit.happens { $0.channelRefused(now: $1) }
            #expect(visit.count(.wrongBearer) == 1 && visit.count(.channelUnasked) == 3 && visit.isOpen)
        }
    }

    @Test(arguments: bearers) func nothingIsHeardWithoutALink(_ bearer: MdocBearer) throws {
        let visit = TestLink()
        visit.receive(.state, [1])
        visit.receive(.clientToServer, [0])
        visit.receiveChannel([0, 0, 0, 0])
        visit.happens { $0.mtuAgreed(100, now: $1) }
        #expect(visit.count(.withoutLink) == 4 && visit.told.isEmpty)
        try visit.begin(MdocOffer(peripheral: TestLink.peripheral, central: TestLink.central, spsm: 0x80), bearer)
        visit.forget()
        visit.receive(.state, [1])
        visit.receive(.clientToServer, [0])
        visit.receiveChannel([0, 0, 0, 0])
        #expect(visit.count(.withoutLink) == 3 && visit.told.isEmpty)
    }

    // MARK: the channel

    @Test func aLengthAboveTheBoundEndsTheSessionBeforeThereIsRoom() throws {
        let visit = try TestLink.open(.channel)
        visit.receiveChannel([0x00, 0x04, 0x00, 0x01])
        #expect(visit.failures == [.malformed(.messageTooLong)])
        #expect(visit.channelRoom == 0)
        #expect(visit.heard == [TestLink.request, TestLink.word])
        visit.receiveChannel([1, 2, 3])
        #expect(visit.count(.afterEnd) == 1)
    }

    @Test func octetsOfNoneAreNoProgress() throws {
        let visit = try TestLink.open(.channel)
        visit.receiveChannel([])
        visit.pass(milliseconds: 299_999)
        #expect(visit.failures.isEmpty)
    }

    @Test func roomFollowsWhatHasCome() throws {
        let visit = try TestLink.open(.channel)
        visit.takesMessages = false
        visit.receiveChannel(Array(stream(message(1_000)).prefix(504)))
        #expect(visit.channelRoom == MessageSize.buffer - 500)
        visit.receiveChannel(Array(stream(message(1_000)).dropFirst(504)))
        #expect(visit.channelRoom == MessageSize.buffer - 1_000)
        visit.take(1_000)
        #expect(visit.channelRoom == MessageSize.buffer)
    }

    // MARK: what a radio should not tell

    @Test func eventsThatNobodyWaitsForChangeNothing() throws {
        let visit = TestLink()
        visit.happens { $0.found(now: $1) }
        visit.happens { $0.notConnected(now: $1) }
        visit.happens { $0.disconnected(now: $1) }
        visit.happens { $0.channelOpened(now: $1) }
        visit.happens { $0.sent(7, now: $1) }
        visit.answer(.findService, .done)
        visit.happens { $0.subscribed(state: true, data: true, now: $1) }
        visit.happens { $0.expire(now: $1) }
        visit.gate { link, _ in link.release() }
        visit.gate { $0.stop(now: $1) }
        #expect(visit.told.isEmpty && visit.isIdle && visit.deadline == nil)
        #expect(visit.count(.foundUnasked) == 2 && visit.count(.linkUnexpected) == 1 && visit.count(.channelUnasked) == 1)
        #expect(visit.count(.sentUnasked) == 1 && visit.count(.answerUnasked) == 1)
    }

    @Test func aSecondLinkIsNone() throws {
        let visit = try TestLink.open(.server)
        visit.connect(asCentral: false)
        visit.connect(asCentral: true)
        #expect(visit.count(.linkUnexpected) == 2 && visit.isOpen)
    }

    @Test func answersToOtherStepsAreDropped() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(peripheral: TestLink.peripheral))
        visit.meet()
        visit.answer(.subscribeData, .done)
        visit.answer(.findService, .refused(1))
        visit.answer(.exchangeMTU, .done)
        visit.answer(.exchangeMTU, .done)
        #expect(visit.count(.answerUnasked) == 3)
        #expect(visit.told.suffix(2) == [.ask(.exchangeMTU), .ask(.findService)])
    }

    @Test func anMTUBelowTheLeastIsTheLeast() throws {
        let visit = try TestLink.open(.server, mtu: 0)
        #expect(visit.values(of: .notify(.serverToClient)).allSatisfy { $0.count <= 20 })
        #expect(visit.heard == [TestLink.request])
    }

    @Test func whoUnsubscribesIsSentNothing() throws {
        let visit = try TestLink.open(.server, request: nil)
        visit.happens { $0.subscribed(state: false, data: false, now: $1) }
        try visit.send(TestLink.request)
        #expect(visit.said.isEmpty)
        visit.happens { $0.subscribed(state: false, data: true, now: $1) }
        #expect(visit.heard == [TestLink.request])
    }
}
