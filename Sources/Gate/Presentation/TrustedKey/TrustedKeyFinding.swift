import Credentials
import Envelopes
import Trust
import TrustedKeyWallet

/// What a gate makes of a wallet's answer: a holder with all that is asked for, or every reason why not.
public struct TrustedKeyFinding: Sendable {
    public enum Verdict: Sendable {
        case accept(TrustedKeyHolder)
        /// At least one reason.
        case reject([TrustedKeyReason])
    }

    public let verdict: Verdict
    /// The trusted issuer's id, where a claim of its was found good; nil where none was.
    public let issuer: String?
    /// Somebody who is believed vouches for the key that signed the request's nonce: it is no stranger's answer.
    public let isVouchedFor: Bool

    init(_ verdict: Verdict, issuer: String? = nil, isVouchedFor: Bool = false) {
        self.verdict = verdict
        self.issuer = issuer
        self.isVouchedFor = isVouchedFor
    }
}

/// A holder whose key has signed this very request, with claims over that key of issuers who are believed.
public struct TrustedKeyHolder: Sendable {
    /// The trusted issuer's id.
    public let issuer: String
    /// The claim's class or type, one of the issuer's entry.
    public let type: String
    /// base64 of a picture, as the issuer signed it; nil without one.
    public let portrait: String?
    /// Nil where the entry says that it is of no interest.
    public let status: CredentialStatus?
    /// What is not proven, or how it was believed, as words of the record's.
    public let notes: [String]
}

/// What the record of an accepted answer says besides.
enum TrustedKeyNote {
    /// The key has signed the gate's nonce. That it is in the phone's hardware says the wallet alone (trustedkey.md section 6).
    static let hardwareClaimed = "holder-bound-hardware-claimed"
}

/// Judges an answer: by the steps of trustedkey.md section 3, then by what the trust entries say.
struct TrustedKeyJudgement {
    /// A claim that was asked for, with its issuer, who is believed about it.
    private typealias Vouched = (claim: VerifiedTrustedKey.Claim, source: VerifiedTrustedKey.Source, issuer: TrustedKeyIssuer)

    let belief: TrustedKeyBelief
    let question: TrustedKeyBelief.Question
    /// Seconds since 1970.
    let now: Seconds

    func finding(_ answer: TrustedKeyAnswer, to request: TrustedKeyRequest) -> TrustedKeyFinding {
        let verified: VerifiedTrustedKey
        do throws(TrustedKeyFault) {
            verified = try TrustedKeyVerifier(clientID: question.clientID, trust: belief.trust).verify(answer, to: request, at: now)
        } catch {
            // An answer without claims fails a late step as well, and nobody has vouched for it.
            guard error.isBehindPaths, answer.hasClaims else { return TrustedKeyFinding(.reject([.answer(error)])) }
            return TrustedKeyFinding(.reject([.claims(error)]), isVouchedFor: true)
        }
        return finding(verified)
    }

    private func finding(_ verified: VerifiedTrustedKey) -> TrustedKeyFinding {
        var vouched: [Vouched] = []
        for claim in verified.claims {
            // The token answers for its own key; of that nobody is let in.
            guard let source = claim.source else { continue }
            guard let issuer = belief.issuer(ofRoot: source.root) else { return TrustedKeyFinding(.reject([.answer(.claimUntrusted)])) }
            vouched.append((claim, source, issuer))
        }
        // A key alone is anybody's.
        guard let first = vouched.first, let id = first.issuer.ids.first else { return TrustedKeyFinding(.reject([.typeNotTrusted])) }
        let status = status(of: vouched)
        var reasons: [TrustedKeyReason] = status.isRefused ? [.statusUnknown] : []
        let isBelieved = vouched.allSatisfy { $0.issuer.isBelieved(for: $0.source) }
        if !isBelieved { reasons.append(.typeNotTrusted) }
        if reasons.isEmpty { reasons = Self.missingRoles(vouched).map(TrustedKeyReason.claimMissing) }
        guard reasons.isEmpty, let type = Self.type(of: first) else {
            return TrustedKeyFinding(.reject(reasons.isEmpty ? [.typeNotTrusted] : reasons), issuer: id, isVouchedFor: true)
        }
        let holder = TrustedKeyHolder(
            issuer: id, type: type, portrait: Self.portrait(vouched), status: status.status,
            notes: (status.notes.map(\.code) + [TrustedKeyNote.hardwareClaimed]).sorted())
        return TrustedKeyFinding(.accept(holder), issuer: id, isVouchedFor: true)
    }

    private static func type(of vouched: Vouched) -> String? {
        let stated = [vouched.source.claimClass, vouched.source.type].compactMap { $0 }
        return vouched.issuer.types.first { type in stated.contains { $0.isExactly(type) } }
    }

    /// Of each issuer that vouches for anything that was asked for: what it has to vouch for. An empty text says nothing.
    private static func missingRoles(_ vouched: [Vouched]) -> [ClaimRole] {
        ClaimRole.allCases.filter { role in
            vouched.contains { one in
                guard one.issuer.requires.contains(role) else { return false }
                return !vouched.contains { other in
                    other.issuer.issuer == one.issuer.issuer && other.claim.object == one.issuer.roles[role] && !other.claim.value.isEmpty
                }
            }
        }
    }

    private static func portrait(_ vouched: [Vouched]) -> String? {
        vouched.first { $0.issuer.roles[.portrait] == $0.claim.object }?.claim.value
    }

    // MARK: revocation

    /// What is known of whether anything was revoked: the worst that is known of one of the issuers (trustedkey.md section 5). What is on a
    /// list was refused before, however old the list is.
    private struct Status {
        var status: CredentialStatus?
        var isRefused = false
        var notes: Set<CredentialNote> = []
    }

    private func status(of vouched: [Vouched]) -> Status {
        var found = Status()
        for (_, _, issuer) in vouched {
            let policy = issuer.status
            if policy.isIgnored {
                found.notes.insert(.statusIgnored)
                continue
            }
            guard let age = age(of: issuer.addresses), age <= policy.hardAge else {
                found.status = .unknown
                if policy.unknown == .reject { found.isRefused = true } else { found.notes.insert(.statusUnknown) }
                continue
            }
            if found.status == nil { found.status = .good }
            if age > policy.softAge { found.notes.insert(.statusStale) }
        }
        return found
    }

    /// Seconds since the list was taken; nil where there is none, or where one of two clocks is wrong.
    private func age(of list: TrustedKeyIssuer.AddressList?) -> Seconds? {
        guard let list, list.fetched <= now else { return nil }
        let (age, overflow) = now.subtractingReportingOverflow(list.fetched)
        return overflow ? nil : age
    }
}
