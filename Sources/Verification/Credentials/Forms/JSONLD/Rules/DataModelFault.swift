/// What of a JSON-LD credential breaks the W3C data model as Inji's verifier reads it (mosip/vc-verifier, `LdpValidator` and
/// `ValidationHelper`).
public enum DataModelFault: Hashable, Sendable {
    case missing(CredentialMember)
    /// It is there and says something it must not say.
    case invalid(CredentialMember)
    /// It is JSON of another shape than the member has.
    case malformed(CredentialMember)

    public var member: CredentialMember {
        switch self {
        case .missing(let member), .invalid(let member), .malformed(let member): member
        }
    }

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .missing(let member): "missing:\(member.rawValue)"
        case .invalid(let member): "invalid:\(member.rawValue)"
        case .malformed(let member): "malformed:\(member.rawValue)"
        }
    }

    /// The code Inji's verifier gives for the same fault.
    public var injiCode: String {
        switch self {
        case .missing(let member): "ERR_MISSING_\(Self.upper(member))"
        // These two keep the case of the source.
        case .invalid(.id): "ERR_INVALID_id"
        case .invalid(.subjectID): "ERR_INVALID_credentialSubjectID"
        case .invalid(let member): "ERR_INVALID_\(Self.upper(member))"
        // There, the JSON library throws before a rule is asked.
        case .malformed: InjiCode.generic.rawValue
        }
    }

    private static func upper(_ member: CredentialMember) -> String {
        String(member.rawValue.uppercased().map { $0 == "." ? "_" : $0 })
    }
}

/// The members of a JSON-LD credential that the data model's rules speak about.
///
/// The raw value is a stable word for programs: the member's name, and behind a dot the name of a member inside it.
public enum CredentialMember: String, Hashable, Sendable, CaseIterable {
    case context = "@context"
    case id, type, issuer, credentialSubject, proof
    case subjectID = "credentialSubject.id"
    case issuanceDate, expirationDate, validFrom, validUntil
    case name, description
    case proofType = "proof.type", proofID = "proof.id"
    case credentialStatus, statusType = "credentialStatus.type", statusID = "credentialStatus.id"
    case evidence, evidenceType = "evidence.type", evidenceID = "evidence.id"
    case credentialSchema, schemaType = "credentialSchema.type", schemaID = "credentialSchema.id"
    case refreshService, refreshType = "refreshService.type", refreshID = "refreshService.id"
    case termsOfUse, termsType = "termsOfUse.type", termsID = "termsOfUse.id"
}
