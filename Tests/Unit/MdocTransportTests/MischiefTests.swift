import Testing

@testable import Bluetooth
@testable import MdocTransport

/// Every mischief as a script of events, over every bearer that it exists on: it works, or ends by its own failure.
@Suite struct MischiefTests {
    private static let answer = message(2_300)

    /// What the phone says in the end: of junk as much as of an answer.
    private static func spoken(_ mischief: Mischief) -> [UInt8] {
        switch mischief {
        case .junk_message: [UInt8](repeating: 0xFF, count: 2_300)
        case .tiny_fragments: message(300)
        default: answer
        }
    }

    private func expect(_ visit: TestLink, _ mischief: Mischief, _ failure: MdocLinkFailure?) {
        visit.pass(milliseconds: 1_000)
        #expect(visit.failures == (failure.map { [$0] } ?? []))
        #expect(visit.end == (failure == nil ? .complete : .failed))
        #expect(visit.messages == (failure == nil ? [Self.spoken(mischief)] : []))
        #expect(visit.isIdle && visit.deadline == nil)
        #expect(visit.incomingIsZero && visit.outgoingIsZero)
    }

    // MARK: the gate is the server

    @Test(arguments: Mischief.allCases.filter { $0.asCentral != nil }, [23, 185, 515, 517] as [UInt16])
    func whereTheGateIsTheServer(_ mischief: Mischief, _ mtu: UInt16) throws {
        let phone = try ServedPhone()
        let visit = phone.visit
        if mischief == .other_uuid {
            try visit.begin(MdocOffer(central: TestLink.central))
            visit.pass(milliseconds: 30_000)
        } else {
            try phone.connect(mtu: mtu)
            open(phone, mischief)
        }
        if visit.isOpen { converse(phone, mischief, longest: min(Int(mtu) - 3, 512)) }
        expect(visit, mischief, try #require(mischief.asCentral))
        #expect(visit.drops == (mischief == .start_twice ? 1 : visit.count(.afterEnd)))
    }

    private func open(_ phone: ServedPhone, _ mischief: Mischief) {
        let visit = phone.visit
        if mischief == .drop_connected {
            visit.disconnect()
            return visit.pass(milliseconds: 30_000)
        }
        if mischief != .ident_unread { #expect(phone.ask([0x0A] + phone.handle(.ident)).first == 0x0B) }
        if mischief != .start_first, mischief != .never_subscribe {
            phone.subscribe(.state)
            phone.subscribe(.serverToClient)
        }
        if mischief == .drop_before_start {
            visit.disconnect()
            return visit.pass(milliseconds: 30_000)
        }
        visit.isBusy = mischief == .drop_on_request
        switch mischief {
        case .never_start: visit.pass(milliseconds: 10_000)
        case .wrong_state: phone.write(.state, [0x03])
        case .empty_state: phone.write(.state, [])
        default: phone.write(.state, [0x01], asRequest: mischief == .write_request)
        }
        if mischief == .start_first {
            phone.subscribe(.serverToClient)
            phone.subscribe(.state)
        }
        if mischief == .never_subscribe { visit.pass(milliseconds: 10_000) }
    }

    private func converse(_ phone: ServedPhone, _ mischief: Mischief, longest: Int) {
        let visit = phone.visit
        switch mischief {
        case .drop_on_request, .drop_before_answer: visit.disconnect()
        case .state_end_early: phone.write(.state, [0x02])
        case .never_answer: visit.pass(milliseconds: 300_000)
        default:
            #expect(visit.heard == [TestLink.request])
            for act in mischief.acts(Self.spoken(mischief), longest: longest) where visit.isOpen {
                switch act {
                case .value(let value): phone.write(.clientToServer, value, asRequest: mischief == .write_request)
                case .start: phone.write(.state, [0x01])
                case .drop: visit.disconnect()
                }
                if mischief == .tiny_fragments { visit.pass(milliseconds: 100) }
            }
            if mischief == .no_last { visit.pass(milliseconds: 10_000) }
        }
    }

    // MARK: the gate is the client

    @Test(arguments: Mischief.allCases.filter { $0.asPeripheral != nil }, [23, 185, 515, 517] as [UInt16])
    func whereTheGateIsTheClient(_ mischief: Mischief, _ mtu: UInt16) throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(peripheral: TestLink.peripheral))
        meet(visit, mischief)
        if !visit.isIdle {
            visit.isBusy = mischief == .drop_on_request
            visit.answer(.exchangeMTU, .mtu(mtu))
            visit.answer(.findService, mischief == .no_service ? .notFound : .done)
            visit.answer(.findCharacteristics, mischief == .no_characteristic ? .notFound : .done)
            for step in [MdocStep.findConfigurations, .subscribeState, .subscribeData] { visit.answer(step, .done) }
        }
        if mischief == .drop_on_request {
            // Start leaves, and nothing behind it.
            visit.isBusy = false
            visit.request = nil
            visit.pump()
        }
        if visit.isOpen { converse(visit, mischief, longest: min(Int(mtu) - 3, 512)) }
        expect(visit, mischief, try #require(mischief.asPeripheral))
    }

    private func meet(_ visit: TestLink, _ mischief: Mischief) {
        switch mischief {
        case .other_uuid: visit.pass(milliseconds: 30_000)
        case .drop_connected:
            for _ in 0..<3 {
                visit.meet()
                visit.disconnect()
            }
        case .late_advertising:
            visit.pass(milliseconds: 3_000)
            visit.meet()
        default: visit.meet()
        }
    }

    private func converse(_ visit: TestLink, _ mischief: Mischief, longest: Int) {
        switch mischief {
        case .drop_on_request, .drop_before_answer: visit.disconnect()
        case .state_end_early: visit.receive(.state, [0x02])
        case .never_answer: visit.pass(milliseconds: 300_000)
        default:
            #expect(visit.heard == [TestLink.request])
            for act in mischief.acts(Self.spoken(mischief), longest: longest) where visit.isOpen {
                switch act {
                case .value(let value): visit.receive(.serverToClient, value)
                case .start: visit.receive(.state, [0x01])
                case .drop: visit.disconnect()
                }
                if mischief == .tiny_fragments { visit.pass(milliseconds: 100) }
            }
            if mischief == .no_last { visit.pass(milliseconds: 10_000) }
        }
    }

    // MARK: the channel

    @Test(arguments: Mischief.allCases.filter { $0.overChannel != nil })
    func overAChannel(_ mischief: Mischief) throws {
        let visit = TestLink()
        try visit.begin(MdocOffer(peripheral: TestLink.peripheral, spsm: 0x00C1))
        meet(visit, mischief)
        visit.isBusy = mischief == .drop_on_request
        if !visit.isIdle { visit.happens { $0.channelOpened(now: $1) } }
        if visit.isOpen { converse(visit, mischief) }
        expect(visit, mischief, try #require(mischief.overChannel))
    }

    private func converse(_ visit: TestLink, _ mischief: Mischief) {
        let octets = stream(Self.spoken(mischief))
        switch mischief {
        case .drop_on_request, .drop_before_answer: visit.disconnect()
        case .state_end_early: visit.happens { $0.channelClosed(now: $1) }
        case .never_answer: visit.pass(milliseconds: 300_000)
        case .drop_in_answer:
            visit.receiveChannel(Array(octets.prefix(octets.count / 2)))
            visit.disconnect()
        case .l2cap_huge: visit.receiveChannel([0xFF, 0xFF, 0xFF, 0xFF] + Self.answer)
        case .l2cap_split:
            visit.receiveChannel(Array(octets[..<2]))
            visit.receiveChannel(Array(octets[2..<4]))
            visit.receiveChannel(Array(octets[4...]))
        default: visit.receiveChannel(octets)
        }
    }
}
