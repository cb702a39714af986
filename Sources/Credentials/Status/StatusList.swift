/// A status list whose signature a key of the credential's issuer made, and what it says about itself.
struct StatusList: Sendable {
    enum Entries: Sendable {
        case bitstring(BitstringStatusList, BitstringStatusList.Format, [String])
        case token(TokenStatusList)
    }

    /// When the operator fetched it.
    let fetched: Seconds
    /// When the issuer signed it, as it says.
    let signed: Seconds?
    let validity: Validity
    /// From then on the issuer would like a newer one to be used.
    let refresh: Seconds?
    let entries: Entries

    /// Whether the list can be believed now, under the policy for credentials of `issuer`.
    func check(at time: Seconds, for issuer: TrustedIssuer) throws(StatusListFault) {
        if let expires = validity.expires, time >= expires { throw .listNotCurrent }
        let latest = Self.sum(time, issuer.skew)
        for start in [validity.notBefore, validity.issuedAt] {
            if let start, start > latest { throw .listNotCurrent }
        }
        guard fetched <= latest else { throw .listFromFuture }
        guard age(at: time) <= issuer.status.hardAge else { throw .listTooOld }
    }

    /// Whether the list has begun and is over, by itself or for the issuer's policy. What it revoked stays revoked (Bitstring Status List section 2.2,
    /// Token Status List section 7.1); of everybody else it says nothing any more.
    func isOver(at time: Seconds, for issuer: TrustedIssuer) -> Bool { hasBegun(at: time, for: issuer) && time >= end(for: issuer) }

    /// Whether the list is not of the future, by what it says itself and by when it was fetched.
    func hasBegun(at time: Seconds, for issuer: TrustedIssuer) -> Bool {
        let latest = Self.sum(time, issuer.skew)
        return [validity.notBefore, validity.issuedAt, fetched].allSatisfy { $0.map { $0 <= latest } ?? true }
    }

    /// When `check` begins to refuse it for good.
    func end(for issuer: TrustedIssuer) -> Seconds {
        let oldest = Self.sum(Self.sum(fetched, issuer.status.hardAge), 1)
        return min(validity.expires ?? oldest, oldest)
    }

    /// Seconds since it was fetched.
    func age(at time: Seconds) -> Seconds {
        let (age, overflow) = time.subtractingReportingOverflow(fetched)
        guard !overflow else { return time < fetched ? 0 : .max }
        return max(0, age)
    }

    /// Whether the issuer's policy, or the list itself, would like a newer one.
    func isStale(at time: Seconds, for issuer: TrustedIssuer) -> Bool {
        age(at: time) > issuer.status.softAge || refresh.map { time >= $0 } ?? false
    }

    /// What the list says about the entry: never `unknown`. Throws `entryMissing` where it has none, or one without a meaning here.
    func status(of entry: StatusEntry) throws(StatusListFault) -> CredentialStatus {
        let status: CredentialStatus
        switch (entry.scheme, entries) {
        case (.token, .token(let list)):
            status = list.status(at: entry.index)
        case (.bitstring(let format, let purpose, let size), .bitstring(let list, let found, _)):
            guard format == found else { throw .listMalformed }
            guard purposes.contains(where: { $0.isExactly(purpose.rawValue) }) else { throw .purposeMismatch }
            status = list.status(at: entry.index, purpose: purpose, size: size)
        default:
            throw .listMalformed
        }
        guard status != .unknown else { throw .entryMissing }
        return status
    }

    /// What the list is about; empty for a token, whose values say it themselves.
    var purposes: [String] {
        if case .bitstring(_, _, let purposes) = entries { purposes } else { [] }
    }

    /// Entries of the size the list states; for a W3C list, where entries state it, of one bit.
    var count: UInt64 {
        switch entries {
        case .bitstring(let list, _, _): list.count
        case .token(let list): list.count
        }
    }

    /// Octets of the inflated entries.
    var size: Int {
        switch entries {
        case .bitstring(let list, _, _): list.octets.count
        case .token(let list): list.octets.count
        }
    }

    static func sum(_ one: Seconds, _ other: Seconds) -> Seconds {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
