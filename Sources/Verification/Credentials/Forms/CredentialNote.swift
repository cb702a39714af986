/// What an accepted credential does not prove, or how it was believed. Data for policy; sentences are in `Messages.swift`.
public enum CredentialNote: String, Hashable, Sendable, CaseIterable {
    /// A key binding JWT is present and intact, but answers no challenge of this gate: it is not fresh. Or the gate asked, and there
    /// is none at all.
    case keyBindingNotFresh = "key-binding-not-fresh"
    /// The credential can be revoked and the trust entry says to ignore that.
    case statusIgnored = "status-ignored"
    /// The list is older than the issuer's policy, or the list itself, would like.
    case statusStale = "status-stale"
    /// The status is unknown and the trust entry says to accept that.
    case statusUnknown = "status-unknown"
    /// An element of `type` is not signed. No decision rests on it.
    case typeNotSigned = "type-not-signed"
    /// There are proofs by keys that are not the issuer's. They count for nothing, and anyone can add one.
    case proofsIgnored = "proofs-ignored"
    /// The board's clock is behind a time that has passed, and the trust bundle says to accept that.
    case clockUnsure = "clock-unsure"
    case neverExpires = "never-expires"
    /// A date of the credential names no time zone: it was taken as UTC.
    case timeZoneAssumed = "time-zone-assumed"
    case keyFromCertificate = "key-from-certificate"

    /// A stable word for programs.
    public var code: String { rawValue }
}
