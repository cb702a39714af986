import Envelopes
import Trust

/// One status list of a trust store, for whoever keeps the gate.
public struct StatusListSummary: Hashable, Sendable {
    public let url: String
    /// The first id of the trusted issuer whose list it is; nil when it is nobody's.
    public let issuer: String?
    public let fetched: Seconds
    /// Seconds since it was fetched, none for a time to come.
    public let age: Seconds
    /// When the issuer signed it; nil for a list that does not verify or does not say.
    public let signed: Seconds?
    /// The end of the list's own validity.
    public let expires: Seconds?
    /// When it says nothing any more: the end of its own validity, or when it is too old for its issuer's policy; nil for a list that does
    /// not verify.
    public let ends: Seconds?
    /// `revocation`, `suspension`, …; empty for a token, whose values say it themselves.
    public let purposes: [String]
    /// Of one bit for a W3C list; nil for a list that does not verify.
    public let entries: UInt64?
    /// A newer one should be fetched.
    public let isStale: Bool
    /// Why it says nothing about any credential now; nil when it does.
    public let fault: StatusListFault?
}

extension TrustStore {
    /// Every list of the trust store, in its order.
    ///
    /// - Parameter time: now, in seconds since 1970.
    public func statusLists(at time: Seconds) -> [StatusListSummary] {
        lists.map { document in
            let (list, issuer, fault) = StatusListOrigin(self, document, at: { _ in time }).found
            let (age, overflow) = time.subtractingReportingOverflow(document.fetched)
            return StatusListSummary(
                url: document.url, issuer: issuer?.ids.first, fetched: document.fetched,
                age: list?.age(at: time) ?? (overflow ? 0 : max(0, age)),
                signed: list?.signed, expires: list?.validity.expires,
                ends: list.flatMap { list in issuer.map { list.end(for: $0) } }, purposes: list?.purposes ?? [], entries: list?.count,
                isStale: list.flatMap { list in issuer.map { list.isStale(at: time, for: $0) } } ?? false, fault: fault)
        }
    }

    /// The latest time, in seconds since 1970, at which a trusted issuer signed a list; nil where no list verifies. The clock cannot be
    /// earlier.
    ///
    /// Each list is verified as of when it was fetched, not as of now: what a wrong clock says about keys must not hide that it is wrong.
    /// An issuer cannot push the clock ahead: what claims to be signed after it was fetched does not count.
    public var newestListSigned: Seconds? {
        lists.compactMap { document in
            let origin = StatusListOrigin(self, document, at: \.fetched)
            guard let signed = origin.found.list?.signed, signed <= document.fetched else { return nil }
            return signed
        }.max()
    }
}

/// Whose list a document is.
struct StatusListOrigin {
    /// `list` is there when the signature verifies, even where something else is against it.
    let found: (list: StatusList?, issuer: TrustedIssuer?, fault: StatusListFault?)

    /// - Parameter time: when the issuer's keys are to be believed, and the list to be current.
    init(_ trust: TrustStore, _ document: PinnedStatusList, at time: (PinnedStatusList) -> Seconds) {
        let time = time(document)
        // Lists are read one after another and forgotten, so that many do not take memory all at once.
        let context = VerificationContext(trust: trust, time: time)
        var fault = StatusListFault.issuerMismatch
        do throws(StatusListFault) {
            let taken = try ParsedStatusList(document)
            let stated = taken.statedIssuer
            for issuer in trust.issuers where stated.map({ id in issuer.ids.contains { $0.isExactly(id) } }) ?? true {
                do throws(StatusListFault) {
                    let list = try StatusList(taken, of: issuer, context, at: time)
                    found = (list, issuer, Self.fault(list, issuer, time))
                    return
                } catch {
                    fault = error
                }
            }
        } catch {
            fault = error
        }
        found = (nil, nil, fault)
    }

    private static func fault(_ list: StatusList, _ issuer: TrustedIssuer, _ time: Seconds) -> StatusListFault? {
        do throws(StatusListFault) {
            try list.check(at: time, for: issuer)
            return nil
        } catch {
            return error
        }
    }
}

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

extension TrustStore {
    /// Every list that says nothing at `time`, in seconds since 1970, in the order of the trust store.
    public func silentLists(at time: Seconds) -> [SilentList] {
        lists.compactMap { document in
            let now = StatusListOrigin(self, document, at: { _ in time }).found
            guard let fault = now.fault else { return nil }
            let before = StatusListOrigin(self, document, at: \.fetched).found
            let isOfTime =
                switch fault {
                case .listNotCurrent, .listTooOld, .listFromFuture: true
                case .listUnsigned: before.fault == nil
                default: false
                }
            // The policy of the credential's issuer counts. Nothing but a signature says whose credentials name a list: where none holds,
            // anybody's may.
            let readers = (now.issuer ?? before.issuer).map { [$0] } ?? issuers
            let policies = readers.map(\.status).filter { !$0.isIgnored }.map(\.unknown)
            return SilentList(
                url: document.url, fault: fault, isOfTime: isOfTime, turnsAway: policies.contains(.reject),
                letsIn: policies.contains(.accept))
        }
    }
}
