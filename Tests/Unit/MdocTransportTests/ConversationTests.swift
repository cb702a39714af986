import Bluetooth
import Testing

@testable import MdocTransport

/// Requests, answers and ends (mdoc.md section 2.5).
@Suite struct ConversationTests {
    static let bearers: [MdocBearer] = [.channel, .client, .server]

    @Test(arguments: bearers) func aVisitFromTheRequestToTheEnd(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.pass(milliseconds: 42_000)
        visit.speak(message(5_000))
        #expect(visit.messages == [message(5_000)])
        #expect(visit.heard == [TestLink.request, TestLink.word])
        // The phone shows an error where it is cut off at once.
        #expect(!visit.told.contains(.disconnect))
        visit.pass(milliseconds: 999)
        #expect(!visit.told.contains(.disconnect))
        visit.pass(milliseconds: 1)
        #expect(visit.told.suffix(3) == [.received(5_000), .disconnect, .ended(.complete)])
        #expect(visit.isIdle && visit.deadline == nil && visit.drops == 0)
        #expect(visit.incomingIsZero && visit.outgoingIsZero)
    }

    @Test(arguments: bearers) func aPhoneThatLeavesAfterItsAnswerHasDoneAll(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.endsAfterMessage = false
        visit.speak(message(100))
        visit.disconnect()
        #expect(visit.end == .complete && visit.failures.isEmpty)
    }

    @Test(arguments: bearers) func aPhoneThatLeavesBeforeItsAnswerIsWholeIsLost(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        switch bearer {
        case .channel: visit.receiveChannel(Array(stream(message(100)).prefix(50)))
        case .client: visit.receive(.serverToClient, [1, 2, 3])
        case .server: visit.receive(.clientToServer, [1, 2, 3])
        }
        visit.disconnect()
        #expect(visit.failures == [.linkLost] && visit.end == .failed)
    }

    /// An app that answers with data and says the end in a message of its own.
    @Test(arguments: bearers) func aStatusBehindAnAnswerIsNotLost(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.takesMessages = false
        visit.speak(message(3_000))
        visit.speak(TestLink.word)
        #expect(visit.told.last == .received(3_000))
        visit.take(3_000)
        visit.pump()
        #expect(visit.told.last == .received(9))
        visit.take(9)
        visit.pump()
        #expect(visit.messages == [message(3_000), TestLink.word])
        #expect(visit.drops == 0)
    }

    @Test func twoMessagesInTheSameOctetsAreTwo() throws {
        let visit = try TestLink.open(.channel)
        visit.endsAfterMessage = false
        visit.receiveChannel(stream(message(40)) + stream(TestLink.word) + [0, 0])
        #expect(visit.messages == [message(40), TestLink.word])
        // What has begun behind them is waited for no longer than any other.
        visit.pass(milliseconds: 5_000)
        #expect(visit.end == .complete)
    }

    @Test(arguments: bearers) func aSecondRequestGoesOnceTheFirstIsAnswered(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.endsAfterMessage = false
        #expect(throws: MdocLinkRefusal.busy) { try visit.send([1]) }
        visit.speak(message(100))
        try visit.send(message(60))
        #expect(visit.heard == [TestLink.request, message(60)])
        #expect(throws: MdocLinkRefusal.busy) { try visit.send([1]) }
        // A person decides once more.
        visit.pass(milliseconds: 200_000)
        visit.speak(message(200))
        #expect(visit.messages == [message(100), message(200)])
        visit.disconnect()
        #expect(visit.end == .complete)
    }

    @Test func aStatusThatCrossesTheSecondRequestIsHeard() throws {
        let visit = try TestLink.open(.server)
        visit.endsAfterMessage = false
        visit.speak(message(100))
        visit.isBusy = true
        try visit.send(message(60))
        visit.speak(TestLink.word)
        #expect(visit.messages == [message(100), TestLink.word])
    }

    @Test func aRequestThatIsTooLongIsRefusedAndNothingIsChanged() throws {
        let visit = try TestLink.open(.server, request: nil)
        #expect(throws: MdocLinkRefusal.tooLong) { try visit.send(message(MessageSize.longestRequest + 1)) }
        try visit.send(message(MessageSize.longestRequest))
        #expect(visit.heard == [message(MessageSize.longestRequest)])
    }

    @Test func nothingIsSentWhereNoSessionIsOpen() throws {
        let visit = TestLink()
        #expect(throws: MdocLinkRefusal.notOpen) { try visit.send([1]) }
        #expect(throws: MdocLinkRefusal.notOpen) { try visit.end(saying: [1]) }
        try visit.begin(MdocOffer(central: TestLink.central))
        visit.connect(asCentral: false)
        #expect(throws: MdocLinkRefusal.notOpen) { try visit.send([1]) }
        #expect(throws: MdocLinkRefusal.notOpen) { try visit.gate { link, now in try link.end(now: now) } }
        #expect(throws: MdocLinkRefusal.notOpen) { try visit.gate { link, now in try link.leave(now: now) } }
    }

    // MARK: ends

    @Test(arguments: bearers) func anEndWithoutAMessageIsSaidByState(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.forget()
        try visit.gate { link, now in try link.end(now: now) }
        switch bearer {
        case .channel: #expect(visit.said.isEmpty)
        case .client: #expect(visit.said == [TestLink.Said(command: .write(.state), octets: [0x02])])
        case .server: #expect(visit.said == [TestLink.Said(command: .notify(.state), octets: [0x02])])
        }
        visit.pass(milliseconds: 1_000)
        #expect(visit.told == [.disconnect, .ended(.stopped)])
    }

    @Test func aPhoneThatDoesNotListenToStateIsOnlyLeft() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(central: TestLink.central))
        visit.connect(asCentral: false)
        visit.receive(.state, [1])
        visit.happens { $0.subscribed(state: false, data: true, now: $1) }
        visit.forget()
        try visit.gate { link, now in try link.end(now: now) }
        #expect(visit.said.isEmpty)
        visit.pass(milliseconds: 1_000)
        #expect(visit.end == .stopped)
    }

    @Test(arguments: bearers) func whoHasSaidTheEndIsGivenAMoment(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.endsAfterMessage = false
        visit.speak(message(10))
        visit.forget()
        try visit.gate { link, now in try link.leave(now: now) }
        #expect(visit.said.isEmpty && visit.told.isEmpty)
        visit.disconnect()
        #expect(visit.told == [.ended(.complete)])
    }

    @Test func stateEndAfterAnAnswerIsTheEnd() throws {
        for bearer in [MdocBearer.client, .server] {
            let visit = try TestLink.open(bearer)
            visit.endsAfterMessage = false
            visit.speak(message(10))
            visit.receive(.state, [0x02])
            #expect(visit.told.suffix(2) == [.disconnect, .ended(.complete)])
        }
    }

    @Test func stateEndBeforeAnAnswerIsARefusal() throws {
        for bearer in [MdocBearer.client, .server] {
            let visit = try TestLink.open(bearer)
            visit.receive(.state, [0x02])
            #expect(visit.told.suffix(3) == [.failed(.phoneEnded), .disconnect, .ended(.failed)])
            #expect(visit.heard == [TestLink.request])
        }
    }

    @Test func aChannelThatIsClosedIsAnEnd() throws {
        for hasAnswer in [false, true] {
            let visit = try TestLink.open(.channel)
            visit.endsAfterMessage = false
            if hasAnswer { visit.speak(message(10)) }
            visit.happens { $0.channelClosed(now: $1) }
            #expect(visit.failures == (hasAnswer ? [] : [.phoneEnded]))
            #expect(visit.told.suffix(2) == [.disconnect, .ended(hasAnswer ? .complete : .failed)])
        }
    }

    @Test(arguments: bearers) func theLastWordWaitsForARequestThatHasBegunToLeave(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer, mtu: 23, request: nil)
        visit.forget()
        var value = AttributeValue()
        let request = TestLink.request
        try visit.link.send(request.span, now: visit.now)
        // One value leaves, and no more.
        var begun: [UInt8] = []
        if visit.link.next(into: &value, maySend: true) != nil { begun = (0..<value.count).map { value.storage[$0] } }
        visit.link.sent(begun.count, now: visit.now)
        try visit.end(saying: TestLink.word)
        let whole = begun + visit.said.flatMap(\.octets)
        switch bearer {
        case .channel: #expect(whole == stream(TestLink.request) + stream(TestLink.word))
        default:
            #expect(whole == fragments(TestLink.request, longest: 20).flatMap { $0 } + [0x00] + TestLink.word)
        }
        visit.pass(milliseconds: 1_000)
        #expect(visit.end == .stopped)
    }

    @Test(arguments: bearers) func aRequestOfWhichNothingHasLeftIsNotSentAnyMore(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer, request: nil)
        visit.isBusy = true
        try visit.send(TestLink.request)
        try visit.end(saying: TestLink.word)
        visit.isBusy = false
        visit.pump()
        #expect(visit.heard == [TestLink.word])
    }

    @Test func aLastWordIsShort() throws {
        let visit = try TestLink.open(.server)
        #expect(throws: MdocLinkRefusal.tooLong) { try visit.end(saying: message(MessageSize.longestWord + 1)) }
        #expect(visit.isOpen)
        try visit.end(saying: message(MessageSize.longestWord))
        #expect(!visit.isOpen)
        #expect(throws: MdocLinkRefusal.notOpen) { try visit.end(saying: TestLink.word) }
    }

    @Test(arguments: bearers) func stoppingTellsThePhone(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.gate { $0.stop(now: $1) }
        visit.pass(milliseconds: 1_000)
        #expect(visit.end == .stopped && visit.failures.isEmpty)
    }

    @Test func stoppingALinkThatOpensEndsIt() throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(central: TestLink.central))
        visit.connect(asCentral: false)
        visit.gate { $0.stop(now: $1) }
        #expect(visit.told.suffix(2) == [.disconnect, .ended(.stopped)])
    }

    @Test(arguments: bearers) func aResetLeavesNothing(_ bearer: MdocBearer) throws {
        let visit = try TestLink.open(bearer)
        visit.takesMessages = false
        visit.speak(message(600))
        visit.forget()
        visit.gate { link, _ in link.reset() }
        #expect(visit.told == [.disconnect])
        #expect(visit.incomingIsZero && visit.outgoingIsZero && visit.isIdle && visit.deadline == nil)
        try visit.begin(MdocOffer(central: TestLink.central))
        #expect(visit.told.last == .advertise(TestLink.central))
    }
}
