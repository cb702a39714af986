import Bluetooth

/// Which of an offer's two services the advertising data names. Legacy data has 31 octets and room for one of them, so they take turns; the
/// scan response stays Tuvali's, whose wallets need it. So every phone meets the data of one service, whole, or of the other, and none a
/// mixture.
struct AdvertisingTurns {
    /// How long one service is named, in milliseconds: ten advertisements and more of each.
    static var milliseconds: UInt64 { 300 }
    /// The same at the slow interval of 152.5 ms, where power is saved and a phone takes longer anyway.
    static var slowMilliseconds: UInt64 { 1_200 }

    /// Its data is on the air, not Tuvali's.
    private(set) var isAries = false
    /// When it is the other's turn; nil where one service is advertised alone.
    private(set) var deadline: Instant?

    /// Advertising begins, with Tuvali's data where Tuvali is offered.
    mutating func begin(tuvali offersTuvali: Bool, aries offersAries: Bool, at now: Instant) {
        isAries = !offersTuvali
        deadline = offersTuvali && offersAries ? now.adding(milliseconds: Self.milliseconds) : nil
    }

    /// Whether it is the other's turn; asked again after another turn where it could not be had.
    mutating func isDue(slowly: Bool, at now: Instant) -> Bool {
        guard let due = deadline, now >= due else { return false }
        deadline = now.adding(milliseconds: slowly ? Self.slowMilliseconds : Self.milliseconds)
        return true
    }

    /// The other's data is on the air.
    mutating func turned() { isAries.toggle() }

    /// Nothing is advertised any more.
    mutating func end() { self = AdvertisingTurns() }
}
