import Bluetooth
import MdocTransport

/// A phone's wallet on a host of its own, as peripheral with a server or a channel, or as central with a client. It answers each request,
/// and leaves when it is told that the session is over.
public final class AirPhone {
    public static let peripheral = UUID(high: 0x1011_1213_1415_1617, low: 0x1819_1A1B_1C1D_1E1F)
    public static let central = UUID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
    public static let spsm: UInt16 = 0x00C1
    /// {"status": 20}
    public static let word: [UInt8] = [0xA1, 0x66, 0x73, 0x74, 0x61, 0x74, 0x75, 0x73, 0x14]

    /// What the phone is.
    public enum Kind: Sendable {
        case server, channel, client
    }

    /// What comes, as the phone's host hands it over.
    struct Ear: HostApplication {
        /// Values for State, and fragments or octets of messages.
        var states: [UInt8] = []
        var pieces: [[UInt8]] = []
        var stateHandle: UInt16 = 0

        mutating func read(_ handle: UInt16, into value: inout AttributeValue) -> ATTError? { .readNotPermitted }

        mutating func write(_ handle: UInt16, _ value: borrowing Span<UInt8>, isCommand: Bool) -> ATTError? {
            take(isState: handle == stateHandle, value)
            return nil
        }

        mutating func notified(_ index: Int, _ value: borrowing Span<UInt8>) { take(isState: index == 0, value) }

        mutating func channelReceived(_ octets: borrowing Span<UInt8>) { take(isState: false, octets) }

        var channelRoom: Int { 1 << 20 }

        private mutating func take(isState: Bool, _ value: borrowing Span<UInt8>) {
            let octets = value.indices.map { value[$0] }
            if isState { states += octets } else { pieces.append(octets) }
        }
    }

    public let controller: AirController
    public let kind: Kind
    private var host: Host
    private let storage = UnsafeMutablePointer<HostStorage>.allocate(capacity: 1)
    private var ear = Ear()
    private var frame = PacketFrame()
    private var handles: (state: UInt16, serverToClient: UInt16) = (0, 0)
    private var outgoing: [[UInt8]] = []
    private var discovery: [ClientRequest] = []
    private var isStartDue = false
    private var isChannelOpen = false

    /// What the phone answers to a request.
    public var response: [UInt8] = []
    /// The MTU that a client asks for is the host's; a server's values have this many octets at the most.
    public var longestValue = 512
    /// The phone advertises its service in its scan response.
    public var hidesService = false
    /// The phone stays when it is told that the session is over.
    public var stays = false
    /// The phone opens no channel.
    public var refusesChannel = false
    /// What the phone has heard.
    public private(set) var requests: [[UInt8]] = []
    public private(set) var events: [HostEvent] = []

    public init(_ controller: AirController, _ kind: Kind) {
        self.controller = controller
        self.kind = kind
        storage.initialize(to: HostStorage())
        var table = AttributeTable()
        do throws(AttributeTableError) {
            try table.addGenericAccess(name: [0x50].span, appearance: 0)
            try table.addService(Self.peripheral)
            if let state = MdocCharacteristic.state.soughtUUID, let incoming = MdocCharacteristic.clientToServer.soughtUUID,
                let outgoing = MdocCharacteristic.serverToClient.soughtUUID
            {
                handles.state = try table.addCharacteristic(state, .notify | .writeWithoutResponse)
                try table.addClientConfiguration()
                try table.addCharacteristic(incoming, .writeWithoutResponse)
                handles.serverToClient = try table.addCharacteristic(outgoing, .notify)
                try table.addClientConfiguration()
            }
        } catch { fatalError("\(error)") }
        host = Host(storage: storage, table: table)
        ear.stateHandle = handles.state
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    public var isConnected: Bool { host.isConnected }
    public var mtu: UInt16 { host.mtu }
    public var deadline: Instant? { host.deadline }
    public var counters: DropCounters { host.counters }

    // MARK: the shell

    public func open(at now: Instant) { host.open(now: now) }

    /// Shows an engagement: it can be found, or looks for the gate.
    public func begin(at now: Instant) {
        events = []
        requests = []
        guard kind != .client else {
            _ = host.scan(
                for: Self.central, from: DeviceAddress(value: 0x7A00_0000_0001), until: now.adding(milliseconds: 60_000), now: now)
            return
        }
        host.listen(kind == .channel && !refusesChannel ? Self.spsm : nil)
        var data: [UInt8] = [2, 1, 6]
        let list = Self.list
        if !hidesService { data += list }
        let response = hidesService ? list : []
        try? host.advertise(address: DeviceAddress(value: 0x7A00_0000_0002), data: data.span, scanResponse: response.span, now: now)
    }

    /// A complete list of one 128-bit UUID.
    private static var list: [UInt8] {
        var octets: [UInt8] = [0x11, 0x07]
        for half in [peripheral.low, peripheral.high] {
            for index in 0..<8 { octets.append(UInt8(truncatingIfNeeded: half >> UInt64(8 * index))) }
        }
        return octets
    }

    /// Moves what there is to move; false when there was nothing.
    public func step(at now: Instant) -> Bool {
        var hasMoved = false
        while let packet = controller.next() {
            let event = host.receive(packet.span, now: now, to: &ear)
            if let event { take(event, now) }
            while event == .connected, let early = host.receiveEarlyData(now: now, to: &ear) { take(early, now) }
            hasMoved = true
        }
        listen(now)
        speak(now)
        while host.next(into: &frame, now: now) {
            controller.receive((0..<frame.count).map { frame.storage[$0] })
            speak(now)
            hasMoved = true
        }
        return hasMoved
    }

    public func expire(at now: Instant) {
        while let event = host.expire(now: now) { take(event, now) }
    }

    private func take(_ event: HostEvent, _ now: Instant) {
        events.append(event)
        switch event {
        case .found(let peer):
            _ = host.connect(to: peer, from: DeviceAddress(value: 0x7A00_0000_0001), until: now.adding(milliseconds: 5000), now: now)
        case .connected where kind == .client:
            let list = CharacteristicList(
                MdocCharacteristic.state.servedUUID, MdocCharacteristic.clientToServer.servedUUID,
                MdocCharacteristic.serverToClient.servedUUID)
            discovery = [
                .exchangeMTU, .findService(Self.central), .findCharacteristics(list), .findConfigurations, .subscribe(0), .subscribe(2),
            ]
            askNext(now)
        case .answered: askNext(now)
        case .channelOpened: isChannelOpen = true
        case .channelClosed: isChannelOpen = false
        case .disconnected:
            ear = Ear()
            ear.stateHandle = handles.state
            outgoing = []
            discovery = []
            (isStartDue, isChannelOpen) = (false, false)
        default: break
        }
    }

    private func askNext(_ now: Instant) {
        guard !discovery.isEmpty else { return }
        let request = discovery.removeFirst()
        _ = host.ask(request, now: now)
        isStartDue = discovery.isEmpty
    }

    // MARK: messages

    /// Puts together what has come; a whole request is answered.
    private func listen(_ now: Instant) {
        if ear.states.contains(0x02), !stays { host.disconnect(now: now) }
        guard let message = isChannelOpen ? takeStream() : takeFragments() else { return }
        if message == Self.word {
            if !stays { host.disconnect(now: now) }
            return
        }
        requests.append(message)
        outgoing = isChannelOpen ? [Self.prefixed(response)] : fragments(response)
    }

    private func takeFragments() -> [UInt8]? {
        guard let last = ear.pieces.firstIndex(where: { $0.first == 0x00 }) else { return nil }
        let message = ear.pieces[...last].flatMap { $0.dropFirst() }
        ear.pieces.removeFirst(last + 1)
        return message
    }

    private func takeStream() -> [UInt8]? {
        let all = ear.pieces.flatMap { $0 }
        guard all.count >= 4 else { return nil }
        let length = all[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard all.count >= 4 + length else { return nil }
        ear.pieces = all.count > 4 + length ? [Array(all[(4 + length)...])] : []
        return Array(all[4..<4 + length])
    }

    private static func prefixed(_ message: [UInt8]) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: message.count >> (24 - 8 * $0)) } + message
    }

    private func fragments(_ message: [UInt8]) -> [[UInt8]] {
        let size = min(min(Int(host.mtu) - 3, 512), longestValue) - 1
        guard !message.isEmpty else { return [[0x00]] }
        return stride(from: 0, to: message.count, by: size).map { start in
            let end = min(start + size, message.count)
            return [end == message.count ? 0x00 : 0x01] + message[start..<end]
        }
    }

    /// Says the next of what there is to say, as far as the host takes it.
    private func speak(_ now: Instant) {
        if isStartDue, discovery.isEmpty, case .answered = events.last {
            let start: [UInt8] = [0x01]
            if host.write(0, start.span) == .taken { isStartDue = false }
        }
        guard let next = outgoing.first else { return }
        switch kind {
        case .client: if host.write(1, next.span) == .taken { outgoing.removeFirst() }
        case .channel where isChannelOpen:
            let count = host.send(next.span)
            guard count > 0 else { return }
            outgoing[0].removeFirst(count)
            if outgoing[0].isEmpty { outgoing.removeFirst() }
        case .server, .channel:
            if host.push(handles.serverToClient, next.span, now: now) == .notified { outgoing.removeFirst() }
        }
    }
}
