import Bluetooth

/// Codes before the camera: they come one after the other, without a link and without an address.
extension Admission {
    /// Codes are not looked into, after too many in vain.
    func isPaused(at now: Instant) -> Bool { patience.isPaused(at: now) }

    /// A code is judged. Its message lies open from the start.
    ///
    /// - Parameter hasYielded: a phone was asked to leave for it.
    mutating func admitCode(hasYielded: Bool, at now: Instant) {
        var served = Served(address: nil, since: now, step: 0, outcome: .opened)
        served.hasYielded = hasYielded
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
        let isSlow = held >= PenaltyBox.promptMilliseconds
        if isSlow { box.countAbandoned(nil, held: held, at: now) }
        // Of one credential that an issuer signed anybody makes as many codes as he likes, by compressing it otherwise or by leaving out a
        // disclosure. It counts where it kept phones away: one was asked to leave, or nothing was on the air while it waited.
        let keptPhonesAway = code.hasYielded || code.waitedMilliseconds > 0
        if isSlow || (isNew && (keptPhonesAway || !code.isGenuine)) { patience.countFruitless(at: now) }
    }
}
