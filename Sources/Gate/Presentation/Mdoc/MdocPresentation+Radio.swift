import Bluetooth
import MdocTransport

/// What the link wants of the radio, and what the radio tells it. Most of it is `MdocLink`'s own affair (`MdocLink.pump`); a gate that is
/// the server advertises with a table and from an address that are this engagement's.
extension MdocPresentation {
    /// Does what the link wants, as far as the host takes it now; call after whatever has happened.
    public mutating func pump(to host: inout Host, at now: Instant) {
        guard stage != .none, let address else { return }
        if stage == .waiting, host.isReady, !host.isConnected, !host.isAdvertising {
            let controller = host.controller
            seek(canAdvertise: controller.supports(.peripheral), canConnect: controller.supports(.central), at: now)
        }
        if advertised != nil, !isAired { advertise(on: &host, at: now) }
        while let command = link.pump(&host, from: address, value: &value, now: now) {
            switch command {
            case .advertise(let uuid):
                (advertised, isAired) = (uuid, false)
                advertise(on: &host, at: now)
            case .opened(let bearer): ask(over: bearer, at: now)
            case .received: hear(at: now)
            case .failed(let failure): lose(failure, at: now)
            case .ended: stage = .quiet
            case .scan, .connect, .rest, .disconnect, .ask, .openChannel, .notify, .write, .stream: break
            }
        }
        // The link advertises no more: it has come to its end, or looks for the phone.
        if link.isIdle || link.bearer.isCentral { advertised = nil }
    }

    /// Advertises the engagement's service, from an address and with a table of its own; where a link is up, once that is gone.
    private mutating func advertise(on host: inout Host, at now: Instant) {
        guard let advertised, let address, !host.isConnected, host.isReady else { return }
        if !isTableCurrent {
            guard let table = makeTable() else { return fail(.unavailable) }
            isTableCurrent = host.serve(table)
            guard isTableCurrent else { return }
            hasTable = true
        }
        let announcement = ServiceAnnouncement(advertised)
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

    /// What was on the air is not any more: somebody else has connected, and is sent away, or the controller was reset.
    public mutating func airLost() {
        isAired = false
        link.searchLost()
    }

    // MARK: what the radio tells

    /// - Parameter step: by which the deadlines of the phone's link are shortened.
    mutating func take(_ event: HostEvent, of host: borrowing Host, shortenedBy step: UInt8, at now: Instant) {
        switch event {
        case .connected:
            isLinkUp = true
            // Advertising has ended by itself.
            (advertised, isAired) = (nil, false)
            shortening = step
            report.mtu = AttributeServer.defaultMTU
        case .disconnected:
            guard isLinkUp else { return }
            isLinkUp = false
        case .mtuExchanged(let mtu), .answered(.mtu(let mtu)): report.mtu = mtu
        default: break
        }
        link.take(event, of: host, shortenedBy: step, now: now)
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
    public mutating func tableReplaced() { (hasTable, isTableCurrent) = (false, false) }
}
