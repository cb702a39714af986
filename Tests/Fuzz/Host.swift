@testable import Bluetooth
@testable import Tuvali

/// The host and a session, with an application between them that believes every wallet.
struct HostSide: Peripheral, ~Copyable {
    private var host: Host
    private var session: Session
    private let hostMemory = UnsafeMutablePointer<HostStorage>.allocate(capacity: 1)
    private let sessionMemory = UnsafeMutablePointer<SessionStorage>.allocate(capacity: 1)
    private var value = AttributeValue()
    private var fault: RecoveryStep?

    nonisolated(unsafe) private static let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 64)

    init(_ version: WireVersion) {
        var service = Service()
        hostMemory.initialize(to: HostStorage())
        sessionMemory.initialize(to: SessionStorage())
        host = Host(storage: hostMemory, table: HostSide.table(version, &service))
        session = Session(storage: sessionMemory, service: service, buffer: Self.buffer)
    }

    deinit {
        hostMemory.deallocate()
        sessionMemory.deallocate()
    }

    static func table(_ version: WireVersion, _ service: inout Service) -> AttributeTable {
        var table = AttributeTable()
        do {
            try table.addGenericAccess(name: [0x47].span, appearance: 0)
            try table.addGenericAttribute()
            try service.add(to: &table, version: version)
        } catch {
            fatalError("\(error)")
        }
        return table
    }

    var deadline: Instant? { Instant.earliest(host.deadline, session.deadline) }
    var sight: Sight { Sight(host, session) }

    mutating func open(_ now: Instant) { host.open(now: now) }

    mutating func close(_ now: Instant) {
        host.close()
        session.reset()
    }

    mutating func takeFault() -> RecoveryStep? { fault.take() }

    mutating func identify() -> [UInt8] { [UInt8](repeating: 7, count: 44) }

    mutating func look(_ code: Code, _ now: Instant) {}

    mutating func sealed(_ text: [UInt8]) -> [UInt8] { text }

    mutating func receive(_ packet: borrowing Span<UInt8>, _ now: Instant) {
        session.advance(to: now)
        let event = host.receive(packet, now: now, to: &session)
        take(event, now)
        if event == .connected {
            while let event = host.receiveEarlyData(now: now, to: &session) { take(event, now) }
        }
        follow(now)
    }

    mutating func next(into frame: inout PacketFrame, _ now: Instant) -> Bool {
        if host.next(into: &frame, now: now) { return true }
        push(now)
        return host.next(into: &frame, now: now)
    }

    mutating func expire(_ now: Instant) {
        take(host.expire(now: now), now)
        session.expire(now: now)
        follow(now)
    }

    private mutating func take(_ event: HostEvent?, _ now: Instant) {
        switch event {
        case .ready: begin(now)
        case .connected: session.connected(intervalMicroseconds: host.connectionIntervalMicroseconds, now: now)
        case .disconnected: session.disconnected(now: now)
        case .mtuExchanged(let mtu): session.mtuExchanged(mtu, now: now)
        case .fault(_, let step):
            fault = step
            session.reset()
        case .confirmed, .found, .scanEnded, .notConnected, .answered, .channelOpened, .channelRefused, .channelClosed, nil: break
        }
    }

    private mutating func follow(_ now: Instant) {
        while let event = session.nextEvent() {
            switch event {
            case .identified: session.secureChannelEstablished(now: now)
            case .received:
                require(session.missingChunks == 0 && session.messageSize > 0, "a message is received whole")
                session.decide(accepted: Self.buffer[0] & 1 == 0, now: now)
            case .disconnectNow: host.disconnect(now: now)
            case .advertiseAgain: advertise(now)
            case .ended: begin(now)
            case .connected, .failed: break
            }
        }
        push(now)
    }

    private mutating func push(_ now: Instant) {
        while let characteristic = session.nextPush(into: &value) {
            let handle = session.service.handle(characteristic)
            switch host.push(handle, value.storage.span.extracting(0..<value.count), now: now) {
            case .busy, .notConnected: return
            default: session.didPush(characteristic, now: now)
            }
        }
    }

    private mutating func begin(_ now: Instant) {
        session.reset()
        do throws(ActionRefused) { try session.startAdvertisement(now: now) } catch { require(false, "a session begins again") }
        advertise(now)
    }

    private mutating func advertise(_ now: Instant) {
        let payload: [UInt8] = [2, 1, 6]
        do throws(AdvertisingError) {
            try host.advertise(address: DeviceAddress(value: 0xC000_0000_0001), data: payload.span, scanResponse: payload.span, now: now)
        } catch {
            require(false, "an advertisement fits")
        }
    }
}

func fuzzHost(_ octets: UnsafeBufferPointer<UInt8>) {
    let setup = octets.first ?? 0
    var air = Air(HostSide(setup & 0x80 == 0 ? .v05 : .v04), setup: setup)
    air.play(octets)
}
