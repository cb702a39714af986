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
