import Bluetooth
import MdocTransport

/// A gate of a host and a link, in step with an `AirController`: it advertises, asks, and takes what comes.
public final class AirGate {
    public let controller: AirController
    private var host: Host
    private var link: MdocLink
    private let hostStorage = UnsafeMutablePointer<HostStorage>.allocate(capacity: 1)
    private let linkStorage = UnsafeMutablePointer<MdocLinkStorage>.allocate(capacity: 1)
    private let incoming = UnsafeMutableRawBufferPointer.allocate(byteCount: MessageSize.buffer, alignment: 64)
    private let outgoing = UnsafeMutableRawBufferPointer.allocate(byteCount: MessageSize.longestRequest, alignment: 64)
    private var value = AttributeValue()
    private var frame = PacketFrame()
    private let ident: MdocIdent
    private var engagements: UInt64 = 0

    /// What is asked once the link is open.
    public var request: [UInt8] = []
    /// What the link told that is the gate's affair, apart from advertising.
    public private(set) var told: [MdocCommand] = []
    /// What the host told.
    public private(set) var events: [HostEvent] = []
    public private(set) var messages: [[UInt8]] = []
    /// Called around everything of the host's and the link's, for whoever counts what that takes.
    public var measure: (begin: () -> Void, end: () -> Void)?

    public init(_ controller: AirController, timing: MdocTiming = MdocTiming()) {
        self.controller = controller
        let octets = [UInt8](repeating: 0x1D, count: MdocIdent.count)
        guard let ident = MdocIdent(octets.span) else { fatalError("16 octets are an Ident") }
        self.ident = ident
        incoming.initializeMemory(as: UInt8.self, repeating: 0)
        outgoing.initializeMemory(as: UInt8.self, repeating: 0)
        hostStorage.initialize(to: HostStorage())
        linkStorage.initialize(to: MdocLinkStorage())
        var service = MdocService()
        let table = Self.table(AirPhone.central, ident, &service)
        host = Host(storage: hostStorage, table: table)
        link = MdocLink(storage: linkStorage, service: service, incoming: incoming, outgoing: outgoing, timing: timing)
    }

    deinit {
        hostStorage.deinitialize(count: 1)
        linkStorage.deinitialize(count: 1)
        hostStorage.deallocate()
        linkStorage.deallocate()
        incoming.deallocate()
        outgoing.deallocate()
    }

    private static func table(_ uuid: UUID, _ ident: MdocIdent, _ service: inout MdocService) -> AttributeTable {
        var table = AttributeTable()
        let name: [UInt8] = [0x47]
        do throws(AttributeTableError) {
            try table.addGenericAccess(name: name.span, appearance: 0)
            try table.addGenericAttribute()
            try service.add(to: &table, service: uuid, ident: ident)
        } catch { fatalError("\(error)") }
        return table
    }

    // MARK: what is so

    public var isIdle: Bool { link.isIdle }
    public var isOpen: Bool { link.isOpen }
    public var bearer: MdocBearer { link.bearer }
    public var failure: MdocLinkFailure? { link.failure }
    public var mtu: UInt16 { host.mtu }
    public var role: Role? { host.role }
    public var counters: DropCounters { host.counters }
    public var deadline: Instant? { Instant.earliest(host.deadline, link.deadline) }
    public var isWiped: Bool { incoming.allSatisfy { $0 == 0 } }

    public var end: MdocLinkEnd? {
        for case .ended(let end) in told { return end }
        return nil
    }

    /// The address of this engagement.
    private var address: DeviceAddress { DeviceAddress(value: 0x4A00_0000_0000 | engagements) }

    // MARK: the shell

    public func open(at now: Instant) { host.open(now: now) }

    public func begin(_ offer: MdocOffer, _ first: MdocBearer, at now: Instant) throws {
        engagements += 1
        told = []
        events = []
        messages = []
        let preference = MdocPreference(first: first, canConnect: host.controller.supports(.central), canAdvertise: true)
        try link.begin(offer, preference, now: now)
        pump(now)
    }

    /// Moves what there is to move; false when there was nothing.
    public func step(at now: Instant) -> Bool {
        var hasMoved = false
        while true {
            measure?.begin()
            let isThere = host.next(into: &frame, now: now)
            measure?.end()
            guard isThere else { break }
            controller.receive((0..<frame.count).map { frame.storage[$0] })
            hasMoved = true
        }
        while let packet = controller.next() {
            receive(packet, now)
            hasMoved = true
        }
        return hasMoved
    }

    private func receive(_ packet: [UInt8], _ now: Instant) {
        measure?.begin()
        link.advance(to: now)
        let event = host.receive(packet.span, now: now, to: &link)
        if let event { link.take(event, of: host, now: now) }
        measure?.end()
        if let event { events.append(event) }
        while event == .connected, let early = host.receiveEarlyData(now: now, to: &link) { link.take(early, of: host, now: now) }
        pump(now)
    }

    public func expire(at now: Instant) {
        while let event = host.expire(now: now) {
            events.append(event)
            link.take(event, of: host, now: now)
        }
        link.expire(now: now)
        pump(now)
    }

    /// The phone's link is lost.
    public func lose() { controller.unlink() }

    // MARK: what the link wants

    private func pump(_ now: Instant) {
        for _ in 0..<10_000 {
            measure?.begin()
            let command = link.pump(&host, from: address, value: &value, now: now)
            measure?.end()
            guard let command else { return }
            if case .advertise = command { advertise(now) } else { told.append(command) }
            switch command {
            case .opened:
                let message = request
                try? link.send(message.span, now: now)
            case .received: take(now)
            default: break
            }
        }
        fatalError("a link never falls silent")
    }

    private func advertise(_ now: Instant) {
        let announcement = ServiceAnnouncement(AirPhone.central)
        let address = address
        _ = announcement.withOctets { octets in
            try? host.advertise(address: address, data: octets, scanResponse: Span(), now: now)
        }
    }

    /// Looks at a message, and ends the session by a status.
    private func take(_ now: Instant) {
        let message = link.withMessage { octets in (0..<octets.count).map { octets[$0] } }
        if let message { messages.append(message) }
        link.release()
        let word: [UInt8] = AirPhone.word
        if link.isOpen { try? link.end(saying: word.span, now: now) }
    }
}
