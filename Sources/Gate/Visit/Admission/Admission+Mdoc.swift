import Bluetooth

/// Phones whose engagement is answered. The visit is the code's; its link is one of its own, because anybody may connect to what is
/// advertised for it.
extension Admission {
    /// An engagement is answered. Phones are kept away by that, for as long as it takes.
    mutating func admitEngagement(at now: Instant) {
        var served = Served(address: nil, since: now, step: box.step(at: now))
        served.keepsPhonesAway = true
        code = served
    }

    /// Whether whoever is connected is taken for the phone. Where not, the link is to be ended.
    ///
    /// - Parameter isSought: the gate connected to it.
    mutating func admitPhone(_ address: DeviceAddress, isSought: Bool, at now: Instant) -> Bool {
        guard isSought || !box.isRefused(address, at: now) else { return false }
        beginPhone(address, at: now)
        return true
    }

    /// The phone's link is gone.
    ///
    /// - Parameters:
    ///   - isInVain: it never came as far as a request: whoever connects to what is meant for another is remembered.
    ///   - isUnheard: nothing was heard on it: anybody can have made it, in another's name.
    mutating func phoneLeft(inVain isInVain: Bool, isUnheard: Bool, at now: Instant) {
        guard let (address, since) = endPhone(), isInVain else { return }
        box.countAbandoned(isUnheard ? nil : address, held: now.milliseconds(since: since), at: now)
    }
}
