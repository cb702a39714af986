/// Connectable, scannable advertising (ADV_IND) of one payload from one random address. The legacy commands are
/// preferred: where a controller has both sets, they are the older and better tried ones.
struct Advertising: ~Copyable {
    /// Advertising goes on until a link is up or the application ends it.
    var isWanted = false
    /// An enabling command was sent, and nothing since has ended advertising.
    var mayBeOn = false
    /// A link came up while the enabling command was unanswered.
    var hasLinkedMeanwhile = false
    /// The controller has said that it advertises.
    var isOn = false
    /// The controller has the extended commands only.
    var isExtended = false
    var address = DeviceAddress()
    var data = OctetBuffer<31>()
    var scanResponse = OctetBuffer<31>()
    /// A board on a battery: the fast interval is used for a while, the slow one afterwards.
    var savesPower = false
    var fastUntil: Instant?
    var isFast = true
    /// Refusals in a row, and when to try again.
    var refusals = 0
    var retryAt: Instant?

    init() {}

    /// 20 to 30 ms, in which a phone that scans in the background finds an accessory soon; 152.5 ms where power is saved
    /// (Apple's accessory guidelines). In units of 0.625 ms.
    var interval: (least: UInt16, most: UInt16) { isFast ? (0x0020, 0x0030) : (0x00F4, 0x00F4) }

    static var fastMilliseconds: UInt64 { 30_000 }

    /// The controller ended advertising by itself.
    mutating func ended() {
        mayBeOn = false
        isOn = false
    }

    /// Forgets what the controller does, keeps what is wanted.
    mutating func controllerLost() {
        mayBeOn = false
        isOn = false
        isExtended = false
        refusals = 0
        retryAt = nil
    }
}

/// A payload that does not fit a legacy advertisement.
public enum AdvertisingError: Error, Hashable, Sendable {
    /// Data or scan response longer than 31 octets.
    case tooLong
}
