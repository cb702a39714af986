import Envelopes
import Trust

/// Looks up a credential's status in the lists of the trust bundle. Never fetches; every doubt is unknown.
struct StatusLookup {
    let context: VerificationContext
    let memory: StatusMemory

    private var time: Seconds { context.time }

    /// - Parameters:
    ///   - stated: what the signed credential says.
    ///   - issuer: of the credential, whose policy counts.
    func finding(_ stated: [StatedStatus], of issuer: TrustedIssuer) -> StatusFinding {
        guard !stated.isEmpty else { return .unstated }
        guard !issuer.status.isIgnored else { return StatusFinding(status: .unknown, age: nil, isStale: false, fault: nil) }
        var worst = CredentialStatus.good, fault: StatusListFault?, age: Seconds?, isStale = false
        for status in stated {
            do throws(StatusListFault) {
                guard case .entry(let entry) = status else { throw .entryUnreadable }
                let list = try list(entry.list, issuer)
                age = max(age ?? 0, list.age(at: time))
                if list.isOver(at: time, for: issuer), (try? list.status(of: entry)) == .revoked {
                    worst = .revoked
                    isStale = true
                    continue
                }
                try list.check(at: time, for: issuer)
                if list.isStale(at: time, for: issuer) { isStale = true }
                worst = Self.worse(worst, try list.status(of: entry))
            } catch {
                if error == .listUnsigned, wasRevoked(status, issuer) {
                    worst = .revoked
                    isStale = true
                    continue
                }
                fault = fault ?? error
                worst = Self.worse(worst, .unknown)
            }
        }
        return StatusFinding(status: worst, age: age, isStale: isStale, fault: worst == .unknown ? fault : nil)
    }

    /// Whether the list said *revoked* when it was fetched, by a key or certificate that has ended since. Nothing else is taken from such a
    /// list, and nothing before it begins.
    private func wasRevoked(_ status: StatedStatus, _ issuer: TrustedIssuer) -> Bool {
        guard case .entry(let entry) = status, let list = try? list(entry.list, issuer, asFetched: true), list.fetched < time,
            list.hasBegun(at: time, for: issuer)
        else { return false }
        return (try? list.status(of: entry)) == .revoked
    }

    /// A certain no outweighs a doubt, and a doubt a yes.
    private static func worse(_ one: CredentialStatus, _ other: CredentialStatus) -> CredentialStatus {
        let order: [CredentialStatus] = [.revoked, .suspended, .unknown, .good]
        return order.first { $0 == one || $0 == other } ?? .unknown
    }

    /// - Parameter asFetched: with the keys of when it was fetched, instead of now.
    private func list(_ url: String, _ issuer: TrustedIssuer, asFetched: Bool = false) throws(StatusListFault) -> StatusList {
        guard let document = context.trust.lists.first(where: { $0.url.isExactly(url) }) else { throw .listMissing }
        let key = StatusMemory.Key(document, issuer, isAsFetched: asFetched), time = asFetched ? document.fetched : time
        if let known = memory.recall(key, at: time) { return try known.get() }
        let read: Result<StatusList, StatusListFault>
        do throws(StatusListFault) {
            read = .success(try StatusList(ParsedStatusList(document), of: issuer, context, at: time))
        } catch {
            read = .failure(error)
        }
        memory.keep(read, for: key, at: time)
        return try read.get()
    }
}

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
