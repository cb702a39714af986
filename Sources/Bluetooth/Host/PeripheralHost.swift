/// A Bluetooth LE host that is a peripheral with one link at a time: HCI packets in, HCI packets out.
///
/// The shell opens a link to a controller and calls `open`; gives every packet received to `receive`; sends what `next`
/// yields until it yields nothing; and calls `expire` when `deadline` has passed. Nothing here blocks, allocates or traps.
public struct PeripheralHost: ~Copyable {
    enum Phase: Equatable {
        /// No link to a controller, or one given up until the shell opens it again.
        case closed
        case bringingUp
        case ready
    }

    var phase = Phase.closed
    public internal(set) var controller = Controller()
    public internal(set) var bringUp = BringUp()
    public internal(set) var counters = DropCounters()
    var server: AttributeServer
    var advertising = Advertising()
    var link = Link()
    /// Data that came before the link it belongs to.
    var early = EarlyData()
    var ladder = RecoveryLadder()

    // One command is outstanding at a time.
    var queue = CommandQueue()
    var outstanding: Command?
    var commandDeadline: Instant?
    var mayCommand = true
    /// The end of a pause the controller asked for and may forget to end.
    var pausedUntil: Instant?
    var resets = 0
    /// Optional commands this controller once left without an answer.
    var isDataLengthBroken = false
    var isPHYBroken = false
    /// It left several probes in a row without an answer, or does not know the command.
    var isChannelMapBroken = false
    var probesUnanswered = 0
    /// The LE event mask was refused in this bring-up.
    var isEventMaskRefused = false

    /// LE ACL packets the controller still takes.
    var credits = 0
    /// When an indication has to be confirmed (Core Vol 3 Part F 3.3.3: 30 s).
    var confirmationDeadline: Instant?
    var nextIdentifier: UInt8 = 1

    public static var commandMilliseconds: UInt64 { 2000 }
    /// For a command the link does without: the next visit's advertisement waits behind it.
    public static var optionalCommandMilliseconds: UInt64 { 500 }
    public static var confirmationMilliseconds: UInt64 { 30_000 }
    public static var parameterRequestMilliseconds: UInt64 { 1000 }
    /// For a disconnection to complete, unless the link is owed more; see `owePatience`.
    public static var disconnectionMilliseconds: UInt64 { 5000 }
    /// The most that any link is given for it: three events of the slowest.
    public static var longestDisconnectionMilliseconds: UInt64 { 12_000 }
    /// A link on which nothing happens is asked after so often.
    public static var silenceMilliseconds: UInt64 { 3000 }
    static var resetTries: Int { 3 }
    /// Probes in a row without an answer, until a controller is asked no more.
    static var probeTries: Int { 3 }

    public init(table: consuming AttributeTable) { server = AttributeServer(table: table) }

    // MARK: the shell's side

    /// The link to the controller is open: Reset, and bring-up from the start.
    public mutating func open(now: Instant) {
        dropLink()
        giveUpEarlyData()
        queue.removeAll()
        outstanding = nil
        commandDeadline = nil
        confirmationDeadline = nil
        mayCommand = true
        pausedUntil = nil
        credits = 0
        resets = 0
        isEventMaskRefused = false
        controller = Controller()
        bringUp.restart()
        advertising.controllerLost()
        phase = .bringingUp
        queue.append(.bringUp(.reset))
    }

    /// The link to the controller is closed or lost; nothing is sent until `open`.
    public mutating func close() {
        dropLink()
        giveUpEarlyData()
        queue.removeAll()
        outstanding = nil
        commandDeadline = nil
        pausedUntil = nil
        // Another controller may be there the next time.
        isDataLengthBroken = false
        isPHYBroken = false
        isChannelMapBroken = false
        probesUnanswered = 0
        advertising.controllerLost()
        phase = .closed
    }

    // What looks at the host is mutating in name only: a borrowed host is copied, 13 kB for each look.

    /// When `expire` wants to be called.
    public var deadline: Instant? {
        mutating get {
            var earliest = commandDeadline
            earliest = Instant.earliest(earliest, pausedUntil)
            earliest = Instant.earliest(earliest, link.disconnectingUntil)
            earliest = Instant.earliest(earliest, confirmationDeadline)
            earliest = Instant.earliest(earliest, link.parameterRequestAt)
            earliest = Instant.earliest(earliest, early.deadline)
            earliest = Instant.earliest(earliest, probeAt)
            if phase == .ready {
                earliest = Instant.earliest(earliest, advertising.retryAt)
                if advertising.isOn, advertising.isFast { earliest = Instant.earliest(earliest, advertising.fastUntil) }
            }
            return earliest
        }
    }

    /// Advertises slowly when nobody has connected for half a minute; a phone then takes up to eight times as long to find it.
    public var savesPower: Bool {
        get { advertising.savesPower }
        set { advertising.savesPower = newValue }
    }

    public var isReady: Bool { mutating get { phase == .ready } }
    public var isConnected: Bool { mutating get { link.isUp } }
    /// Advertising, as far as the controller has said.
    public var isAdvertising: Bool { mutating get { advertising.isOn } }
    /// The peer of the link that is up.
    public var peer: DeviceAddress? { mutating get { link.isUp ? link.peer : nil } }
    /// Connection interval of the link in microseconds.
    public var connectionIntervalMicroseconds: UInt64 { mutating get { UInt64(link.interval) * 1250 } }
    /// Nothing waits to be sent and no command is unanswered.
    public var isQuiet: Bool { mutating get { outstanding == nil && queue.count == 0 && link.transmission.isEmpty && !link.wantsParameters } }

    /// The ATT MTU of the link.
    public var mtu: UInt16 { mutating get { server.mtu } }

    // MARK: the application's side

    /// Advertises `data` and `scanResponse` from the random `address` until a central connects, or until told
    /// otherwise. It replaces what was advertised before; while a link is up, or the controller is not ready, it waits.
    public mutating func advertise(
        address: DeviceAddress, data: borrowing Span<UInt8>, scanResponse: borrowing Span<UInt8>, now: Instant
    ) throws(AdvertisingError) {
        guard data.count <= 31, scanResponse.count <= 31 else { throw .tooLong }
        advertising.address = address
        advertising.data.removeAll()
        advertising.data.append(data)
        advertising.scanResponse.removeAll()
        advertising.scanResponse.append(scanResponse)
        advertising.isWanted = true
        advertising.refusals = 0
        restartAdvertising(now)
    }

    /// Advertises no more.
    public mutating func stopAdvertising() {
        advertising.isWanted = false
        advertising.fastUntil = nil
        advertising.retryAt = nil
        queue.removeAdvertising()
        if phase == .ready, advertising.mayBeOn { queue.append(.setAdvertisingEnable(false)) }
    }

    /// Whoever is on the link is owed the time that its end takes: its disconnection is waited for as long as the link's parameters say, 12 s at
    /// most. Any other is given 5 s, so that a stranger gains nothing by a slow link. Holds until the link ends.
    public mutating func owePatience() { link.isOwedPatience = link.isUp }

    /// Ends the link; `disconnected` follows.
    public mutating func disconnect(reason: HCIStatus = .remoteUserTerminated, now: Instant) {
        guard link.isUp, link.disconnectingUntil == nil else { return }
        link.disconnectingUntil = now.adding(milliseconds: link.isOwedPatience ? link.endMilliseconds : Self.disconnectionMilliseconds)
        // Nothing is worth waiting for on a link that ends.
        queue.removeOptional(link.handle)
        queue.append(.disconnect(handle: link.handle, reason: reason))
    }

    /// Pushes `value` of the attribute `handle` to the client, as it subscribed.
    public mutating func push(_ handle: UInt16, _ value: borrowing Span<UInt8>, now: Instant) -> PushResult {
        guard link.isUp, link.disconnectingUntil == nil else { return .notConnected }
        guard link.transmission.push.isEmpty else { return .busy }
        let result = server.push(handle, value, into: &link.transmission.push)
        if result == .indicated { confirmationDeadline = now.adding(milliseconds: Self.confirmationMilliseconds) }
        return result
    }

    /// Takes one packet from the controller, its H4 packet indicator first.
    public mutating func receive<Application: AttributeApplication & ~Copyable>(
        _ packet: borrowing Span<UInt8>, now: Instant, to application: inout Application
    ) -> HostEvent? {
        guard let type = packet.octet(at: 0) else { return drop(.emptyPacket) }
        guard phase != .closed else { return drop(.dataWhileClosed) }
        switch type {
        case PacketType.event: return receiveEvent(packet.extracting(1..<packet.count), now)
        case PacketType.data: return receiveData(packet.extracting(1..<packet.count), now, &application)
        default: return drop(.unknownPacketType)
        }
    }

    /// Serves what a phone sent before the controller told of its link; call after `connected`, until it returns nothing.
    public mutating func receiveEarlyData<Application: AttributeApplication & ~Copyable>(
        now: Instant, to application: inout Application
    ) -> HostEvent? {
        guard !early.isEmpty else { return nil }
        return serveEarlyData(now, &application)
    }

    /// Writes the next packet for the controller into `frame`; false when there is none.
    public mutating func next(into frame: inout PacketFrame, now: Instant) -> Bool {
        guard phase != .closed else { return false }
        if outstanding == nil, mayCommand, let command = queue.next() {
            encode(command, into: &frame)
            if command == .setAdvertisingEnable(true) {
                advertising.mayBeOn = true
                advertising.hasLinkedMeanwhile = false
            }
            outstanding = command
            commandDeadline = now.adding(
                milliseconds: command.isOptional ? Self.optionalCommandMilliseconds : Self.commandMilliseconds)
            return true
        }
        guard link.isUp, credits > 0, controller.dataLength > 0 else { return false }
        if link.wantsParameters { requestParameters() }
        guard link.transmission.next(handle: link.handle, fragment: controller.dataLength, into: &frame) else { return false }
        credits -= 1
        link.outstanding += 1
        return true
    }

    // MARK: inside

    /// Counts a drop; there is no event.
    mutating func drop(_ drop: Drop) -> HostEvent? {
        counters.count(drop)
        return nil
    }

    /// Forgets the link without a word to anyone.
    mutating func dropLink() {
        if link.isUp { queue.removeLink(link.handle) }
        link.close()
        server.resetClient()
        confirmationDeadline = nil
    }

    /// Takes the next rung of the recovery ladder.
    mutating func fault(_ fault: ControllerFault, _ now: Instant) -> HostEvent {
        let step = ladder.climb(now)
        if step == .reset { open(now: now) } else { close() }
        return .fault(fault, step)
    }
}
