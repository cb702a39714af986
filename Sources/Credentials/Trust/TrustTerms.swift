/// What a trust bundle says about itself: until when its contents are believed, and what is known about the time.
public struct TrustTerms: Hashable, Sendable {
    public let sequence: Int64
    /// Inclusive, in seconds since 1970.
    public let notBefore: Seconds
    /// Exclusive, in seconds since 1970.
    public let notAfter: Seconds
    /// What to do while the board's clock is in doubt.
    public let clock: TrustBundle.ClockPolicy
    /// A time that has certainly passed, in seconds since 1970.
    public private(set) var highWater: Seconds

    public init(_ bundle: TrustBundle, highWater: Seconds) {
        sequence = bundle.sequence
        notBefore = bundle.notBefore
        notAfter = bundle.notAfter
        clock = bundle.clock
        self.highWater = highWater
    }

    /// The same, with a mark that is at least as high as that of `old`.
    func following(_ old: TrustTerms) -> TrustTerms {
        var terms = self
        terms.highWater = max(highWater, old.highWater)
        return terms
    }

    /// What the board's clock is worth: in doubt behind a time that has passed, and before the bundle's own beginning, because a bundle is not
    /// installed before that.
    ///
    /// - Parameter wall: seconds since 1970 by the board's clock.
    public func clock(at wall: Seconds) -> TrustedClock { TrustedClock(wall: wall, highWater: max(highWater, notBefore)) }

    /// The time to judge at, and whether that is in doubt. Throws `clockUnsure` and `trustExpired`.
    ///
    /// - Parameter wall: seconds since 1970 by the board's clock.
    func time(_ wall: Seconds) throws(RejectReason) -> (now: Seconds, isUnsure: Bool) {
        let known = clock(at: wall)
        // In doubt the latest certain time decides: what has expired by then has expired.
        guard known.now < notAfter else { throw .trustExpired }
        guard case .unsure(let now) = known else { return (known.now, false) }
        guard clock == .accept else { throw .clockUnsure }
        return (now, true)
    }
}
