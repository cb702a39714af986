import CBOR
import JSON

/// A status list whose signature a key of the credential's issuer made, and what it says about itself.
struct StatusList: Sendable {
    private enum Entries: Sendable {
        case bitstring(BitstringStatusList, BitstringStatusList.Format, Set<String>)
        case token(TokenStatusList)
    }

    /// When the operator fetched it.
    let fetched: Seconds
    /// When the issuer signed it, as it says.
    let signed: Seconds?
    private let validity: Validity
    /// From then on the issuer would like a newer one to be used.
    private let refresh: Seconds?
    private let entries: Entries

    /// - Parameters:
    ///   - issuer: of the credential: the list has to be its own.
    ///   - time: now, in seconds since 1970.
    init(
        _ document: TrustContents.StatusListDocument, of issuer: TrustedIssuer, trust: TrustStore, memory: VerifierMemory, at time: Seconds
    ) throws(StatusListFault) {
        fetched = document.fetched
        let content: Content
        if document.bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            content = try Self.credential(document, issuer, trust, memory, time)
        } else if document.bytes.first.map({ $0 >= 0x80 }) == true || document.bytes.allSatisfy({ Hexadecimal.value($0) != nil }) {
            content = try Self.binaryToken(document, issuer, time)
        } else {
            content = try Self.textToken(document, issuer, time)
        }
        signed = content.signed
        validity = content.validity
        refresh = content.refresh
        entries = content.entries
    }

    /// Throws `listNotCurrent` outside the list's own validity.
    func check(at time: Seconds, skew: Seconds) throws(StatusListFault) {
        if let expires = validity.expires, time >= expires { throw .listNotCurrent }
        let (latest, overflow) = time.addingReportingOverflow(skew)
        for start in [validity.notBefore, validity.issuedAt] {
            if let start, start > (overflow ? time : latest) { throw .listNotCurrent }
        }
    }

    func isStale(at time: Seconds) -> Bool { refresh.map { time >= $0 } ?? false }

    /// What the list says about the entry; `unknown` where it has none.
    func status(of entry: StatusEntry) throws(StatusListFault) -> CredentialStatus {
        switch (entry.scheme, entries) {
        case (.token, .token(let list)):
            return list.status(at: entry.index)
        case (.bitstring(let format, let purpose, let size), .bitstring(let list, let found, let purposes)):
            guard format == found else { throw .listMalformed }
            guard purposes.contains(purpose.rawValue) else { throw .purposeMismatch }
            return list.status(at: entry.index, purpose: purpose, size: size)
        default:
            throw .listMalformed
        }
    }

    private struct Content {
        var signed: Seconds?
        var validity: Validity
        var refresh: Seconds?
        var entries: Entries
    }

    private static func sum(_ one: Seconds, _ other: Seconds) -> Seconds {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

// MARK: A list as a JSON-LD credential

extension StatusList {
    private static func credential(
        _ document: TrustContents.StatusListDocument, _ issuer: TrustedIssuer, _ trust: TrustStore, _ memory: VerifierMemory, _ time: Seconds
    ) throws(StatusListFault) -> Content {
        guard let json = try? JSONDocument(parsing: document.bytes, limits: IssuerProof.limits) else { throw .listMalformed }
        let proof: IssuerProof
        do throws(RejectReason) {
            proof = try IssuerProof(json.root, trust: trust, memory: memory, at: time)
        } catch {
            throw error == .issuerUnknown ? .issuerMismatch : .listUnsigned
        }
        guard proof.issuer.ids == issuer.ids else { throw .issuerMismatch }
        let list = try Described(proof)
        guard list.name.isExactly(document.url) else { throw .nameMismatch }
        let times = LinkedValidity(proof.facts.dates, at: time, skew: issuer.skew)
        guard !times.faults.contains(.timeMalformed) else { throw .listMalformed }
        do throws(StatusListError) {
            let bits = try BitstringStatusList(encodedList: list.encoded, format: list.format)
            return Content(
                signed: proof.verified.proof.created?.seconds ?? times.validity.notBefore, validity: times.validity,
                refresh: list.ttl.map { sum(document.fetched, $0 / 1000) }, entries: .bitstring(bits, list.format, list.purposes))
        } catch {
            throw .listMalformed
        }
    }

    /// The members of a list credential, read from what was signed.
    private struct Described {
        let name: String
        let encoded: String
        let format: BitstringStatusList.Format
        let purposes: Set<String>
        /// Milliseconds.
        let ttl: Int64?

        init(_ proof: IssuerProof) throws(StatusListFault) {
            switch proof.verified.content {
            case .statements(let statements, _):
                guard let name = statements.credential.iri, statements.subjects.count == 1 else { throw .nameMismatch }
                let subject = statements.subjects[0]
                for vocabulary in CredentialTerms.statusVocabularies {
                    func texts(_ name: String) -> [String] { statements.values(of: subject, vocabulary + name).compactMap(\.text) }
                    let encoded = texts("encodedList")
                    guard encoded.count == 1 else { continue }
                    let types = statements.values(of: subject, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type").compactMap(\.iri)
                    guard let format = Self.format(types.map { $0.utf8.starts(with: vocabulary.utf8) ? String($0.dropFirst(vocabulary.count)) : $0 })
                    else { throw .listMalformed }
                    self.init(name: name, encoded: encoded[0], format: format, purposes: Set(texts("statusPurpose")), ttl: texts("ttl").first.flatMap { Int64($0) })
                    return
                }
                throw .listMalformed
            case .canonicalJSON(let document):
                let subject = proof.facts.claims.root
                guard let name = document.root["id"]?.string else { throw .nameMismatch }
                let purposes = subject["statusPurpose"].map { ($0.elements.map(Array.init) ?? [$0]).compactMap(\.string) } ?? []
                guard let encoded = subject["encodedList"]?.string, let format = Self.format([subject["type"]?.string ?? ""]) else { throw .listMalformed }
                self.init(name: name, encoded: encoded, format: format, purposes: Set(purposes), ttl: subject["ttl"]?.int64)
            }
        }

        private init(name: String, encoded: String, format: BitstringStatusList.Format, purposes: Set<String>, ttl: Int64?) {
            self.name = name
            self.encoded = encoded
            self.format = format
            self.purposes = purposes
            self.ttl = ttl.flatMap { $0 > 0 ? $0 : nil }
        }

        private static func format(_ types: [String]) -> BitstringStatusList.Format? {
            if types.contains("BitstringStatusList") { return .bitstring }
            return types.contains("StatusList2021") ? .statusList2021 : nil
        }
    }
}

// MARK: A list as a token (draft-ietf-oauth-status-list section 5)

extension StatusList {
    private static func textToken(
        _ document: TrustContents.StatusListDocument, _ issuer: TrustedIssuer, _ time: Seconds
    ) throws(StatusListFault) -> Content {
        let text = document.bytes.filter { $0 > 0x20 }
        guard let token = try? CompactJWS(text[...], malformed: .payloadMalformed), token.header.isType("statuslist+jwt"),
              let claims = try? JSONDocument(parsing: token.payload).root
        else { throw .listMalformed }
        let iss = claims["iss"]?.string
        if let iss { guard issuer.ids.contains(where: { $0.isExactly(iss) }) else { throw .issuerMismatch } }
        guard let key = try? KeySelection(for: token.header, iss: iss ?? issuer.ids.first ?? "", issuer: issuer, at: time), token.isSigned(by: key.key)
        else { throw .listUnsigned }
        guard claims["sub"]?.isString(document.url) == true else { throw .nameMismatch }
        guard let times = try? ClaimTimes(claims, at: time, skew: issuer.skew), let described = claims["status_list"],
              let list = try? TokenStatusList(described), times.validity.issuedAt != nil
        else { throw .listMalformed }
        return content(list, times.validity, ttl: claims["ttl"]?.int64)
    }

    private static func binaryToken(
        _ document: TrustContents.StatusListDocument, _ issuer: TrustedIssuer, _ time: Seconds
    ) throws(StatusListFault) -> Content {
        guard let token = try? CWT(document.bytes), token.signed.header.type?.isText("application/statuslist+cwt") == true else { throw .listMalformed }
        if let iss = token.statedIssuer { guard issuer.ids.contains(where: { $0.isExactly(iss) }) else { throw .issuerMismatch } }
        guard let key = try? CWTKeySelection(for: token.signed, issuer: issuer, iss: token.statedIssuer ?? issuer.ids.first ?? "", at: time),
              let claims = try? token.claims(signedBy: key.key)
        else { throw .listUnsigned }
        guard claims.subject.map({ $0.isExactly(document.url) }) == true else { throw .nameMismatch }
        guard let described = claims.all[65_533], let list = try? TokenStatusList(described), claims.validity.issuedAt != nil else { throw .listMalformed }
        return content(list, claims.validity, ttl: claims.all[65_534]?.int64)
    }

    private static func content(_ list: TokenStatusList, _ validity: Validity, ttl: Int64?) -> Content {
        let refresh = validity.issuedAt.flatMap { issued in ttl.map { sum(issued, max(0, $0)) } }
        return Content(signed: validity.issuedAt, validity: validity, refresh: refresh, entries: .token(list))
    }
}
