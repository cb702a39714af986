/// What a peripheral may ask of a central, by Apple's rules: interval a multiple of 15 ms and at least that,
/// maximum 15 ms above the minimum, latency at most 30, supervision 6 to 18 s.
struct ConnectionParameters {
    /// Units of 1.25 ms.
    var minimumInterval: UInt16
    var maximumInterval: UInt16
    /// Connection events.
    var latency: UInt16
    /// Units of 10 ms.
    var supervision: UInt16

    /// 15 to 30 ms, no latency, 6 s: iOS and Android both accept it.
    static var transfer: ConnectionParameters {
        ConnectionParameters(minimumInterval: 12, maximumInterval: 24, latency: 0, supervision: 600)
    }

    /// Whether a link with these values moves data slower than `transfer` would, so that asking is worth a round trip.
    func improves(interval: UInt16, latency current: UInt16) -> Bool { interval > maximumInterval || current > latency }
}
