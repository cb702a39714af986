import Envelopes
import JSON
import LinkedData
import Trust

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

    init(_ content: VerifiedLinkedDocument.Content) throws(RejectReason) {
        switch content {
        case .statements(let statements, _): try self.init(statements)
        case .canonicalJSON(let document): try self.init(document.root)
        }
    }

    private init(_ statements: LinkedStatements) throws(RejectReason) {
        guard let issuer = statements.issuer else { throw .issuerMismatch }
        self.issuer = issuer
        let own = BareType.iri
        let named = statements.values(of: statements.credential, Vocabulary.type.string).compactMap(\.iri)
        types = named.filter { !$0.isExactly(own) } + [own]
        dates = statements.dates
        status = StatedStatus.all(in: statements)
        // The portrait of one and the name of another must not add up to a visitor.
        guard statements.subjects.count == 1 else { throw .credentialAmbiguous }
        let about = statements.values(of: statements.subjects[0], Vocabulary.type.string).compactMap(\.iri)
        isStatusList = (named + about).contains(where: StatusListType.isOne)
        claims = try LinkedClaims.document(of: statements.subjects[0], in: statements)
    }

    /// Every member is signed, so names mean what they meant to the issuer.
    private init(_ credential: JSONValue) throws(RejectReason) {
        guard let issuer = credential["issuer"].flatMap({ $0.string ?? $0["id"]?.string }) else { throw .issuerMismatch }
        self.issuer = issuer
        let types = credential["type"].map { $0.elements.map(Array.init) ?? [$0] } ?? []
        self.types = types.compactMap(\.string).filter { !$0.isExactly(BareType.name) } + [BareType.name]
        dates = LinkedDate.dates(of: credential)
        status = StatedStatus.all(in: credential)
        guard var subject = credential["credentialSubject"] else { throw .claimsUncovered }
        if let elements = subject.elements.map(Array.init) {
            guard elements.count == 1 else { throw .credentialAmbiguous }
            subject = elements[0]
        }
        guard subject.kind == .object else { throw .credentialAmbiguous }
        let about = subject["type"].map { $0.elements.map(Array.init) ?? [$0] } ?? []
        isStatusList = (types + about).compactMap(\.string).contains(where: StatusListType.isOne)
        do throws(JSONError) {
            claims = try JSONDocument(parsing: subject.source)
        } catch {
            throw error.rejectReason
        }
    }
}

/// One date a JSON-LD credential states about itself, as signed.
struct LinkedDate: Sendable {
    /// The dates of both data models. A credential of one may carry those of the other: the contexts define them all, so all count.
    static let members: [CredentialMember] = [.issuanceDate, .expirationDate, .validFrom, .validUntil]
    private static let datatypes = [SecurityTerms.dateTime, "http://www.w3.org/2001/XMLSchema#dateTimeStamp"]

    /// One of `members`.
    let member: CredentialMember
    /// Whole seconds since 1970, rounded down, whether a fraction was lost and whether UTC is a guess; nil for what is no date.
    let moment: (seconds: Seconds, isRounded: Bool, isZoneAssumed: Bool)?

    /// - Parameter datatype: the IRI of the statement's datatype.
    init(_ member: CredentialMember, text: String, datatype: String) {
        self.member = member
        moment = Self.datatypes.contains { $0.isExactly(datatype) } ? Timestamp.isoDateTime(text) : nil
    }

    /// - Parameter value: the object of the statement.
    init(_ member: CredentialMember, _ value: Term) {
        guard case .literal(let literal) = value else {
            self.init(member, text: "", datatype: "")
            return
        }
        self.init(member, text: literal.value.string, datatype: literal.datatype.string)
    }

    /// The dates of a credential that is signed as canonical JSON.
    static func dates(of signed: JSONValue) -> [LinkedDate] {
        members.compactMap { member in
            signed[member.rawValue].map { LinkedDate(member, text: $0.string ?? "", datatype: SecurityTerms.dateTime) }
        }
    }
}
