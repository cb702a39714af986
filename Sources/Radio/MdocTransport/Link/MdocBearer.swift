import Bluetooth

/// What carries the messages of a visit; one at a time (mdoc.md section 1.2).
public enum MdocBearer: UInt8, Hashable, Sendable {
    /// An L2CAP channel to a phone that the gate connected to.
    case channel
    /// The gate is the GATT client: mdoc peripheral server mode.
    case client
    /// The gate is the GATT server: mdoc central client mode.
    case server

    /// The gate looks for the phone and connects.
    public var isCentral: Bool { self != .server }

    /// Where the phone's fragments come.
    var incoming: MdocCharacteristic? {
        switch self {
        case .channel: nil
        case .client: .serverToClient
        case .server: .clientToServer
        }
    }

    /// Where the gate's fragments go.
    var outgoing: MdocCharacteristic { self == .server ? .serverToClient : .clientToServer }
}

/// How a phone may be reached, as its engagement says (mdoc.md section 1).
public struct MdocOffer: Hashable, Sendable {
    /// Key 10: the service that the phone advertises.
    public var peripheral: UUID?
    /// Key 11: the service that the phone looks for.
    public var central: UUID?
    /// Key 21: the SPSM of the phone's channel, where it is a peripheral.
    public var spsm: UInt16?

    public init(peripheral: UUID? = nil, central: UUID? = nil, spsm: UInt16? = nil) {
        self.peripheral = peripheral
        self.central = central
        self.spsm = spsm
    }

    /// The SPSMs that a phone's system gives to apps (Core Vol 3 Part A 4.22); no other is anybody's to offer.
    public static var dynamicSPSMs: ClosedRange<UInt16> { 0x0080...0x00FF }
}

/// What the gate likes best and what its controller can do (mdoc.md section 1.2).
public struct MdocPreference: Hashable, Sendable {
    /// The bearer that is tried first, where the phone offers it. A channel is opened only where it is the one preferred.
    public var first: MdocBearer
    /// The controller scans and connects.
    public var canConnect: Bool
    /// The controller advertises.
    public var canAdvertise: Bool

    public init(first: MdocBearer = .channel, canConnect: Bool = true, canAdvertise: Bool = true) {
        self.first = first
        self.canConnect = canConnect
        self.canAdvertise = canAdvertise
    }
}

/// Which bearer is tried, and which one once if nobody is met by the first (mdoc.md section 1.2).
///
/// One of them advertises and one scans, never both at once: many wallets have one UUID for both, and two half-links would meet.
public struct MdocPlan: Hashable, Sendable {
    public let first: MdocBearer
    public let second: MdocBearer?

    /// Nil where phone and gate have nothing in common.
    public init?(_ offer: MdocOffer, _ preference: MdocPreference) {
        let takesChannel = preference.first == .channel && offer.spsm.map { MdocOffer.dynamicSPSMs.contains($0) } == true
        let connecting: MdocBearer? = preference.canConnect && offer.peripheral != nil ? (takesChannel ? .channel : .client) : nil
        let serving: MdocBearer? = preference.canAdvertise && offer.central != nil ? .server : nil
        let isServerFirst = preference.first == .server
        guard let first = isServerFirst ? serving ?? connecting : connecting ?? serving else { return nil }
        self.first = first
        second = first == .server ? connecting : serving
    }
}
