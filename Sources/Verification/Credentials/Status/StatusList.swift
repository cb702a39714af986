import CBOR
import Envelopes
import JSON
import Trust

/// A status list whose signature a key of the credential's issuer made, and what it says about itself.
struct StatusList: Sendable {
    enum Entries: Sendable {
        case bitstring(BitstringStatusList, StatusEntry.Format, [String])
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

    /// Whether the list has begun and is over, by itself or for the issuer's policy. What it revoked stays revoked (Bitstring Status List
    /// section 2.2, Token Status List section 7.1); of everybody else it says nothing any more.
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

extension StatusList {
    /// - Parameters:
    ///   - issuer: of the credential: the list has to be its own.
    ///   - time: when its keys are to be believed, in seconds since 1970.
    init(
        _ document: ParsedStatusList, of issuer: TrustedIssuer, _ context: VerificationContext, at time: Seconds
    ) throws(StatusListFault) {
        // Before anything is verified: somebody else's list costs nothing.
        if let stated = document.statedIssuer, !issuer.ids.contains(where: { $0.isExactly(stated) }) { throw .issuerMismatch }
        switch document.form {
        case .credential(let json): try self.init(credential: json, document, issuer, context, time)
        case .text(let token, let claims): try self.init(token, claims, document, issuer, time)
        case .binary(let token): try self.init(token, document, issuer, time)
        }
    }

    private init(
        credential json: JSONDocument, _ document: ParsedStatusList, _ issuer: TrustedIssuer, _ context: VerificationContext,
        _ time: Seconds
    ) throws(StatusListFault) {
        let proof: IssuerProof
        do throws(RejectReason) {
            proof = try IssuerProof(json.root, VerificationContext(trust: context.trust, proofs: context.proofs, time: time))
        } catch {
            switch error {
            case .issuerMissing, .issuerMismatch: throw .issuerMismatch
            case .tooComplex: throw .listTooComplex
            default: throw .listUnsigned
            }
        }
        // Ids belong to one trust entry only, so this is the entry of the credential's issuer.
        guard issuer.ids.contains(where: { $0.isExactly(proof.facts.issuer) }) else { throw .issuerMismatch }
        let list = try StatusListCredential(proof)
        guard list.name.isExactly(issuer.status.name(of: document.url)) else { throw .nameMismatch }
        let times = StatedTimes(proof.facts.dates)
        guard !times.isMalformed else { throw .listMalformed }
        guard let bits = try? BitstringStatusList(encodedList: list.encoded, format: list.format) else { throw .listMalformed }
        let ends = [times.validity.expires, proof.verified.proof.expires?.seconds].compactMap { $0 }
        self.init(
            fetched: document.fetched, signed: proof.verified.proof.created?.seconds ?? times.validity.notBefore,
            validity: Validity(notBefore: times.validity.notBefore, expires: ends.min(), issuedAt: times.validity.issuedAt),
            refresh: list.ttl.map { Self.sum(document.fetched, $0 / 1000) }, entries: .bitstring(bits, list.format, list.purposes))
    }

    /// Token Status List section 5.1.
    private init(
        _ token: CompactJWS, _ claims: JSONValue, _ document: ParsedStatusList, _ issuer: TrustedIssuer, _ time: Seconds
    ) throws(StatusListFault) {
        guard let key = try? KeyRule(issuer: issuer, time: time).key(KeyRule.Header(token.header), iss: document.statedIssuer),
            token.isSigned(by: key.key)
        else { throw .listUnsigned }
        guard claims["sub"]?.isString(issuer.status.name(of: document.url)) == true else { throw .nameMismatch }
        guard let times = try? StatedTimes(claims), let described = claims["status_list"],
            let list = try? TokenStatusList(described), times.validity.issuedAt != nil
        else { throw .listMalformed }
        try self.init(list, document.fetched, times.validity, ttl: claims["ttl"].map(\.double))
    }

    /// Token Status List section 5.2.
    private init(_ token: CWT, _ document: ParsedStatusList, _ issuer: TrustedIssuer, _ time: Seconds) throws(StatusListFault) {
        guard let key = try? KeyRule(issuer: issuer, time: time).key(KeyRule.Header(token.signed), iss: document.statedIssuer),
            let claims = try? token.claims(signedBy: key.key)
        else { throw .listUnsigned }
        guard claims.subject.map({ $0.isExactly(issuer.status.name(of: document.url)) }) == true else { throw .nameMismatch }
        guard let described = claims.all[CWTClaims.Label.statusList], let list = try? TokenStatusList(described),
            claims.times.validity.issuedAt != nil
        else { throw .listMalformed }
        try self.init(
            list, document.fetched, claims.times.validity,
            ttl: claims.all[CWTClaims.Label.timeToLive].map { $0.int64.map(Double.init) ?? $0.float?.double })
    }

    /// - Parameter ttl: seconds since `iat`, a positive number (section 5.1); nil inside where it is none.
    private init(_ list: TokenStatusList, _ fetched: Seconds, _ validity: Validity, ttl: Double??) throws(StatusListFault) {
        var refresh: Seconds?
        if let ttl {
            guard let ttl, ttl > 0, let issued = validity.issuedAt else { throw .listMalformed }
            refresh = Self.sum(issued, Seconds(exactly: ttl.rounded(.down)) ?? .max)
        }
        self.init(fetched: fetched, signed: validity.issuedAt, validity: validity, refresh: refresh, entries: .token(list))
    }
}
