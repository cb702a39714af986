/// What this side of a link is, as HCI numbers it (Core Vol 4 Part E 7.7.65.1). It is a property of the link: the same host is now the one,
/// now the other.
public enum Role: UInt8, Hashable, Sendable {
    /// The side that connected.
    case central = 0
    /// The side that let itself be found.
    case peripheral = 1
}

/// Whom a scanner has heard.
public struct Peer: Hashable, Sendable {
    public var address: DeviceAddress
    /// A random address; otherwise a public one.
    public var isRandom: Bool

    public init(address: DeviceAddress, isRandom: Bool) {
        self.address = address
        self.isRandom = isRandom
    }

    /// Nil for a type that nobody can be connected by: resolved addresses, since no key is ever given to a controller, and none at all.
    init?(address: DeviceAddress, type: UInt8) {
        guard type <= 1 else { return nil }
        self.init(address: address, isRandom: type == 1)
    }
}
