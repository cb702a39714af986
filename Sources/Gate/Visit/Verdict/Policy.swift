/// What the gate asks of a visit beyond a genuine credential.
public struct Policy: Sendable {
    /// Whether the visitor has to be the person in the credential, which only the face can tell: Tuvali proves nothing about the holder.
    public enum Face: String, Sendable, CaseIterable {
        /// Always; a credential without a portrait is rejected.
        case required
        /// Where the credential has a portrait. Whoever can withhold it, or has a credential without, is let in with any copy.
        case whenPhoto = "when-photo"
        /// Never: whoever has a copy of a credential is let in.
        case off
    }

    public var face = Face.off
    /// How long the gate waits for the shell to decide about a face, in milliseconds. The shell has its own deadlines, all of them shorter.
    public var faceTime: UInt64 = 30_000
    /// How long the verdict's light stays, in milliseconds.
    public var verdictLight: UInt64 = 3000
    /// From the end of a verdict's light to the next verdict at the earliest, in milliseconds: two greens are never one long one.
    public var verdictPause: UInt64 = 500
    /// How long the red light for a visit that failed without a verdict is shown, in milliseconds; shorter, since a stranger can cause it.
    public var failureLight: UInt64 = 1500

    /// Whether a supervisor's key may stand for one visitor's face.
    public var allowsSupervisor = false

    /// Whether a code held before the camera begins a visit.
    public var takesCodes = false
    /// Types of credentials whose code is taken without a face that matches; `*` for all.
    public var copiesWithoutFace: Set<String> = []

    /// Whether the radio may advertise slowly while nobody comes: a board on a battery.
    public var savesPower = false

    public init() {}
}
