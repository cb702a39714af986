import CBOR
import Envelopes
import JSON
import LinkedData
import Trust

/// A status list of the trust bundle taken apart: whose word it is, is not decided yet.
struct ParsedStatusList {
    enum Form {
        /// A JSON-LD credential.
        case credential(JSONDocument)
        /// A token in JOSE form and its claims (Token Status List section 5.1).
        case text(CompactJWS, JSONValue)
        /// A token in COSE form (Token Status List section 5.2).
        case binary(CWT)
    }

    let url: String
    let fetched: Seconds
    let form: Form

    /// - Parameter document: as it came. White space around a text is not part of it.
    init(_ document: PinnedStatusList) throws(StatusListFault) {
        url = document.url
        fetched = document.fetched
        let blank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = document.bytes.first(where: { !blank($0) }), let last = document.bytes.lastIndex(where: { !blank($0) }) else {
            throw .listMalformed
        }
        let isText = first < 0x80
        let bytes = isText ? Array(document.bytes[...last].drop(while: blank)) : document.bytes
        if first == UInt8(ascii: "{") {
            guard let json = try? JSONDocument(parsing: bytes, limits: IssuerProof.limits) else { throw .listMalformed }
            form = .credential(json)
        } else if !isText || bytes.allSatisfy({ Hexadecimal.value($0) != nil }) {
            guard let token = try? CWT(bytes), token.signed.header.type?.isText(CWT.statusListType) == true else { throw .listMalformed }
            form = .binary(token)
        } else {
            guard let token = try? CompactJWS(bytes[...], malformed: .payloadMalformed), token.header.isType("statuslist+jwt"),
                let claims = try? JSONDocument(parsing: token.payload, limits: IssuerProof.limits).root, claims.kind == .object,
                claims["iss"] == nil || claims["iss"]?.kind == .string
            else { throw .listMalformed }
            form = .text(token, claims)
        }
    }

    /// Who made the list, as it says itself. A token need not say it.
    var statedIssuer: String? {
        switch form {
        case .credential(let json): json.root["issuer"].flatMap { $0.string ?? $0["id"]?.string }
        case .text(_, let claims): claims["iss"]?.string
        case .binary(let token): token.statedIssuer
        }
    }
}

/// The members of a list that is a credential, read from what was signed (Bitstring Status List section 2.2, StatusList2021 section 4.2).
struct StatusListCredential {
    let name: String
    let encoded: String
    let format: StatusEntry.Format
    let purposes: [String]
    /// Milliseconds, more than none.
    let ttl: Int64?

    private static let formats: [(name: String, format: StatusEntry.Format)] = [
        ("BitstringStatusList", .bitstring), ("StatusList2021", .statusList2021),
    ]

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
            self.init(
                name: name, encoded: encoded[0], format: type.format, purposes: texts("statusPurpose"), ttl: ttl.first.flatMap { Int64($0) }
            )
            return
        }
        throw .listMalformed
    }

    /// Every member is signed, so names mean what they meant to the issuer.
    private init(_ credential: JSONValue, subject: JSONValue) throws(StatusListFault) {
        guard let name = credential["id"]?.string else { throw .nameMismatch }
        func all(_ member: String) -> [JSONValue] { subject[member].map { $0.elements.map(Array.init) ?? [$0] } ?? [] }
        let types = all("type")
        guard let encoded = subject["encodedList"]?.string,
            let type = Self.formats.first(where: { type in types.contains { $0.isString(type.name) } })
        else { throw .listMalformed }
        self.init(
            name: name, encoded: encoded, format: type.format, purposes: all("statusPurpose").compactMap(\.string),
            ttl: subject["ttl"]?.int64)
    }

    private init(name: String, encoded: String, format: StatusEntry.Format, purposes: [String], ttl: Int64?) {
        self.name = name
        self.encoded = encoded
        self.format = format
        self.purposes = purposes
        self.ttl = ttl.flatMap { $0 > 0 ? $0 : nil }
    }
}
