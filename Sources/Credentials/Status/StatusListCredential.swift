import JSON
import LinkedData

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
