/// Why a presentation is refused: the first rule that fails, in the order of anoncreds.md section 11. The raw values are what records and
/// vectors say, and never change.
public enum PresentationReason: String, Error, Hashable, Sendable, CaseIterable {
    // What it is made of
    /// More octets than a message may have.
    case messageTooLarge = "message-too-large"
    /// Not the JSON or MessagePack, or not the shape, the integers or the points; more of anything than section 12 allows.
    case presentationMalformed = "presentation-malformed"
    /// W3C: not a Data Integrity proof of `anoncreds-2023`.
    case proofTypeRefused = "proof-type-refused"
    case proofPurposeRefused = "proof-purpose-refused"
    /// W3C: the proof's `challenge` is not the request's nonce.
    case challengeMismatch = "challenge-mismatch"

    // What it answers
    /// Not exactly what was asked for, each once.
    case answerMismatch = "answer-mismatch"
    /// Self-attested although restricted.
    case selfAttestedRefused = "self-attested-refused"

    // Whom the gate knows
    case schemaUnknown = "schema-unknown"
    case credentialDefinitionUnknown = "credential-definition-unknown"
    /// The definition is of another schema.
    case schemaMismatch = "schema-mismatch"
    /// Before the definition's `notBefore`, or after its `notAfter`.
    case definitionNotCurrent = "definition-not-current"
    /// W3C: the credential names another issuer.
    case issuerMismatch = "issuer-mismatch"
    /// The schema does not have what was answered.
    case attributeUnknown = "attribute-unknown"
    case restrictionUnmet = "restriction-unmet"
    /// The predicates proven are not those that were asked for.
    case predicateMismatch = "predicate-mismatch"

    // What is proven
    /// A text that does not have the number that is proven.
    case valueMismatch = "value-mismatch"
    case responseOutOfRange = "response-out-of-range"
    /// A predicate's `mj` is not the response of its attribute.
    case predicateUnlinked = "predicate-unlinked"
    /// Credentials of different holders.
    case linkSecretDiffers = "link-secret-differs"

    // Revocation
    case revocationProofMissing = "revocation-proof-missing"
    /// The status list is not of the time that was asked for.
    case revocationInterval = "revocation-interval"
    case revocationRegistryUnknown = "revocation-registry-unknown"
    case revocationListUnknown = "revocation-list-unknown"
    /// The status list is too old, or superseded.
    case statusUnknown = "status-unknown"

    // Algebra
    case commitmentsMismatch = "commitments-mismatch"
    case proofInvalid = "proof-invalid"
    /// The challenge does not hold and there was a proof of non-revocation: what a revoked credential looks like.
    case revocationProofInvalid = "revocation-proof-invalid"

    // Not about the presentation
    /// The visit was over before the algebra was.
    case deadlinePassed = "deadline-passed"
    /// libcrypto had no memory: a fault of the gate.
    case unavailable = "unavailable"
}
