import Bluetooth

/// Codes before the camera: they come one after the other, without a link and without an address.
extension Admission {
    /// Codes are not looked into, after too many in vain.
    func isPaused(at now: Instant) -> Bool { patience.isPaused(at: now) }

    /// A code is judged. Its message lies open from the start.
    ///
    /// - Parameters:
    ///   - keepsPhonesAway: one was asked to leave for it, or it waits, with nothing on the air, for the end of another's light.
    ///   - isFromNetwork: it is no code, but was sent.
    mutating func admitCode(keepsPhonesAway: Bool, isFromNetwork: Bool = false, at now: Instant) {
        var served = Served(address: nil, since: now, step: 0, outcome: .opened)
        served.keepsPhonesAway = keepsPhonesAway
        served.isFromNetwork = isFromNetwork
        code = served
    }

    /// The code is judged, or the visit has ended otherwise.
    ///
    /// - Parameter isNew: it was not rejected before for what would be so again.
    mutating func endCode(isNew: Bool, at now: Instant) {
        guard let code else { return }
        self.code = nil
        guard code.outcome != .accepted else { return }
        // Somebody who stays out of the camera's sight, or waits behind nonsense with nonsense, takes time from everybody, as on a link.
        let held = code.held(now)
        // Whoever sits on the network shortens nobody's time who stands here, by radio or before the camera: only what is sent waits.
        if code.isFromNetwork { return visitRest.count(held: held, keepsPhonesAway: code.keepsPhonesAway, at: now) }
        let isSlow = held >= PenaltyBox.promptMilliseconds
        if isSlow { box.countAbandoned(nil, held: held, at: now) }
        // Of one credential that an issuer signed anybody makes as many codes as he likes, by compressing it otherwise or by leaving out a
        // disclosure. It counts where it kept phones away.
        if isSlow || (isNew && (code.keepsPhonesAway || !code.isGenuine)) { patience.countFruitless(at: now) }
    }
}
