import Envelopes

/// What a trust bundle says about itself: until when its contents are believed, and what is known about the time.
public struct TrustTerms: Hashable, Sendable {
    /// Why nobody at all is believed.
    package enum Refusal: Error, Hashable, Sendable {
        /// The board's clock is behind a time that is known to have passed.
        case clockUnsure
        /// The trust bundle is past its end.
        case expired
    }

    public let sequence: Int64
    /// Inclusive, in seconds since 1970.
    public let notBefore: Seconds
    /// Exclusive, in seconds since 1970.
    public let notAfter: Seconds
    /// What to do while the board's clock is in doubt.
    public let clock: TrustBundle.ClockPolicy
    /// A time that has certainly passed.
    private var highWater: RunningMarks
    /// The time that is judged at while the board's clock is in doubt: that, or the bundle's beginning, which was met when it was
    /// installed.
    private var judged: RunningMarks

    /// - Parameters:
    ///   - highWater: a time that has certainly passed, in seconds since 1970.
    ///   - uptime: seconds that the board has run for: a clock that nobody sets. From here on `highWater` goes by with it.
    public init(_ bundle: TrustBundle, highWater: Seconds, uptime: Seconds = 0) {
        sequence = bundle.sequence
        notBefore = bundle.notBefore
        notAfter = bundle.notAfter
        clock = bundle.clock
        self.highWater = RunningMarks(highWater, at: uptime)
        judged = RunningMarks(max(highWater, bundle.notBefore), at: uptime)
    }

    /// A time that has certainly passed: what was signed, and what the board has run since. The board's own clock never raises it.
    ///
    /// - Parameter uptime: by the clock of `init`. Earlier than there counts as then.
    public func floor(at uptime: Seconds) -> Seconds { highWater.time(at: uptime) }

    /// The same, with a mark that is at all times at least as high as that of `old`, and a time to judge at that never goes back.
    func following(_ old: TrustTerms) -> TrustTerms {
        var terms = self
        terms.highWater = highWater.following(old.highWater)
        terms.judged = judged.following(old.judged)
        return terms
    }

    /// What the board's clock is worth: in doubt behind a time that has passed, and before the bundle's own beginning, because a bundle is
    /// not installed before that.
    ///
    /// - Parameters:
    ///   - wall: seconds since 1970 by the board's clock.
    ///   - uptime: seconds that the board has run for.
    public func clock(at wall: Seconds, uptime: Seconds) -> TrustedClock {
        TrustedClock(wall: wall, highWater: judged.time(at: uptime))
    }

    /// The time to judge at, and whether that is in doubt. Throws why nobody at all is believed at this time.
    package func time(_ wall: Seconds, _ uptime: Seconds) throws(Refusal) -> (now: Seconds, isUnsure: Bool) {
        let known = clock(at: wall, uptime: uptime)
        // In doubt the latest certain time decides: what has expired by then has expired.
        guard known.now < notAfter else { throw .expired }
        guard case .unsure(let now) = known else { return (known.now, false) }
        guard clock == .accept else { throw .clockUnsure }
        return (now, true)
    }
}

/// What a gate knows about the time: its own clock, and a time that has certainly passed.
public enum TrustedClock: Hashable, Sendable {
    /// Nothing speaks against the board's clock.
    case sure(Seconds)
    /// The board's clock is behind a time that has passed: it is at least that late.
    case unsure(atLeast: Seconds)

    /// - Parameters:
    ///   - wall: seconds since 1970 by the board's clock.
    ///   - highWater: `HighWater.time`.
    public init(wall: Seconds, highWater: Seconds) {
        self = wall >= highWater ? .sure(wall) : .unsure(atLeast: highWater)
    }

    /// The time to judge validity at. In doubt it is the latest that is certain, so what has expired by then stays expired.
    public var now: Seconds {
        switch self {
        case .sure(let time), .unsure(let time): time
        }
    }
}
