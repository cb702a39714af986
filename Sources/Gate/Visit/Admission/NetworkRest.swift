import Bluetooth

/// How long nothing that is sent on the gate's own network is looked at, after something that came to nothing.
///
/// To find out what a proof is worth takes up to ten seconds of a small board, in which nothing else is done, and whoever sends one need
/// not stand there. So the gate rests from them for eight times as long as the last one took: however many are sent, eight ninths of its
/// time are for those who come. Nobody else's patience is shortened by it.
struct NetworkRest {
    private var until = Instant(nanoseconds: 0)
    /// A look that began, and whose end is not known yet.
    private var begun: Instant?

    /// Also after what took no time at all.
    static var shortestMilliseconds: UInt64 { 500 }
    static var longestMilliseconds: UInt64 { 60_000 }
    /// After what made a phone leave, or kept the air empty: somebody whose credential is good, and lets nobody in.
    static var afterYieldMilliseconds: UInt64 { 16_000 }
    private static var share: UInt64 { 8 }

    func isOn(at now: Instant) -> Bool { begun != nil || now < until }

    /// What was looked at from now on is worth nothing.
    mutating func begin(at now: Instant) { begun = now }

    /// The look is over, for whoever asks after it.
    mutating func end(at now: Instant) {
        guard let begun else { return }
        self.begun = nil
        count(held: now.milliseconds(since: begun), keepsPhonesAway: false, at: now)
    }

    /// - Parameter held: milliseconds that it took.
    mutating func count(held: UInt64, keepsPhonesAway: Bool, at now: Instant) {
        let least = keepsPhonesAway ? Self.afterYieldMilliseconds : Self.shortestMilliseconds
        let (time, isOver) = held.multipliedReportingOverflow(by: Self.share)
        let milliseconds = isOver ? Self.longestMilliseconds : min(max(time, least), Self.longestMilliseconds)
        until = max(until, now.adding(milliseconds: milliseconds))
    }

    /// Somebody was let in, or the gate forgets.
    mutating func forget() { self = NetworkRest() }
}

extension Admission {
    /// Nothing that may become a visit is taken from the network now.
    func takesNoAnswers(at now: Instant) -> Bool { visitRest.isOn(at: now) }

    /// The same, and no proof is looked at.
    func takesNoPosts(at now: Instant) -> Bool { takesNoAnswers(at: now) || proofRest.isOn(at: now) }

    /// What was posted is worth nothing. How long that took to find out is known when `endRest` is called next.
    mutating func beginRest(at now: Instant) { proofRest.begin(at: now) }

    mutating func endRest(at now: Instant) { proofRest.end(at: now) }
}
