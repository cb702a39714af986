import Trust

/// The error codes of Inji's verifier (mosip/vc-verifier, `CredentialValidatorConstants`), so that who knows those can read these verdicts.
///
/// Inji has no code for whatever it does not look at, trust above all: that is `generic`. Faults of the data model have codes of their own.
enum InjiCode: String, Hashable, Sendable, CaseIterable {
    case generic = "ERR_GENERIC"
    case credentialEmpty = "ERR_EMPTY_VC"
    case signatureInvalid = "ERR_SIGNATURE_VERIFICATION_FAILED"

    // Time
    case expired = "ERR_VC_EXPIRED"
    case issuanceDateInFuture = "ERR_ISSUANCE_DATE_IS_FUTURE_DATE"
    case validFromInFuture = "ERR_VALID_FROM_IS_FUTURE_DATE"
    case processingDateInFuture = "ERR_PROCESSING_DATE_IS_FUTURE_DATE"

    // JSON-LD
    case proofMissing = "ERR_MISSING_PROOF"
    case proofTypeRefused = "ERR_INVALID_PROOF_TYPE"
    case proofAlgorithmRefused = "ERR_INVALID_ALGORITHM"
    case issuerMissing = "ERR_MISSING_ISSUER"
    case typeMissing = "ERR_MISSING_TYPE"

    // SD-JWT
    case formatInvalid = "ERR_INVALID_JWT_FORMAT"
    case algorithmRefused = "ERR_INVALID_ALG"
    case typeHeaderRefused = "ERR_INVALID_TYP"
    case vctMissing = "ERR_MISSING_VCT"
    case issuerInvalid = "ERR_INVALID_ISS"
    case digestAlgorithmRefused = "ERR_INVALID_SD_ALG"
    case digestMalformed = "ERR_INVALID_DIGEST"
    case disclosureMalformed = "ERR_INVALID_DISCLOSURE_FORMAT"
    case disclosureUnreferenced = "ERR_INVALID_DISCLOSURE"
    case claimNameRefused = "ERR_INVALID_DISCLOSURE_CLAIM_NAME"
    case keyBindingMalformed = "ERR_INVALID_KB_JWT_FORMAT"
    case keyBindingKeyMissing = "ERR_INVALID_CNF"
    case keyBindingHashMismatch = "ERR_INVALID_SD_HASH"
    case keyBindingSignatureInvalid = "ERR_INVALID_KB_SIGNATURE"

    // CWT and mdoc
    case issuedAtInvalid = "ERR_INVALID_IAT"
    case mdocExpired = "ERR_INVALID_VALID_UNTIL_MSO"
    case mdocNotYetValid = "ERR_INVALID_VALID_FROM_MSO"

    /// - Parameter form: what was verified: Inji has other codes for the same fault in another form.
    init(_ reason: RejectReason, form: CredentialForm) {
        self =
            switch reason {
            case .signatureInvalid: .signatureInvalid
            case .expired: form == .mdoc ? .mdocExpired : .expired
            case .notYetValid: Self.notYetValid(form)
            case .issuedInFuture: form == .cwt ? .issuedAtInvalid : form == .mdoc ? .mdocNotYetValid : .issuanceDateInFuture
            case .credentialMissing: .credentialEmpty
            case .proofMissing: .proofMissing
            case .proofTypeRefused: .proofTypeRefused
            case .issuerMissing where form == .ldpVC: .issuerMissing
            case .typeMissing where form == .ldpVC: .typeMissing
            case .algorithmRefused where form == .ldpVC: .proofAlgorithmRefused
            case .algorithmRefused where form == .cwt: .algorithmRefused
            default: form == .sdJWT ? Self.selective(reason) : .generic
            }
    }

    /// Of a token, `nbf`; of a JSON-LD credential, `validFrom`.
    private static func notYetValid(_ form: CredentialForm) -> InjiCode {
        switch form {
        case .ldpVC: .validFromInFuture
        case .mdoc: .mdocNotYetValid
        case .sdJWT, .jwtVC, .cwt, .anoncreds, .trustedKey, .unknown: .processingDateInFuture
        }
    }

    private static func selective(_ reason: RejectReason) -> InjiCode {
        switch reason {
        case .compactMalformed: .formatInvalid
        case .algorithmRefused: .algorithmRefused
        case .typeHeaderRefused: .typeHeaderRefused
        case .typeMissing: .vctMissing
        case .issuerMissing: .issuerInvalid
        case .digestAlgorithmRefused: .digestAlgorithmRefused
        case .digestMalformed: .digestMalformed
        case .disclosureMalformed: .disclosureMalformed
        case .disclosureUnreferenced: .disclosureUnreferenced
        case .claimNameRefused: .claimNameRefused
        case .keyBindingMalformed: .keyBindingMalformed
        case .keyBindingKeyMissing: .keyBindingKeyMissing
        case .keyBindingHashMismatch: .keyBindingHashMismatch
        case .keyBindingSignatureInvalid: .keyBindingSignatureInvalid
        default: .generic
        }
    }
}
