import Presentation

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

    /// Whether a code before the camera is a way to present a credential.
    public var takesCodes = false
    /// Types of credentials whose code lets somebody in without a match of faces where the policy on faces asks for none; `*` stands for
    /// every type. Anybody can copy a code, so there are none by default.
    public var copiesWithoutFace: Set<String> = []
    /// What issuers of this site write before PixelPass, beside which plain PixelPass is read as well.
    public var codePrefix: [UInt8] = []

    /// What the gate offers by codes of its own.
    public var offer = OfferSettings()
    /// What is asked of Trusted Key wallets, where somebody is believed about their claims; nil asks nothing.
    public var trustedKey: TrustedKeySettings?

    /// What is asked of AnonCreds credentials, where somebody is believed about them; nil asks nobody.
    public var proofs: ProofWishes?
    /// What is asked of documents in phones, where somebody is believed about them.
    public var mdoc = MdocSettings()

    /// Whether the radio may advertise slowly while nobody comes: a board on a battery.
    public var savesPower = false

    public init() {}

    /// Whether a copy of a credential of this type lets somebody in who is not compared with it.
    func acceptsCopy(of type: String) -> Bool { copiesWithoutFace.contains(Self.everyType) || copiesWithoutFace.contains(type) }

    /// Whether a visit may need a face, so that there is something for a supervisor's key to stand for.
    var mayNeedFace: Bool { face != .off || takesCodes && !copiesWithoutFace.contains(Self.everyType) }

    private static var everyType: String { "*" }
}
