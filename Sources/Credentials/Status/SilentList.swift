/// A status list that says nothing, or nothing but whom it revoked.
public struct SilentList: Hashable, Sendable {
    public let url: String
    public let fault: StatusListFault
    /// Only time is against it: its own end, its age, a clock, or the end of the key that it was signed with.
    public let isOfTime: Bool
    /// An issuer whose credentials may name it rejects where a status is not known.
    public let turnsAway: Bool
    /// An issuer whose credentials may name it accepts where a status is not known, and with it who was revoked.
    public let letsIn: Bool

    /// Whether anybody looks at it.
    public var isHeeded: Bool { turnsAway || letsIn }
}

extension CredentialVerifier {
    /// Every list that says nothing at `time`, in seconds since 1970, in the order of the trust store.
    public func silentLists(at time: Seconds) -> [SilentList] {
        trust.lists.compactMap { document in
            let now = StatusListOrigin(trust, document, at: { _ in time }).found
            guard let fault = now.fault else { return nil }
            let before = StatusListOrigin(trust, document, at: \.fetched).found
            let isOfTime = switch fault {
            case .listNotCurrent, .listTooOld, .listFromFuture: true
            case .listUnsigned: before.fault == nil
            default: false
            }
            // The policy of the credential's issuer counts. Nothing but a signature says whose credentials name a list: where none holds, anybody's may.
            let readers = (now.issuer ?? before.issuer).map { [$0] } ?? trust.issuers
            let policies = readers.map(\.status).filter { !$0.isIgnored }.map(\.unknown)
            return SilentList(
                url: document.url, fault: fault, isOfTime: isOfTime, turnsAway: policies.contains(.reject), letsIn: policies.contains(.accept))
        }
    }
}
