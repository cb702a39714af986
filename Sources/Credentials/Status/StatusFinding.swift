/// What the status lists of the trust bundle say about one credential, and how old that is.
public struct StatusFinding: Hashable, Sendable {
    /// Nil for a credential that names no list: it cannot be revoked.
    public let status: CredentialStatus?
    /// Seconds since the oldest list that was asked was fetched; nil where none was.
    public let age: Seconds?
    /// A list is older than the issuer's policy or the list itself would like.
    public let isStale: Bool
    /// Why the status is unknown.
    public let fault: StatusListFault?

    static let unstated = StatusFinding(status: nil, age: nil, isStale: false, fault: nil)

    /// What the finding means for a verdict.
    func judge(_ policy: StatusPolicy, _ reasons: inout [RejectReason], _ notes: inout Set<CredentialNote>) {
        switch status {
        case nil: return
        case _ where policy.isIgnored: notes.insert(.statusIgnored)
        case .good: if isStale { notes.insert(.statusStale) }
        case .revoked: reasons.append(.revoked)
        case .suspended: reasons.append(.suspended)
        case .unknown: if policy.unknown == .reject { reasons.append(.statusUnknown) } else { notes.insert(.statusUnknown) }
        }
    }
}

/// Why a status list says nothing.
public enum StatusListFault: String, Error, Hashable, Sendable, CaseIterable {
    /// The credential's own entry cannot be read.
    case entryUnreadable = "entry-unreadable"
    /// The bundle has no list of that URL.
    case listMissing = "list-missing"
    /// Not a list in a form this gate reads.
    case listMalformed = "list-malformed"
    /// The list's signature does not verify with a key of the credential's issuer.
    case listUnsigned = "list-unsigned"
    /// Reading the list takes more work or time than a verification has.
    case listTooComplex = "list-too-complex"
    /// The list is somebody else's.
    case issuerMismatch = "issuer-mismatch"
    /// The list calls itself something else than it is called.
    case nameMismatch = "name-mismatch"
    /// The list is about something else than the entry asks.
    case purposeMismatch = "purpose-mismatch"
    /// Before the list's validity, or after its end.
    case listNotCurrent = "list-not-current"
    /// Older than the issuer's policy allows.
    case listTooOld = "list-too-old"
    /// Fetched later than it is now by the gate's clock: one of the two clocks is wrong, so nothing is known about the list's age.
    case listFromFuture = "list-from-future"
    /// The list has no such entry, or its value has no meaning here.
    case entryMissing = "entry-missing"
}
