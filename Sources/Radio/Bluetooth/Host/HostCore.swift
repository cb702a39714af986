/// What a host is made of: the way to the controller, the one connection, and the roles. It lies in a `HostStorage`, and nothing of it is
/// ever moved.
///
/// Today's roles are those of a peripheral: `Advertiser` and `AttributeServer`. A scanner and an attribute client have their place beside
/// them; they share the command channel, the connection and the ladder.
struct HostCore: ~Copyable {
    enum Phase: Equatable {
        /// No link to a controller, or one given up until the shell opens it again.
        case closed
        case bringingUp
        case ready
    }

    var phase = Phase.closed
    var counters = DropCounters()

    // The controller.
    var controller = Controller()
    var bringUp = BringUp()
    /// The LE event mask was refused in this bring-up.
    var isEventMaskRefused = false
    var commands = CommandChannel()
    /// LE ACL packets the controller still takes.
    var credits = 0
    var ladder = RecoveryLadder()

    // The link.
    var connection = Connection()
    /// Data that came before the link it belongs to.
    var early = EarlyData()

    // The roles.
    var advertiser = Advertiser()
    var server: AttributeServer

    init(table: consuming AttributeTable) { server = AttributeServer(table: table) }

    // MARK: the link to the controller

    mutating func open(now: Instant) {
        dropLink()
        giveUpEarlyData()
        commands.open()
        credits = 0
        isEventMaskRefused = false
        controller = Controller()
        bringUp.restart()
        advertiser.controllerLost()
        phase = .bringingUp
    }

    mutating func close() {
        dropLink()
        giveUpEarlyData()
        commands.close()
        advertiser.controllerLost()
        phase = .closed
    }

    // MARK: packets

    @inline(__always)
    mutating func receive<Application: AttributeApplication & ~Copyable>(
        _ packet: borrowing Span<UInt8>, _ now: Instant, _ application: inout Application
    ) -> HostEvent? {
        guard let type = packet.octet(at: 0) else { return drop(.emptyPacket) }
        guard phase != .closed else { return drop(.dataWhileClosed) }
        switch type {
        case PacketType.event: return receiveEvent(packet.extracting(1..<packet.count), now)
        case PacketType.data: return receiveData(packet.extracting(1..<packet.count), now, &application)
        default: return drop(.unknownPacketType)
        }
    }

    @inline(__always)
    mutating func next(into frame: inout PacketFrame, _ now: Instant) -> Bool {
        guard phase != .closed else { return false }
        if let command = commands.next(now: now) {
            encode(command, into: &frame)
            if command == .setAdvertisingEnable(true) { advertiser.enabling() }
            return true
        }
        guard connection.isUp, credits > 0, controller.dataLength > 0 else { return false }
        if connection.wantsParameters { requestParameters() }
        guard connection.transmission.next(handle: connection.handle, fragment: controller.dataLength, into: &frame) else { return false }
        credits -= 1
        connection.outstanding += 1
        return true
    }

    var isQuiet: Bool { commands.isQuiet && connection.transmission.isEmpty && !connection.wantsParameters }

    // MARK: the link

    mutating func disconnect(_ now: Instant, reason: HCIStatus = .remoteUserTerminated) {
        guard connection.isUp, connection.disconnectingUntil == nil else { return }
        connection.disconnectingUntil = now.adding(milliseconds: connection.endMilliseconds)
        // Nothing is worth waiting for on a link that ends.
        commands.removeOptional(connection.handle)
        commands.append(.disconnect(handle: connection.handle, reason: reason))
    }

    /// Forgets the link without a word to anyone.
    mutating func dropLink() {
        if connection.isUp { commands.removeLink(connection.handle) }
        connection.close()
        server.resetClient()
    }

    mutating func push(_ handle: UInt16, _ value: borrowing Span<UInt8>, _ now: Instant) -> PushResult {
        guard connection.isUp, connection.disconnectingUntil == nil else { return .notConnected }
        guard connection.transmission.push.isEmpty else { return .busy }
        let result = server.push(handle, value, into: &connection.transmission.push)
        if result == .indicated { connection.confirmationDeadline = now.adding(milliseconds: Connection.confirmationMilliseconds) }
        return result
    }

    mutating func isSubscribed(_ handle: UInt16) -> Bool {
        guard connection.isUp, let index = server.index(of: handle) else { return false }
        return server.configuration(behind: index) & 3 != 0
    }

    // MARK: what goes wrong

    /// Counts a drop; there is no event.
    mutating func drop(_ drop: Drop) -> HostEvent? {
        counters.count(drop)
        return nil
    }

    /// Takes the next rung of the recovery ladder.
    mutating func fault(_ fault: ControllerFault, _ now: Instant) -> HostEvent {
        let step = ladder.climb(now)
        if step == .reset { open(now: now) } else { close() }
        return .fault(fault, step)
    }
}
