import CBOR
import JSON
import LinkedData

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
            throw error == .issuerMissing || error == .issuerMismatch ? .issuerMismatch : .listUnsigned
        }
        // Ids belong to one trust entry only, so this is the entry of the credential's issuer.
        guard issuer.ids.contains(where: { $0.isExactly(proof.facts.issuer) }) else { throw .issuerMismatch }
        let list = try StatusListCredential(proof)
        guard list.name.isExactly(document.url) else { throw .nameMismatch }
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
        guard let key = try? KeySelection(for: token.header, iss: document.statedIssuer ?? issuer.ids.first ?? "", issuer: issuer, at: time),
              token.isSigned(by: key.key)
        else { throw .listUnsigned }
        guard claims["sub"]?.isString(document.url) == true else { throw .nameMismatch }
        guard let times = try? ClaimTimes(claims, at: time, skew: issuer.skew), let described = claims["status_list"],
              let list = try? TokenStatusList(described), times.validity.issuedAt != nil
        else { throw .listMalformed }
        try self.init(list, document.fetched, times.validity, ttl: claims["ttl"].map(\.double))
    }

    /// Token Status List section 5.2: claims 65533 (`status_list`) and 65534 (`ttl`).
    private init(_ token: CWT, _ document: StatusListDocument, _ issuer: TrustedIssuer, _ time: Seconds) throws(StatusListFault) {
        let iss = document.statedIssuer ?? issuer.ids.first ?? ""
        guard let key = try? CWTKeySelection(for: token.signed, issuer: issuer, iss: iss, at: time), let claims = try? token.claims(signedBy: key.key)
        else { throw .listUnsigned }
        guard claims.subject.map({ $0.isExactly(document.url) }) == true else { throw .nameMismatch }
        guard let described = claims.all[65_533], let list = try? TokenStatusList(described), claims.validity.issuedAt != nil else { throw .listMalformed }
        try self.init(list, document.fetched, claims.validity, ttl: claims.all[65_534].map { $0.int64.map(Double.init) ?? $0.float?.double })
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

/// The members of a list that is a credential, read from what was signed (Bitstring Status List section 2.2, StatusList2021 section 4.2).
struct StatusListCredential {
    let name: String
    let encoded: String
    let format: BitstringStatusList.Format
    let purposes: [String]
    /// Milliseconds, more than none.
    let ttl: Int64?

    private static let formats: [(name: String, format: BitstringStatusList.Format)] = [
        ("BitstringStatusList", .bitstring), ("StatusList2021", .statusList2021),
    ]
    /// Types of the credential and of its subject.
    private static let names = ["BitstringStatusListCredential", "BitstringStatusList", "StatusList2021Credential", "StatusList2021"]
    private static let iris = CredentialTerms.statusVocabularies.flatMap { vocabulary in names.map { vocabulary + $0 } }

    init(_ proof: IssuerProof) throws(StatusListFault) {
        switch proof.verified.content {
        case .statements(let statements, _): try self.init(statements)
        case .canonicalJSON(let document): try self.init(document.root, subject: proof.facts.claims.root)
        }
    }

    private init(_ statements: LinkedStatements) throws(StatusListFault) {
        guard let name = statements.credential.iri, statements.subjects.count == 1 else { throw .nameMismatch }
        let subject = statements.subjects[0]
        let types = statements.values(of: subject, Vocabulary.type.string)
        for vocabulary in CredentialTerms.statusVocabularies {
            func texts(_ name: String) -> [String] { statements.values(of: subject, vocabulary + name).compactMap(\.text) }
            guard let type = Self.formats.first(where: { types.contains(.iri(Text(vocabulary + $0.name))) }) else { continue }
            let encoded = texts("encodedList"), ttl = texts("ttl")
            guard encoded.count == 1, ttl.count <= 1 else { throw .listMalformed }
            self.init(name: name, encoded: encoded[0], format: type.format, purposes: texts("statusPurpose"), ttl: ttl.first.flatMap { Int64($0) })
            return
        }
        throw .listMalformed
    }

    /// Every member is signed, so names mean what they meant to the issuer.
    private init(_ credential: JSONValue, subject: JSONValue) throws(StatusListFault) {
        guard let name = credential["id"]?.string else { throw .nameMismatch }
        func all(_ member: String) -> [JSONValue] { subject[member].map { $0.elements.map(Array.init) ?? [$0] } ?? [] }
        let types = all("type")
        guard let encoded = subject["encodedList"]?.string, let type = Self.formats.first(where: { type in types.contains { $0.isString(type.name) } })
        else { throw .listMalformed }
        self.init(
            name: name, encoded: encoded, format: type.format, purposes: all("statusPurpose").compactMap(\.string), ttl: subject["ttl"]?.int64)
    }

    private init(name: String, encoded: String, format: BitstringStatusList.Format, purposes: [String], ttl: Int64?) {
        self.name = name
        self.encoded = encoded
        self.format = format
        self.purposes = purposes
        self.ttl = ttl.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether a signed type, of a credential or of its subject, says that it is a status list. Lists are public, so they are nobody's credentials,
    /// however general the types are that an issuer is trusted for.
    static func isType(_ type: String) -> Bool { (names + iris).contains { type.isExactly($0) } }
}
