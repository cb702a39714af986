/// A way to the phone that an engagement offers (mdoc.md section 1.2).
public enum Bearer: Hashable, Sendable {
    /// The gate connects to the phone that advertises `uuid` and opens an L2CAP channel to `psm`.
    case channel(uuid: [UInt8], psm: UInt16)
    /// The gate connects to the phone that advertises `uuid` and is its GATT client: mdoc peripheral server mode.
    case client(uuid: [UInt8])
    /// The gate advertises `uuid` and is the phone's GATT server: mdoc central client mode.
    case server(uuid: [UInt8])

    /// What a site prefers where a phone offers several.
    public enum Preference: String, Hashable, Sendable, CaseIterable {
        case channel, client, server
    }

    /// What this gate is able to do and its site allows.
    public struct Abilities: Hashable, Sendable {
        /// The controller scans and connects.
        public var connects: Bool
        /// L2CAP channels are allowed.
        public var hasChannels: Bool

        public init(connects: Bool = true, hasChannels: Bool = true) {
            self.connects = connects
            self.hasChannels = hasChannels
        }
    }

    private var preference: Preference {
        switch self {
        case .channel: .channel
        case .client: .client
        case .server: .server
        }
    }
}

extension DeviceEngagement {
    /// The ways to the phone, the one to try first in front; empty where the gate is able to none of them, which is `no-usable-method` too.
    ///
    /// A channel that is refused is followed by the same phone's GATT server on the same link; a phone that is not found, by advertising.
    /// Two are never tried at once: wallets put one UUID into both modes, and two half-links would meet.
    public func bearers(preferring preference: Bearer.Preference = .channel, _ abilities: Bearer.Abilities = .init()) -> [Bearer] {
        var bearers: [Bearer] = []
        if abilities.connects, let peripheral {
            if abilities.hasChannels, let psm { bearers.append(.channel(uuid: peripheral, psm: psm)) }
            bearers.append(.client(uuid: peripheral))
        }
        if let central { bearers.append(.server(uuid: central)) }
        return bearers.filter { $0.isPreferred(by: preference) } + bearers.filter { !$0.isPreferred(by: preference) }
    }
}

extension Bearer {
    fileprivate func isPreferred(by preference: Preference) -> Bool { self.preference == preference }
}
