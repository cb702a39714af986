import Bluetooth
import TestSupport
import Testing

@testable import MdocTransport

/// Any events in any order: nothing traps, nothing is told for ever, and without a link every visit comes to its end.
@Suite struct RandomEventTests {
    @Test(arguments: 0..<40 as Range<UInt64>) func anythingMayHappen(_ seed: UInt64) throws {
        var random = SeededRandom(seed: 0x6D64_6F63 &+ seed)
        let visit = TestLink(incoming: seed % 2 == 0 ? MessageSize.buffer : 2_000)
        for _ in 0..<1_500 { step(visit, &random) }
        visit.isBusy = false
        visit.obeysDisconnect = true
        if visit.isLinkUp { visit.disconnect() }
        visit.pass(milliseconds: 400_000)
        if visit.isLinkUp { visit.disconnect() }
        #expect(visit.isIdle && visit.deadline == nil)
        visit.gate { link, _ in link.reset() }
        #expect(visit.incomingIsZero && visit.outgoingIsZero)
    }

    private func step(_ visit: TestLink, _ random: inout SeededRandom) {
        switch Int.random(in: 0..<24, using: &random) {
        case 0, 1: begin(visit, &random)
        case 2, 3: visit.happens { $0.found(now: $1) }
        case 4: visit.happens { $0.notConnected(now: $1) }
        case 5, 6, 7: if !visit.isLinkUp { visit.connect(asCentral: visit.bearer.isCentral == (random.next() % 8 != 0)) }
        case 8: if random.next() % 4 == 0, visit.isLinkUp { visit.disconnect() }
        case 9, 10: visit.receive(.state, random.next() % 8 == 0 ? random.bytes(Int(random.next() % 3)) : [1])
        case 11: visit.happens { [yes = random.next() % 8 != 0] in $0.subscribed(state: yes, data: yes, now: $1) }
        case 12, 13: visit.discover(mtu: UInt16(truncatingIfNeeded: random.next()))
        case 14: visit.happens { $0.channelOpened(now: $1) }
        case 15: if random.next() % 4 == 0 { visit.happens { $0.channelRefused(now: $1) } }
        case 16: if random.next() % 8 == 0 { visit.happens { $0.channelClosed(now: $1) } }
        case 17: visit.speak(message(Int(random.next() % 3_000)))
        case 18: visit.receive(.init(rawValue: UInt8(random.next() % 4)) ?? .state, random.bytes(Int(random.next() % 600)))
        case 19: visit.receiveChannel(random.bytes(Int(random.next() % 600)))
        case 20: visit.pass(milliseconds: 1 << (random.next() % 16))
        case 21: try? visit.send(message(Int(random.next() % 2_000)))
        case 22: finish(visit, &random)
        default:
            visit.isBusy = random.next() % 4 == 0
            visit.takesMessages = random.next() % 4 != 0
            visit.endsAfterMessage = random.next() % 2 == 0
            visit.channelTakes = Int(1 + random.next() % 600)
            visit.pump()
        }
    }

    private func begin(_ visit: TestLink, _ random: inout SeededRandom) {
        let offer = MdocOffer(
            peripheral: random.next() % 3 != 0 ? TestLink.peripheral : nil, central: random.next() % 3 != 0 ? TestLink.central : nil,
            spsm: random.next() % 2 == 0 ? 0x0080 : nil)
        let first = MdocBearer(rawValue: UInt8(random.next() % 3)) ?? .server
        try? visit.begin(offer, first, canConnect: random.next() % 8 != 0, canAdvertise: random.next() % 8 != 0)
    }

    private func finish(_ visit: TestLink, _ random: inout SeededRandom) {
        switch random.next() % 12 {
        case 0: visit.gate { $0.stop(now: $1) }
        case 1: try? visit.gate { link, now in try link.end(now: now) }
        case 2: try? visit.gate { link, now in try link.leave(now: now) }
        case 3: try? visit.end(saying: TestLink.word)
        case 4: visit.gate { link, _ in link.reset() }
        default: break
        }
    }
}
