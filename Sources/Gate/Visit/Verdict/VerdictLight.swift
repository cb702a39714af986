import Bluetooth

/// What the lights say of visits: the verdict on one, or that one has failed.
///
/// A verdict stands for its time, whatever the links after it do: the next one waits, with a pause between the two, so that each of two
/// greens is seen as one and belongs to one visitor. A failure is no verdict on anybody, and any stranger can bring it about: it is shown
/// where no verdict stands, gives way to the next, and is otherwise only recorded.
struct VerdictLight {
    private var verdict: LightState?
    /// Of a reject, for the guard's eyes.
    private var reason: GateReason?
    private var verdictUntil: Instant?
    private var pause: UInt64 = 0
    /// When the next verdict may be shown; nil until the light has ended.
    private var pauseUntil: Instant?
    private var failureUntil: Instant?
    /// The last verdict was red, for nonsense. Not whose it was: an address is as cheap as nonsense.
    private(set) var isForNonsense = false

    /// A verdict is shown, or was until a moment ago: the next one has to wait, and no failure is shown.
    var isStanding: Bool { verdict != nil || pauseUntil != nil }

    /// What the lights say; nil where they say nothing of a visit.
    var state: LightState? { verdict ?? (failureUntil == nil ? nil : .reject) }

    /// The same for the screen.
    var sign: VisitorSign? {
        switch verdict {
        case .accept: .accepted
        case .some: .rejected(reason)
        case nil: failureUntil == nil ? nil : .failed
        }
    }

    /// A verdict is shown now.
    var isVerdictShown: Bool { verdict != nil }

    /// When `expire` wants to be called.
    var deadline: Instant? { Instant.earliest(verdictUntil ?? pauseUntil, failureUntil) }

    /// Shows a verdict, for `milliseconds`; none stands before it.
    mutating func show(
        accepted isAccepted: Bool, reason: GateReason?, isNonsense: Bool, for milliseconds: UInt64, pause: UInt64, at now: Instant
    ) {
        verdict = isAccepted ? .accept : .reject
        self.reason = isAccepted ? nil : reason
        verdictUntil = now.adding(milliseconds: milliseconds)
        self.pause = pause
        isForNonsense = isNonsense
        failureUntil = nil
    }

    /// Shows that a visit failed, where no verdict stands.
    mutating func showFailure(for milliseconds: UInt64, at now: Instant) {
        if !isStanding { failureUntil = now.adding(milliseconds: milliseconds) }
    }

    /// Somebody else's turn, or the end of all visits.
    mutating func endFailure() { failureUntil = nil }

    mutating func expire(at now: Instant) {
        if let until = verdictUntil, now >= until {
            (verdict, verdictUntil) = (nil, nil)
            // Of a loop that comes late, too: the light has stood until now.
            pauseUntil = now.adding(milliseconds: pause)
        }
        if let until = pauseUntil, now >= until { pauseUntil = nil }
        if let until = failureUntil, now >= until { failureUntil = nil }
    }
}
