import Testing

@testable import Bluetooth
@testable import MdocTransport

/// A phone that is the GATT client, before the gate's own attribute server: every octet goes through it.
final class ServedPhone {
    let visit: TestLink
    private var server: AttributeServer
    private let service: MdocService
    private var response = AttributePDU()
    static let ident = octets("8da0b7a85919f05673054ea996bbd124")

    init(timing: MdocTiming = MdocTiming()) throws {
        var table = AttributeTable()
        var service = MdocService()
        let octets = Self.ident
        let made = MdocIdent(octets.span)
        let ident = try #require(made)
        try table.addGenericAccess(name: [0x47].span, appearance: 0)
        try table.addGenericAttribute()
        try service.add(to: &table, service: TestLink.central, ident: ident)
        self.service = service
        server = AttributeServer(table: table)
        visit = TestLink(timing: timing, service: service)
    }

    /// What the server answers to a PDU; what follows from it is done.
    @discardableResult
    func ask(_ pdu: [UInt8]) -> [UInt8] {
        visit.link.advance(to: visit.now)
        let answer = answer(to: pdu)
        if pdu.first == 0x02 { visit.happens { [mtu = server.mtu] in $0.mtuAgreed(mtu, now: $1) } }
        let state = isSubscribed(.state), data = isSubscribed(.serverToClient)
        visit.happens { $0.subscribed(state: state, data: data, now: $1) }
        return answer
    }

    /// As `Host.isSubscribed`.
    private func isSubscribed(_ characteristic: MdocCharacteristic) -> Bool {
        let answer = answer(to: [0x0A] + handle(characteristic, 1))
        return answer.count == 3 && answer[1] & 1 == 1
    }

    private func answer(to pdu: [UInt8]) -> [UInt8] {
        response.removeAll()
        _ = server.receive(pdu.span, &visit.link, into: &response)
        return (0..<response.count).map { response.storage[$0] }
    }

    func handle(_ characteristic: MdocCharacteristic, _ behind: UInt16 = 0) -> [UInt8] {
        let handle = service.handle(characteristic) + behind
        return [UInt8(handle & 0xFF), UInt8(handle >> 8)]
    }

    /// The octets that the server makes of a value to notify.
    func notification(_ characteristic: MdocCharacteristic, _ value: [UInt8]) -> [UInt8] {
        var pdu = AttributePDU()
        _ = server.push(service.handle(characteristic), value.span, into: &pdu)
        return (0..<pdu.count).map { pdu.storage[$0] }
    }

    func write(_ characteristic: MdocCharacteristic, _ value: [UInt8], asRequest: Bool = false) {
        let answer = ask([asRequest ? 0x12 : 0x52] + handle(characteristic) + value)
        #expect(answer == (asRequest ? [0x13] : []))
    }

    func subscribe(_ characteristic: MdocCharacteristic) { #expect(ask([0x12] + handle(characteristic, 1) + [1, 0]) == [0x13]) }

    /// A phone that connects and agrees on an MTU.
    func connect(mtu: UInt16 = 515) throws {
        try visit.begin(MdocOffer(central: TestLink.central))
        visit.connect(asCentral: false)
        ask([0x02, UInt8(mtu & 0xFF), UInt8(mtu >> 8)])
    }
}
