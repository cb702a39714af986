/// Whether somebody holds a button from the start on, for as long as nobody does by accident, and lets it go: a line that is stuck, or a
/// wire that has come loose, presses for ever.
public struct HeldButton: Sendable {
    public enum Outcome: Hashable, Sendable {
        /// It is pressed, and not decided yet.
        case waiting
        /// It was not pressed when the gate started.
        case notHeld
        case letGoEarly
        /// Long enough, and let go.
        case held
        /// It was not let go in time.
        case stuck
    }

    /// Nanoseconds that it has to be held, and that there are to let it go.
    static let time: UInt64 = 10_000_000_000, release: UInt64 = 10_000_000_000
    /// Nanoseconds that one look vouches for at most: on a machine that stands still nobody knows what the button did meanwhile.
    static let mostOfALook: UInt64 = 200_000_000

    /// Of the look before.
    private var last: UInt64?
    /// Nanoseconds that it was seen pressed.
    private var pressed: UInt64 = 0

    public init() {}

    /// It is held, and may be let go.
    public var isLongEnough: Bool { pressed >= Self.time }

    /// What a look at the button says. Nobody asks again once it is anything but `waiting`.
    ///
    /// - Parameter now: nanoseconds of the monotonic clock.
    public mutating func next(isPressed: Bool, now: UInt64) -> Outcome {
        guard let before = last else {
            last = now
            return isPressed ? .waiting : .notHeld
        }
        guard isPressed else { return isLongEnough ? .held : .letGoEarly }
        pressed += min(now > before ? now - before : 0, Self.mostOfALook)
        last = now
        return pressed >= Self.time + Self.release ? .stuck : .waiting
    }
}
