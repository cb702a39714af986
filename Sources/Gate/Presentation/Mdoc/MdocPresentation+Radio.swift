import Bluetooth
import MdocTransport

/// What the link wants of the radio, and what the radio tells it.
extension MdocPresentation {
    /// Does what the link wants, as far as the host takes it now; call after whatever has happened.
    public mutating func pump(to host: inout Host, at now: Instant) {
        guard stage != .none else { return }
        if stage == .waiting, host.isReady, !host.isConnected, !host.isAdvertising { seek(at: now) }
        if isLinkUp { noteSubscriptions(of: host, at: now) }
        if awaitsLink, !isAired { advertise(on: &host, at: now) }
        while let command = link.next(into: &value, maySend: isLinkUp) {
            guard perform(command, on: &host, at: now) else { return }
        }
    }

    /// False where nothing more can be done for now.
    private mutating func perform(_ command: MdocCommand, on host: inout Host, at now: Instant) -> Bool {
        switch command {
        case .advertise(let uuid):
            (advertised, isAired) = (uuid, false)
            advertise(on: &host, at: now)
        case .rest:
            if advertised != nil { host.stopAdvertising() }
            advertised = nil
        case .disconnect: host.disconnect(now: now)
        case .notify(let characteristic): return notify(characteristic, on: &host, at: now)
        case .opened(let bearer): ask(over: bearer, at: now)
        case .received: hear(at: now)
        case .failed(let failure): lose(failure, at: now)
        case .ended:
            advertised = nil
            stage = .quiet
        // The host is no central: `MdocPreference.canConnect` says so, and none of these is told.
        case .scan, .connect, .ask, .openChannel, .write, .stream: break
        }
        return true
    }

    /// Advertises the engagement's service, from an address and with a table of its own; where a link is up, once that is gone.
    mutating func advertise(on host: inout Host, at now: Instant) {
        guard let advertised, let address, !host.isConnected, host.isReady else { return }
        if !hasTable {
            guard let table = makeTable() else { return fail(.unavailable) }
            hasTable = host.serve(table)
            guard hasTable else { return }
        }
        let announcement = MdocAnnouncement(advertised)
        isAired = announcement.withOctets { data in
            do throws(AdvertisingError) {
                try host.advertise(address: address, data: data, scanResponse: Span(), now: now)
                return true
            } catch {
                return false
            }
        }
        if !isAired { fail(.unavailable) }
    }

    /// What was advertised is not on the air any more: somebody else has connected, and is sent away, or the controller was reset.
    public mutating func airLost() { isAired = false }

    private mutating func notify(_ characteristic: MdocCharacteristic, on host: inout Host, at now: Instant) -> Bool {
        switch host.push(link.service.handle(characteristic), value.storage.span.extracting(0..<value.count), now: now) {
        case .notified, .indicated:
            link.sent(now: now)
            return true
        // What the phone does not take any more is found out by its deadline.
        case .busy, .notConnected, .unknownHandle, .notSubscribed, .tooLong: return false
        }
    }

    private mutating func noteSubscriptions(of host: borrowing Host, at now: Instant) {
        link.subscribed(
            state: host.isSubscribed(link.service.handle(.state)), data: host.isSubscribed(link.service.handle(.serverToClient)), now: now)
    }

    // MARK: what the radio tells

    /// - Parameter step: by which the deadlines of the phone's link are shortened.
    mutating func take(_ event: HostEvent, shortenedBy step: UInt8, at now: Instant) {
        switch event {
        case .connected:
            isLinkUp = true
            // Advertising has ended by itself.
            (advertised, isAired) = (nil, false)
            shortening = step
            report.mtu = AttributeServer.defaultMTU
            link.connected(asCentral: false, step: step, now: now)
        case .disconnected:
            guard isLinkUp else { return }
            isLinkUp = false
            link.disconnected(now: now)
        case .mtuExchanged(let mtu):
            report.mtu = mtu
            link.mtuAgreed(mtu, now: now)
        // The gate is no central yet: it asks for none of the others.
        case .ready, .confirmed, .fault, .found, .scanEnded, .notConnected, .answered, .channelOpened, .channelRefused, .channelClosed: break
        }
    }

    /// The packet goes through the host into the link.
    public mutating func receive(_ packet: borrowing Span<UInt8>, through host: inout Host, at now: Instant) -> HostEvent? {
        link.advance(to: now)
        return host.receive(packet, now: now, to: &link)
    }

    /// What the phone sent before the controller told of its link; ask until there is no event.
    public mutating func receiveEarlyData(through host: inout Host, at now: Instant) -> HostEvent? {
        link.advance(to: now)
        return host.receiveEarlyData(now: now, to: &link)
    }

    /// The gate's own table is served again.
    public mutating func tableReplaced() { hasTable = false }
}
