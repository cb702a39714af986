import Bluetooth

/// A link and the host that has the radio: what either tells the other, over each of the three bearers.
///
/// Give every packet to the host with the link as its application (`advance` first), every event of the host to `take`, and after each of
/// them, and after `expire`, ask `pump` until there is nothing.
extension MdocLink {
    /// How long the host tries to connect, in milliseconds; the link's own time for that is longer (`MdocTiming.connecting`).
    static var attemptMilliseconds: UInt64 { 2_000 }

    // MARK: what the host tells

    /// Tells the link what the host told, as far as it is a link's affair.
    ///
    /// - Parameter step: by which the deadlines of a link that has come about are shortened.
    public mutating func take(_ event: HostEvent, of host: borrowing Host, shortenedBy step: UInt8 = 0, now: Instant) {
        switch event {
        case .connected: connected(asCentral: host.role == .central, step: step, now: now)
        case .disconnected: disconnected(now: now)
        case .mtuExchanged(let mtu): mtuAgreed(mtu, now: now)
        case .found(let peer):
            storage.pointee.core.peer = peer
            found(now: now)
        case .notConnected: notConnected(now: now)
        case .answered(let outcome): answered(outcome, now)
        case .channelOpened: channelOpened(now: now)
        case .channelRefused: channelRefused(now: now)
        case .channelClosed: channelClosed(now: now)
        // The host has dropped its link, or its attempt, without another word.
        case .fault: if storage.pointee.core.isLinkUp { disconnected(now: now) } else { notConnected(now: now) }
        // How long a phone is looked for is the link's own affair.
        case .ready, .confirmed, .scanEnded: break
        }
    }

    private mutating func answered(_ outcome: ClientOutcome, _ now: Instant) {
        guard let asked = storage.pointee.core.asked else { return storage.pointee.core.note(.answerUnasked) }
        let answer: MdocAnswer =
            switch outcome {
            case .done: .done
            case .mtu(let mtu): .mtu(mtu)
            case .notFound: .notFound
            case .refused(let error): .refused(error.rawValue)
            case .malformed: .malformed
            case .timedOut: .timedOut
            }
        answered(asked, answer, now: now)
    }

    // MARK: what the link wants

    /// Does what the link wants of the radio, as far as the host takes it now.
    ///
    /// - Parameters:
    ///   - address: random, this engagement's: scanned and connected from.
    ///   - value: for what is sent; nothing of it has to last.
    /// - Returns: what the link wants of the gate: to advertise, with a table and from an address; to look at what was opened, received,
    ///   failed or ended. Nil when there is nothing more to do for now.
    public mutating func pump(
        _ host: inout Host, from address: DeviceAddress, value: inout AttributeValue, now: Instant
    ) -> MdocCommand? {
        if bearer == .server, host.role == .peripheral {
            subscribed(state: host.isSubscribed(service.handle(.state)), data: host.isSubscribed(service.handle(.serverToClient)), now: now)
        }
        while let command = next(into: &value, maySend: true) {
            switch command {
            case .advertise, .opened, .received, .failed, .ended: return command
            case .notify, .write, .stream:
                if send(command, value.storage.span.extracting(0..<value.count), to: &host, now) { continue }
            case .scan, .connect, .rest, .disconnect, .ask, .openChannel:
                act(on: command, by: &host, from: address, now)
                continue
            }
            // The host takes no more for now: the same is told again.
            break
        }
        if storage.pointee.core.isConnectDue { connect(by: &host, from: address, now) }
        host.offerRoom(channelRoom)
        return nil
    }

    private mutating func act(on command: MdocCommand, by host: inout Host, from address: DeviceAddress, _ now: Instant) {
        switch command {
        // A controller that cannot be a central finds nobody: the link's deadlines say what follows.
        case .scan(let service):
            _ = host.scan(for: service, from: address, until: now.adding(milliseconds: storage.pointee.core.timing.seeking), now: now)
        case .connect: storage.pointee.core.isConnectDue = true
        case .rest: host.rest()
        case .disconnect: host.disconnect(now: now)
        case .ask(let step): ask(step, of: &host, now)
        case .openChannel(let spsm): if !host.openChannel(spsm, now: now) { channelRefused(now: now) }
        default: break
        }
    }

    /// Connects to who was found, as soon as the host has nothing else under way.
    private mutating func connect(by host: inout Host, from address: DeviceAddress, _ now: Instant) {
        guard storage.pointee.core.phase == .connecting, let peer = storage.pointee.core.peer else {
            storage.pointee.core.isConnectDue = false
            return
        }
        let until = now.adding(milliseconds: Self.attemptMilliseconds)
        if host.connect(to: peer, from: address, until: until, now: now) { storage.pointee.core.isConnectDue = false }
    }

    private mutating func ask(_ step: MdocStep, of host: inout Host, _ now: Instant) {
        let request: ClientRequest
        switch step {
        case .exchangeMTU: request = .exchangeMTU
        case .findService:
            guard let service = storage.pointee.core.offer.peripheral else { return }
            request = .findService(service)
        case .findCharacteristics: request = .findCharacteristics(MdocCharacteristic.sought)
        case .findConfigurations: request = .findConfigurations
        case .subscribeState: request = .subscribe(Int(MdocCharacteristic.state.rawValue))
        case .subscribeData: request = .subscribe(Int(MdocCharacteristic.serverToClient.rawValue))
        // These are not asked.
        case .start, .openChannel: return
        }
        switch host.ask(request, now: now) {
        case .asked: break
        case .unknown: answered(step, .notFound, now: now)
        // The link asks one thing at a time, of a link that is up: whoever is asked nothing more has said so.
        case .busy, .notConnected: answered(step, .timedOut, now: now)
        }
    }

    /// False where the host takes nothing now. What the phone does not take any more is found out by its deadline.
    private mutating func send(_ command: MdocCommand, _ octets: borrowing Span<UInt8>, to host: inout Host, _ now: Instant) -> Bool {
        switch command {
        case .notify(let characteristic):
            let result = host.push(service.handle(characteristic), octets, now: now)
            guard result == .notified || result == .indicated else { return false }
            sent(now: now)
        case .write(let characteristic):
            guard host.write(Int(characteristic.rawValue), octets) == .taken else { return false }
            sent(now: now)
        case .stream:
            let count = host.send(octets)
            guard count > 0 else { return false }
            sent(count, now: now)
        default: return false
        }
        return true
    }
}
