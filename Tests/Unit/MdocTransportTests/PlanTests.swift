import Bluetooth
import Testing

@testable import MdocTransport

/// Which bearer is tried, and which one after it (mdoc.md section 1.2).
@Suite struct PlanTests {
    private static let both = MdocOffer(peripheral: TestLink.peripheral, central: TestLink.central, spsm: 0x0081)

    private func plan(_ offer: MdocOffer, _ first: MdocBearer, canConnect: Bool = true, canAdvertise: Bool = true) -> [MdocBearer]? {
        MdocPlan(offer, MdocPreference(first: first, canConnect: canConnect, canAdvertise: canAdvertise)).map { plan in
            [plan.first] + (plan.second.map { [$0] } ?? [])
        }
    }

    @Test func everythingOffered() {
        #expect(plan(Self.both, .channel) == [.channel, .server])
        #expect(plan(Self.both, .client) == [.client, .server])
        #expect(plan(Self.both, .server) == [.server, .client])
    }

    @Test func withoutAChannel() {
        let offer = MdocOffer(peripheral: TestLink.peripheral, central: TestLink.central)
        #expect(plan(offer, .channel) == [.client, .server])
        #expect(plan(offer, .client) == [.client, .server])
        #expect(plan(offer, .server) == [.server, .client])
    }

    @Test func onlyOneOfTheTwoModes() {
        for first in [MdocBearer.channel, .client, .server] {
            #expect(plan(MdocOffer(central: TestLink.central), first) == [.server])
            #expect(plan(MdocOffer(peripheral: TestLink.peripheral), first) == [.client])
            #expect(plan(MdocOffer(central: TestLink.central, spsm: 0x0081), first) == [.server])
            #expect(plan(MdocOffer(spsm: 0x0081), first) == nil)
            #expect(plan(MdocOffer(), first) == nil)
        }
        #expect(plan(MdocOffer(peripheral: TestLink.peripheral, spsm: 0x00FF), .channel) == [.channel])
    }

    @Test func whatTheControllerCannotDo() {
        for first in [MdocBearer.channel, .client, .server] {
            #expect(plan(Self.both, first, canConnect: false) == [.server])
            #expect(plan(Self.both, first, canConnect: false, canAdvertise: false) == nil)
            #expect(plan(MdocOffer(peripheral: TestLink.peripheral), first, canConnect: false) == nil)
            #expect(plan(MdocOffer(central: TestLink.central), first, canAdvertise: false) == nil)
        }
        #expect(plan(Self.both, .server, canAdvertise: false) == [.client])
    }

    @Test func anSPSMThatNoAppCanHaveIsNone() {
        for spsm in [0x0000, 0x0025, 0x007F, 0x0100, 0xFFFF] as [UInt16] {
            #expect(plan(MdocOffer(peripheral: TestLink.peripheral, spsm: spsm), .channel) == [.client])
        }
        for spsm in [0x0080, 0x00FF] as [UInt16] {
            #expect(plan(MdocOffer(peripheral: TestLink.peripheral, spsm: spsm), .channel) == [.channel])
        }
    }

    @Test func nothingInCommonIsSaidAtOnce() throws {
        let visit = TestLink()
        #expect(throws: MdocLinkRefusal.noUsableBearer) { try visit.begin(MdocOffer()) }
        #expect(visit.isIdle && visit.told.isEmpty && visit.deadline == nil)
    }
}
