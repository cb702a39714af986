/// A Bluetooth LE host with one link at a time: HCI packets in, HCI packets out.
///
/// The shell opens a link to a controller and calls `open`; gives every packet received to `receive`; sends what `next`
/// yields until it yields nothing; and calls `expire` when `deadline` has passed. Nothing here blocks, allocates or traps.
///
/// A host is no wider than the pointer to the storage it was lent: whoever looks at it copies nothing.
public struct Host: ~Copyable {
    let storage: UnsafeMutablePointer<HostStorage>

    /// Makes a host that serves `table`.
    ///
    /// - Parameter storage: initialized, of nobody else's use, and in its place for as long as the host lives.
    public init(storage: UnsafeMutablePointer<HostStorage>, table: consuming AttributeTable) {
        self.storage = storage
        storage.pointee.core = HostCore(table: table)
    }

    // MARK: the shell's side

    /// The link to the controller is open: Reset, and bring-up from the start.
    public mutating func open(now: Instant) { storage.pointee.core.open(now: now) }

    /// The link to the controller is closed or lost; nothing is sent until `open`.
    public mutating func close() { storage.pointee.core.close() }

    /// Takes one packet from the controller, its H4 packet indicator first.
    public mutating func receive<Application: HostApplication & ~Copyable>(
        _ packet: borrowing Span<UInt8>, now: Instant, to application: inout Application
    ) -> HostEvent? {
        storage.pointee.core.receive(packet, now, &application)
    }

    /// Serves what a phone sent before the controller told of its link; call after `connected`, until it returns nothing.
    public mutating func receiveEarlyData<Application: HostApplication & ~Copyable>(
        now: Instant, to application: inout Application
    ) -> HostEvent? {
        storage.pointee.core.serveEarlyData(now, &application)
    }

    /// Writes the next packet for the controller into `frame`; false when there is none.
    public mutating func next(into frame: inout PacketFrame, now: Instant) -> Bool { storage.pointee.core.next(into: &frame, now) }

    /// When `expire` wants to be called.
    public var deadline: Instant? { storage.pointee.core.deadline }

    /// Acts on every deadline that has passed; call again while it returns an event.
    public mutating func expire(now: Instant) -> HostEvent? { storage.pointee.core.expire(now: now) }

    /// Advertises slowly when nobody has connected for half a minute; a phone then takes up to eight times as long to find it.
    public var savesPower: Bool {
        get { storage.pointee.core.advertiser.savesPower }
        set { storage.pointee.core.advertiser.savesPower = newValue }
    }

    // MARK: what is so

    public var isReady: Bool { storage.pointee.core.phase == .ready }
    public var isConnected: Bool { storage.pointee.core.connection.isUp }
    /// Advertising, as far as the controller has said.
    public var isAdvertising: Bool { storage.pointee.core.advertiser.isOn }
    /// Advertising, at the slow interval that saves power.
    public var advertisesSlowly: Bool { isAdvertising && !storage.pointee.core.advertiser.isFast }
    /// Everything that was handed over for the phone has left the controller.
    public var isDrained: Bool { storage.pointee.core.isDrained }
    /// Nothing waits to be sent and no command is unanswered.
    public var isQuiet: Bool { storage.pointee.core.isQuiet }
    /// The peer of the link that is up.
    public var peer: DeviceAddress? { isConnected ? storage.pointee.core.connection.peer : nil }
    /// What the host is on the link that is up.
    public var role: Role? { isConnected ? storage.pointee.core.connection.role : nil }
    /// Scanning, as far as the controller has said.
    public var isScanning: Bool { storage.pointee.core.scanner.isOn }
    /// Connection interval of the link in microseconds.
    public var connectionIntervalMicroseconds: UInt64 { UInt64(storage.pointee.core.connection.interval) * 1250 }
    /// The ATT MTU of the link.
    public var mtu: UInt16 { storage.pointee.core.server.client.mtu }

    public var controller: Controller { storage.pointee.core.controller }
    public var bringUp: BringUp { storage.pointee.core.bringUp }
    public var counters: DropCounters { storage.pointee.core.counters }

    // MARK: the application's side

    /// Advertises `data` and `scanResponse` from the random `address` until a central connects, or until told
    /// otherwise. It replaces what was advertised before; while a link is up, or the controller is not ready, it waits.
    public mutating func advertise(
        address: DeviceAddress, data: borrowing Span<UInt8>, scanResponse: borrowing Span<UInt8>, now: Instant
    ) throws(AdvertisingError) {
        guard storage.pointee.core.advertiser.want(from: address, data, scanResponse) else { throw .tooLong }
        storage.pointee.core.advertiseOnly(now)
    }

    /// Advertises `data` in place of the former from now on, without going off the air; address and scan response stay.
    ///
    /// - Returns: false, and nothing changed, where it does not fit, or where nothing is advertised yet: what `advertise` was told last
    ///   comes first.
    public mutating func replaceAdvertisingData(_ data: borrowing Span<UInt8>) -> Bool {
        storage.pointee.core.replaceAdvertisingData(data)
    }

    /// Advertises no more.
    public mutating func stopAdvertising() { storage.pointee.core.stopAdvertising() }

    /// Looks for a phone that advertises `service`, from the random `address`, which may be scanned by and connected from; `found` or
    /// `scanEnded` follows. It replaces whatever was on the air. While a link is up, or the controller is not ready, it waits.
    ///
    /// - Returns: false, and nothing changed, where the controller cannot be a central.
    public mutating func scan(for service: UUID, from address: DeviceAddress, until deadline: Instant, now: Instant) -> Bool {
        storage.pointee.core.scan(for: service, from: address, until: deadline, now)
    }

    /// Connects to `peer` from the random `address`; `connected` or `notConnected` follows. It replaces whatever was on the air.
    ///
    /// - Returns: false, and nothing changed, while a link is up, another attempt is not over, or the controller is not ready.
    public mutating func connect(to peer: Peer, from address: DeviceAddress, until deadline: Instant, now: Instant) -> Bool {
        storage.pointee.core.connect(to: peer, from: address, until: deadline)
    }

    /// Ends whatever is on the air: advertising, scanning, or connecting, of which nothing more is told unless it has succeeded meanwhile.
    public mutating func rest() { storage.pointee.core.rest() }

    /// Serves `table` from the next link on. False, and nothing changed, while a link is up: a client's handles do not
    /// change under it.
    public mutating func serve(_ table: consuming AttributeTable) -> Bool {
        guard !isConnected else { return false }
        storage.pointee.core.server.serve(table)
        return true
    }

    /// The client has asked for notifications or indications of the value `handle`.
    public func isSubscribed(_ handle: UInt16) -> Bool { storage.pointee.core.isSubscribed(handle) }

    /// Pushes `value` of the attribute `handle` to the client, as it subscribed.
    public mutating func push(_ handle: UInt16, _ value: borrowing Span<UInt8>, now: Instant) -> PushResult {
        storage.pointee.core.push(handle, value, now)
    }

    /// Holds back the response to the request that was served last, or lets it go. For a moment: a client that waits for a response longer
    /// than 30 s gives up (Core Vol 3 Part F 3.3.3). Until then its other requests are dropped; what it confirms is not. It ends with the
    /// link.
    public mutating func holdResponse(_ isHeld: Bool) { storage.pointee.core.holdResponse(isHeld) }

    /// A transfer begins on the link: a slow one is asked to be faster now. Costs nothing to say again.
    public mutating func beginTransfer(now: Instant) { storage.pointee.core.beginTransfer(now) }

    /// Whoever is on the link is owed the time that its end takes: its disconnection is waited for as long as the link's parameters say, 12
    /// s at most. Any other is given 5 s, so that a stranger gains nothing by a slow link. Holds until the link ends.
    public mutating func owePatience() { storage.pointee.core.connection.isOwedPatience = isConnected }

    // MARK: a phone that was connected to

    /// Asks the phone's attribute server something, one thing at a time; `answered` follows where it was asked.
    public mutating func ask(_ request: ClientRequest, now: Instant) -> AskResult { storage.pointee.core.ask(request, now) }

    /// Writes `value` by a command to the characteristic of this index in the list that was asked for.
    public mutating func write(_ index: Int, _ value: borrowing Span<UInt8>) -> WriteResult { storage.pointee.core.write(index, value) }

    // MARK: a channel

    /// Asks the phone for a credit based channel to this SPSM; `channelOpened` or `channelRefused` follows. False without a link, and
    /// while there is a channel.
    public mutating func openChannel(_ spsm: UInt16, now: Instant) -> Bool { storage.pointee.core.openChannel(spsm, now) }

    /// Takes a channel that a phone asks for to this SPSM; nil: none. `channelOpened` follows for each.
    public mutating func listen(_ spsm: UInt16?) { storage.pointee.core.channel.listened = spsm }

    /// Closes the channel; `channelClosed` follows.
    public mutating func closeChannel(now: Instant) { storage.pointee.core.channel.close(tellsEnd: true, now) }

    /// Sends the first of `octets` into the channel; returns how many were taken: 0 while a frame has not left, or without credits.
    public mutating func send(_ octets: borrowing Span<UInt8>) -> Int { storage.pointee.core.send(octets) }

    /// How many octets of the channel the application takes: said by itself whenever some come, and here when it takes more by then.
    public mutating func offerRoom(_ octets: Int) { storage.pointee.core.channel.room = octets }

    /// Ends the link once everything that was handed over has left the controller, and in any case at `deadline`; `disconnected` follows.
    public mutating func disconnect(onceDrainedUntil deadline: Instant, now: Instant) {
        storage.pointee.core.disconnect(drainedUntil: deadline, now)
    }

    /// Ends the link; `disconnected` follows.
    public mutating func disconnect(reason: HCIStatus = .remoteUserTerminated, now: Instant) {
        storage.pointee.core.disconnect(now, reason: reason)
    }
}
