import Envelopes
import LinkedData
import Trust

/// What the gate makes of a credential that a form proved genuine: the one place where policy is applied, for every form alike.
///
/// Every reason is worth knowing. Their order is `RejectReason`'s in its section "Validity and policy", with what breaks a form's own
/// rules behind it; claims that are required are asked for only of a credential with nothing else against it.
struct Judgement {
    let context: VerificationContext
    let lists: StatusMemory

    /// The verdict, and what the status lists said.
    func verdict(_ signed: SignedCredential) -> (verdict: Verdict, status: StatusFinding) {
        let status = StatusLookup(context: context, memory: lists).finding(signed.status, of: signed.issuer)
        return (verdict(signed, status), status)
    }

    private func verdict(_ signed: SignedCredential, _ status: StatusFinding) -> Verdict {
        let issuer = signed.issuer
        var reasons = signed.times.faults(at: context.time, skew: issuer.skew)
        var notes = signed.notes
        if !issuer.isAudience(signed.audience) { reasons.append(.audienceMismatch) }
        let type = trustedType(signed)
        if type == nil { reasons.append(.typeNotTrusted) }
        judge(status, issuer.status, &reasons, &notes)
        reasons += signed.faults
        guard reasons.isEmpty, let type else { return .reject(reasons) }
        notes.formUnion(remarks(signed))
        let credential = VerifiedCredential(signed, type: type, notes: notes, status: status)
        // Whatever the form: without these claims it is no credential for this gate.
        let missing = credential.missingRoles
        return missing.isEmpty ? .accept(credential) : .reject(missing.map(RejectReason.claimMissing))
    }

    /// In the order of the trust file, types that say something first: a credential's own order is the sender's choice.
    private func trustedType(_ signed: SignedCredential) -> String? {
        let specific = signed.issuer.types.filter { !BareType.isBare($0) }, bare = signed.issuer.types.filter(BareType.isBare)
        return (specific + bare).first { trusted in signed.types.contains { $0.isExactly(trusted) } }
    }

    private func judge(
        _ finding: StatusFinding, _ policy: StatusPolicy, _ reasons: inout [RejectReason], _ notes: inout Set<CredentialNote>
    ) {
        switch finding.status {
        case nil: return
        case _ where policy.isIgnored: notes.insert(.statusIgnored)
        case .good: if finding.isStale { notes.insert(.statusStale) }
        case .revoked: reasons.append(.revoked)
        case .suspended: reasons.append(.suspended)
        case .unknown: if policy.unknown == .reject { reasons.append(.statusUnknown) } else { notes.insert(.statusUnknown) }
        }
    }

    /// What is said of every credential that is accepted.
    private func remarks(_ signed: SignedCredential) -> Set<CredentialNote> {
        var notes: Set<CredentialNote> = []
        if signed.key == .certificate { notes.insert(.keyFromCertificate) }
        if signed.times.validity.expires == nil { notes.insert(.neverExpires) }
        if signed.times.isZoneAssumed { notes.insert(.timeZoneAssumed) }
        // Leaving a binding out that was asked for is no better than an old one.
        let isAsked = context.challenge != nil
        if signed.binding == .stale || isAsked && signed.binding != .proven { notes.insert(.keyBindingNotFresh) }
        if context.isClockUnsure { notes.insert(.clockUnsure) }
        return notes
    }
}
