import Bluetooth
import RadioTestSupport

@testable import AriesTransport

/// A gate's host with a link behind it, and a wallet of octets: everything goes through HCI, L2CAP and ATT.
final class GateOnAir {
    static let service = UUID(high: 0x1011_1213_1415_4617, low: 0x9819_1A1B_1C1D_1E1F)
    private static let handle: UInt16 = 0x0041

    private var host: Host
    private var link: AriesLink
    private let hostStorage = UnsafeMutablePointer<HostStorage>.allocate(capacity: 1)
    private let linkStorage = UnsafeMutablePointer<AriesLinkStorage>.allocate(capacity: 1)
    let incoming: UnsafeMutableRawBufferPointer
    let outgoing: UnsafeMutableRawBufferPointer
    let controller = AirController(dataLength: 27)
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    private var frame = PacketFrame()
    private var value = AttributeValue()
    private var partial: [UInt8] = []

    /// What the link told.
    var events: [AriesEvent] = []
    /// ATT PDUs from the gate that are no indications.
    private var responses: [[UInt8]] = []
    /// Values indicated.
    var indicated: [[UInt8]] = []
    /// The wallet confirms each indication at once.
    var confirms = true
    /// Octets of an ACL packet to the gate.
    var fragment = 251

    init(room: Int = PieceSize.longest, timing: AriesTiming = AriesTiming()) {
        incoming = .allocate(byteCount: room, alignment: 16)
        outgoing = .allocate(byteCount: AriesLink.longestOutgoing, alignment: 16)
        incoming.initializeMemory(as: UInt8.self, repeating: 0)
        outgoing.initializeMemory(as: UInt8.self, repeating: 0)
        hostStorage.initialize(to: HostStorage())
        linkStorage.initialize(to: AriesLinkStorage())
        var table = AttributeTable()
        do throws(AttributeTableError) {
            try table.addGenericAccess(name: [0x47].span, appearance: 0)
            try table.addGenericAttribute()
            try AriesService.add(to: &table, service: Self.service)
        } catch { fatalError("\(error)") }
        host = Host(storage: hostStorage, table: table)
        link = AriesLink(storage: linkStorage, incoming: incoming, outgoing: outgoing, timing: timing)
        host.open(now: now)
        move()
    }

    deinit {
        hostStorage.deinitialize(count: 1)
        hostStorage.deallocate()
        linkStorage.deinitialize(count: 1)
        linkStorage.deallocate()
        incoming.deallocate()
        outgoing.deallocate()
    }

    // MARK: the gate

    func begin(_ invitation: [UInt8]) throws { try link.begin(invitation.span, now: now) }

    @discardableResult
    func answer(_ message: [UInt8]) -> Bool {
        defer { move() }
        return link.answer(message.span, now: now)
    }

    @discardableResult
    func close() -> Bool {
        defer { move() }
        return link.close(now: now)
    }

    @discardableResult
    func stop() -> Bool {
        defer { move() }
        return link.stop(now: now)
    }

    func reset() { link.reset() }
    var message: [UInt8]? { link.withMessage { octets in octets.indices.map { octets[$0] } } }
    var received: Int { link.received }
    var pieces: Int { link.pieces }
    var missed: AriesDeadline? { link.missed }
    var deadline: Instant? { link.deadline }
    var isIdle: Bool { link.isIdle }
    var isWaiting: Bool { link.isWaiting }
    var isReceiving: Bool { link.isReceiving }
    var isJudging: Bool { link.isJudging }
    var drops: DropCounters { host.counters }
    func count(of drop: AriesDrop) -> UInt32 { link.count(of: drop) }

    /// Moves what there is to move, as a gate's loop does.
    func move() {
        for _ in 0..<100_000 {
            var hasMoved = false
            while let packet = controller.next() {
                hasMoved = true
                link.advance(to: now)
                let event = host.receive(packet.span, now: now, to: &link)
                if let event { link.take(event, of: host, shortenedBy: step, now: now) }
                while event == .connected, let early = host.receiveEarlyData(now: now, to: &link) {
                    link.take(early, of: host, now: now)
                }
                drain()
            }
            drain()
            while host.next(into: &frame, now: now) {
                hasMoved = true
                hear((0..<frame.count).map { frame.storage[$0] })
            }
            if !hasMoved { return }
        }
        fatalError("the gate never falls silent")
    }

    /// By which the deadlines of the next link are shortened.
    var step: UInt8 = 0

    private func drain() {
        while let event = link.nextEvent() {
            events.append(event)
            if event == .disconnectNow { host.disconnect(now: now) }
            if event == .wantsSpeed { host.beginTransfer(now: now) }
        }
        link.pump(to: &host, value: &value, now: now)
    }

    /// Lets time pass, deadline by deadline.
    func pass(milliseconds: UInt64) {
        let end = now.adding(milliseconds: milliseconds)
        for _ in 0..<10_000 {
            guard let due = Instant.earliest(host.deadline, link.deadline), due <= end else { break }
            now = max(now, due)
            if let event = host.expire(now: now) { link.take(event, of: host, now: now) }
            link.expire(now: now)
            move()
        }
        now = end
    }

    // MARK: the wallet

    /// - Parameter interval: of the connection, in units of 1.25 ms.
    func connect(interval: UInt16 = 24) {
        let head: [UInt8] = [0x04, 0x3E, 19, 0x01, 0, UInt8(Self.handle), 0, 1, 1, 6, 5, 4, 3, 2, 0x41]
        controller.toHost.append(head + [UInt8(interval & 0xFF), UInt8(interval >> 8), 0, 0, 0x48, 0, 0])
        move()
    }

    func leave() {
        controller.toHost.append([0x04, 0x05, 4, 0, UInt8(Self.handle), 0, 0x13])
        move()
    }

    /// Sends an ATT PDU and returns what came back; nil where nothing did.
    @discardableResult
    func ask(_ pdu: [UInt8]) -> [UInt8]? {
        responses = []
        say(pdu)
        move()
        return responses.last
    }

    /// What came back since the last question.
    var response: [UInt8]? { responses.last }

    /// Sends an ATT PDU, in fragments.
    func say(_ pdu: [UInt8]) {
        let whole = [UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8), 0x04, 0x00] + pdu
        var start = 0
        while start < whole.count {
            let part = whole[start..<min(start + fragment, whole.count)]
            let flags: UInt8 = start == 0 ? 0x20 : 0x10
            controller.toHost.append([0x02, UInt8(Self.handle), flags, UInt8(part.count & 0xFF), UInt8(part.count >> 8)] + part)
            start += part.count
        }
    }

    func exchange(mtu: UInt16) { ask([0x02, UInt8(mtu & 0xFF), UInt8(mtu >> 8)]) }

    /// Writes the configuration of the indicated value.
    @discardableResult
    func configure(_ octets: [UInt8]) -> [UInt8]? { ask([0x12, UInt8(AriesService.lastHandle), 0] + octets) }

    func subscribe() { configure([2, 0]) }

    /// One Write Request to the message's value.
    @discardableResult
    func write(_ octets: [UInt8]) -> [UInt8]? { ask([0x12, UInt8(AriesService.message), 0] + octets) }

    /// One long write, in fragments of that size.
    @discardableResult
    func writeLong(_ octets: [UInt8], by size: Int) -> [UInt8]? {
        for start in stride(from: 0, to: octets.count, by: size) {
            let part = octets[start..<min(start + size, octets.count)]
            let head: [UInt8] = [UInt8(AriesService.message), 0, UInt8(start & 0xFF), UInt8(start >> 8)]
            guard ask([0x16] + head + part) == [0x17] + head + part else { return responses.last }
        }
        return ask([0x18, 0x01])
    }

    /// Takes an ACL packet of the gate's: whole frames of ATT are put together. Commands go to the controller.
    private func hear(_ packet: [UInt8]) {
        guard packet[0] == 0x02 else { return controller.receive(packet) }
        controller.toHost.append([0x04, 0x13, 5, 1, packet[1], packet[2] & 0x0F, 1, 0])
        if packet[2] & 0x30 == 0x10 { partial += packet[5...] } else { partial = Array(packet[5...]) }
        guard partial.count >= 4, partial.count == 4 + Int(partial[0]) + Int(partial[1]) << 8 else { return }
        guard partial[2] == 0x04, partial[3] == 0x00 else { return }
        let pdu = Array(partial[4...])
        guard pdu[0] == 0x1D else { return responses.append(pdu) }
        indicated.append(Array(pdu[3...]))
        if confirms { say([0x1E]) }
    }
}

extension GateOnAir {
    static let written: [UInt8] = [0x13]

    static func refused(_ opcode: UInt8, _ error: UInt8, at handle: UInt16 = AriesService.message) -> [UInt8] {
        [0x01, opcode, UInt8(handle), 0, error]
    }

    /// A wallet that has the invitation.
    static func invited(_ invitation: [UInt8] = text(1_300), mtu: UInt16 = 185, timing: AriesTiming = AriesTiming()) throws -> GateOnAir {
        let gate = GateOnAir(timing: timing)
        try gate.begin(invitation)
        gate.connect()
        gate.exchange(mtu: mtu)
        gate.subscribe()
        gate.pass(milliseconds: 300)
        return gate
    }
}

let marker = Array("EOM".utf8)

/// A message as a wallet or a gate has one.
func text(_ count: Int) -> [UInt8] { (0..<max(count - 1, 0)).map { UInt8(truncatingIfNeeded: $0 &* 7) } + [UInt8(ascii: "}")] }
