/// A way to present that the gate offers by a code of its own.
public enum OfferedKind: String, CaseIterable, Sendable, Hashable {
    /// A credential from a phone, over Tuvali.
    case tuvali
    /// A presentation of AnonCreds in a DIDComm message (aries.md).
    case aries
    /// An answer of a Trusted Key wallet (trustedkey.md).
    case trustedKey = "trustedkey"
}

/// What the gate offers, and how long the code of each stands on the screen. A value of the site's.
public struct OfferSettings: Hashable, Sendable {
    /// Milliseconds: shorter than a person needs to hold a phone up, or longer than anybody waits for the next.
    public static let turns: ClosedRange<UInt64> = 2_000...60_000

    /// At least one.
    public var kinds: Set<OfferedKind>
    /// Milliseconds for which each of several codes is shown at a time.
    public var turn: UInt64

    public init(_ kinds: Set<OfferedKind> = [.tuvali], turn: UInt64 = 8_000) {
        self.kinds = kinds.isEmpty ? [.tuvali] : kinds
        self.turn = min(max(turn, Self.turns.lowerBound), Self.turns.upperBound)
    }
}
