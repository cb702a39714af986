import AriesTransport
import Bluetooth
import Tuvali

/// What of an offer is on the air.
extension Offer {
    /// Advertises what is offered by radio from its address. False where it does not fit.
    public mutating func advertise(on host: inout Host, at now: Instant) -> Bool {
        let offersTuvali = settings.kinds.contains(.tuvali)
        guard offersTuvali || service != nil else {
            // Whoever scans a code and answers by another, or posts, needs no radio; where nobody is asked any more, nobody is met.
            host.stopAdvertising()
            isOnAir = turns.count > 0
            return true
        }
        isOnAir = false
        air.begin(tuvali: offersTuvali, aries: service != nil, at: now)
        let address = address
        guard offersTuvali else {
            return withAnnouncement { data in Self.advertise(data, Span(), from: address, on: &host, at: now) } ?? false
        }
        return payload.withOctets { data, scanResponse in Self.advertise(data, scanResponse, from: address, on: &host, at: now) }
    }

    /// When `turn` wants to be called, while this offer is on the air.
    public var turnDeadline: Instant? { air.deadline }

    /// Names the other service in what is advertised, when it is its turn. Only while this offer is on the air, and not something else.
    public mutating func turn(on host: inout Host, at now: Instant) {
        guard air.isDue(slowly: host.advertisesSlowly, at: now) else { return }
        let isReplaced =
            if air.isAries {
                payload.withOctets { data, _ in host.replaceAdvertisingData(data) }
            } else {
                withAnnouncement { data in host.replaceAdvertisingData(data) } ?? false
            }
        // Where it cannot be done now, because the interval is being changed, the same service has one more turn.
        if isReplaced { air.turned() }
    }

    private var payload: Advertisement { Advertisement(name, key: key.publicKey, version: version) }

    private func withAnnouncement(_ body: (borrowing Span<UInt8>) -> Bool) -> Bool? {
        guard let service else { return nil }
        let announcement = ServiceAnnouncement(service)
        return announcement.withOctets(body)
    }

    private static func advertise(
        _ data: borrowing Span<UInt8>, _ scanResponse: borrowing Span<UInt8>, from address: DeviceAddress, on host: inout Host,
        at now: Instant
    ) -> Bool {
        do throws(AdvertisingError) {
            try host.advertise(address: address, data: data, scanResponse: scanResponse, now: now)
            return true
        } catch {
            return false
        }
    }
}
