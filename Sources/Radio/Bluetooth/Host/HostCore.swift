/// What a host is made of: the way to the controller, the one connection, and the roles. It lies in a `HostStorage`, and nothing of it is
/// ever moved.
///
/// A peripheral's are `Advertiser` and `AttributeServer`, a central's `Scanner`, `Initiation` and `AttributeClient`. They share the command
/// channel, the connection and the ladder; of advertising, scanning and initiating one at a time is on the air.
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
    var scanner = Scanner()
    var initiation = Initiation()
    var client = AttributeClient()
    /// One channel, of either role.
    var channel = CreditChannel()

    init(table: consuming AttributeTable) { server = AttributeServer(table: table) }

    // MARK: the link to the controller

    mutating func open(now: Instant) {
        dropLink()
        giveUpEarlyData()
        controllerLost()
        commands.open()
        credits = 0
        isEventMaskRefused = false
        controller = Controller()
        bringUp.restart()
        phase = .bringingUp
    }

    mutating func close() {
        dropLink()
        giveUpEarlyData()
        commands.close()
        controllerLost()
        phase = .closed
    }

    /// What was on the air is not any more; an attempt to connect is over.
    private mutating func controllerLost() {
        advertiser.controllerLost()
        scanner.controllerLost()
        initiation.end(&commands)
    }

    // MARK: packets

    @inline(__always)
    mutating func receive<Application: HostApplication & ~Copyable>(
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
            sent(command)
            return true
        }
        guard connection.isUp, credits > 0, controller.dataLength > 0 else { return false }
        if connection.wantsParameters || channel.isSignallingDue { writeSignalling() }
        guard connection.transmission.next(handle: connection.handle, fragment: controller.dataLength, into: &frame) else { return false }
        credits -= 1
        connection.outstanding += 1
        return true
    }

    /// Notes what begins with a command that goes out.
    @inline(__always)
    private mutating func sent(_ command: Command) {
        switch command {
        case .setAdvertisingEnable(true): advertiser.enabling()
        case .setScanEnable(true): scanner.enabling()
        case .createConnection: initiation.sent()
        default: break
        }
    }

    var isQuiet: Bool { commands.isQuiet && connection.transmission.isEmpty && !connection.wantsParameters && !channel.isSignallingDue }

    /// Everything that was handed over has left the controller.
    var isDrained: Bool { connection.transmission.isEmpty && connection.outstanding == 0 && !channel.isRequestDue }

    // MARK: the link

    mutating func disconnect(_ now: Instant, reason: HCIStatus = .remoteUserTerminated) {
        guard connection.isUp, connection.disconnectingUntil == nil else { return }
        connection.disconnectingUntil = now.adding(milliseconds: connection.endMilliseconds)
        connection.drainUntil = nil
        // Nothing is worth waiting for on a link that ends.
        commands.removeOptional(connection.handle)
        commands.append(.disconnect(handle: connection.handle, reason: reason))
    }

    /// Ends the link as soon as all that was handed over has left the controller, and in any case at `until`.
    mutating func disconnect(drainedUntil until: Instant, _ now: Instant) {
        guard connection.isUp, connection.disconnectingUntil == nil else { return }
        connection.drainUntil = until
        disconnectIfDrained(now)
    }

    mutating func disconnectIfDrained(_ now: Instant) {
        guard let until = connection.drainUntil, now >= until || isDrained else { return }
        disconnect(now)
    }

    /// Forgets the link without a word to anyone.
    mutating func dropLink() {
        if connection.isUp { commands.removeLink(connection.handle) }
        connection.close()
        server.resetClient()
        client.reset()
        channel.reset()
    }

    mutating func push(_ handle: UInt16, _ value: borrowing Span<UInt8>, _ now: Instant) -> PushResult {
        guard connection.isUp, connection.disconnectingUntil == nil else { return .notConnected }
        guard connection.transmission.push.isEmpty else { return .busy }
        let result = server.push(handle, value, into: &connection.transmission.push)
        if result == .indicated { connection.confirmationDeadline = now.adding(milliseconds: Connection.confirmationMilliseconds) }
        return result
    }

    mutating func holdResponse(_ isHeld: Bool) { connection.transmission.isResponseHeld = isHeld && connection.isUp }

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
