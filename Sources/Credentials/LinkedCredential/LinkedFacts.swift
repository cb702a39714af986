import JSON
import LinkedData

/// What a signed JSON-LD credential says about itself, read from what was signed: statements, or canonical JSON.
struct LinkedFacts {
    /// The one issuer.
    let issuer: String
    /// Types other than `VerifiableCredential`, and that one last: IRIs of statements, names in JSON.
    let types: [String]
    let dates: [LinkedDate]
    let status: [StatedStatus]
    /// Whether it is a status list, or about one.
    let isStatusList: Bool
    /// The one subject.
    let claims: JSONDocument

    private static let name = "VerifiableCredential"

    /// Whether a type says nothing but that this is a credential.
    static func isBareType(_ type: String) -> Bool { type.isExactly(name) || type.isExactly(CredentialTerms.vocabulary + name) }

    init(_ content: VerifiedLinkedDocument.Content) throws(RejectReason) {
        switch content {
        case .statements(let statements, _): try self.init(statements)
        case .canonicalJSON(let document): try self.init(document.root)
        }
    }

    private init(_ statements: LinkedStatements) throws(RejectReason) {
        guard let issuer = statements.issuer else { throw .issuerMismatch }
        self.issuer = issuer
        let own = CredentialTerms.vocabulary + Self.name
        let named = statements.values(of: statements.credential, Vocabulary.type.string).compactMap(\.iri)
        types = named.filter { !$0.isExactly(own) } + [own]
        dates = statements.dates
        status = StatedStatus.all(in: statements)
        // The portrait of one and the name of another must not add up to a visitor.
        guard statements.subjects.count == 1 else { throw .credentialAmbiguous }
        let about = statements.values(of: statements.subjects[0], Vocabulary.type.string).compactMap(\.iri)
        isStatusList = (named + about).contains(where: StatusListCredential.isType)
        claims = try LinkedClaims.document(of: statements.subjects[0], in: statements)
    }

    /// Every member is signed, so names mean what they meant to the issuer.
    private init(_ credential: JSONValue) throws(RejectReason) {
        guard let issuer = credential["issuer"].flatMap({ $0.string ?? $0["id"]?.string }) else { throw .issuerMismatch }
        self.issuer = issuer
        let types = credential["type"].map { $0.elements.map(Array.init) ?? [$0] } ?? []
        self.types = types.compactMap(\.string).filter { !$0.isExactly(Self.name) } + [Self.name]
        dates = LinkedDate.dates(of: credential)
        status = StatedStatus.all(in: credential)
        guard var subject = credential["credentialSubject"] else { throw .claimsUncovered }
        if let elements = subject.elements.map(Array.init) {
            guard elements.count == 1 else { throw .credentialAmbiguous }
            subject = elements[0]
        }
        guard subject.kind == .object else { throw .credentialAmbiguous }
        let about = subject["type"].map { $0.elements.map(Array.init) ?? [$0] } ?? []
        isStatusList = (types + about).compactMap(\.string).contains(where: StatusListCredential.isType)
        do throws(JSONError) {
            claims = try JSONDocument(parsing: subject.source)
        } catch {
            throw error.rejectReason
        }
    }
}
