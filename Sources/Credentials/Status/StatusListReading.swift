import CBOR
import JSON

extension StatusList {
    /// - Parameters:
    ///   - issuer: of the credential: the list has to be its own.
    ///   - time: when its keys are to be believed, in seconds since 1970.
    init(
        _ document: StatusListDocument, of issuer: TrustedIssuer, trust: TrustStore, memory: VerifierMemory, at time: Seconds
    ) throws(StatusListFault) {
        // Before anything is verified: somebody else's list costs nothing.
        if let stated = document.statedIssuer, !issuer.ids.contains(where: { $0.isExactly(stated) }) { throw .issuerMismatch }
        switch document.form {
        case .credential(let json): try self.init(credential: json, document, issuer, trust, memory, time)
        case .text(let token, let claims): try self.init(token, claims, document, issuer, time)
        case .binary(let token): try self.init(token, document, issuer, time)
        }
    }

    private init(
        credential json: JSONDocument, _ document: StatusListDocument, _ issuer: TrustedIssuer, _ trust: TrustStore, _ memory: VerifierMemory,
        _ time: Seconds
    ) throws(StatusListFault) {
        let proof: IssuerProof
        do throws(RejectReason) {
            proof = try IssuerProof(json.root, trust: trust, memory: memory, at: time)
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
        let times = LinkedValidity(proof.facts.dates, at: time, skew: issuer.skew)
        guard !times.faults.contains(.timeMalformed) else { throw .listMalformed }
        guard let bits = try? BitstringStatusList(encodedList: list.encoded, format: list.format) else { throw .listMalformed }
        let ends = [times.validity.expires, proof.verified.proof.expires?.seconds].compactMap { $0 }
        self.init(
            fetched: document.fetched, signed: proof.verified.proof.created?.seconds ?? times.validity.notBefore,
            validity: Validity(notBefore: times.validity.notBefore, expires: ends.min(), issuedAt: times.validity.issuedAt),
            refresh: list.ttl.map { Self.sum(document.fetched, $0 / 1000) }, entries: .bitstring(bits, list.format, list.purposes))
    }

    /// Token Status List section 5.1.
    private init(
        _ token: CompactJWS, _ claims: JSONValue, _ document: StatusListDocument, _ issuer: TrustedIssuer, _ time: Seconds
    ) throws(StatusListFault) {
        guard let key = try? KeySelection(for: token.header, iss: document.statedIssuer, issuer: issuer, at: time),
              token.isSigned(by: key.key)
        else { throw .listUnsigned }
        guard claims["sub"]?.isString(issuer.status.name(of: document.url)) == true else { throw .nameMismatch }
        guard let times = try? ClaimTimes(claims, at: time, skew: issuer.skew), let described = claims["status_list"],
              let list = try? TokenStatusList(described), times.validity.issuedAt != nil
        else { throw .listMalformed }
        try self.init(list, document.fetched, times.validity, ttl: claims["ttl"].map(\.double))
    }

    /// Token Status List section 5.2.
    private init(_ token: CWT, _ document: StatusListDocument, _ issuer: TrustedIssuer, _ time: Seconds) throws(StatusListFault) {
        guard let key = try? CWTKeySelection(for: token.signed, issuer: issuer, iss: document.statedIssuer, at: time), let claims = try? token.claims(signedBy: key.key)
        else { throw .listUnsigned }
        guard claims.subject.map({ $0.isExactly(issuer.status.name(of: document.url)) }) == true else { throw .nameMismatch }
        guard let described = claims.all[CWTClaims.Label.statusList], let list = try? TokenStatusList(described), claims.validity.issuedAt != nil else { throw .listMalformed }
        try self.init(list, document.fetched, claims.validity, ttl: claims.all[CWTClaims.Label.timeToLive].map { $0.int64.map(Double.init) ?? $0.float?.double })
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
