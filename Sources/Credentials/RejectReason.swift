/// Why a credential is not accepted. Data for policy, counters and audit; the sentences are in `Sentences.swift`.
public enum RejectReason: Error, Hashable, Sendable {
    // What arrived
    /// Larger than the verifier is willing to look at.
    case messageTooLarge
    /// Looks like JSON and is not, or breaks a rule of the JSON module.
    case messageMalformed
    /// Nothing in it is a credential.
    case credentialMissing
    case unsupportedForm(CredentialForm)

    // The signed part
    /// Not three base64url parts, `~`, disclosures and an optional key binding JWT.
    case compactMalformed
    case headerMalformed
    /// `typ` is missing or not an SD-JWT VC.
    case typeHeaderRefused
    /// `alg` is missing, unknown, `none`, or symmetric.
    case algorithmRefused
    /// `crit` asks for an extension this verifier does not have.
    case criticalHeaderRefused
    case payloadMalformed
    case signatureInvalid

    // Trust
    case issuerMissing
    case issuerUnknown
    /// The issuer is trusted, but not for this form.
    case formNotTrusted
    /// The issuer is trusted, but not with this algorithm.
    case algorithmNotTrusted
    case keyUnknown
    /// The time is outside the trust entry's window for the key.
    case keyNotCurrent
    /// The algorithm does not belong to the kind of key the issuer has.
    case keyMismatch
    case certificateMalformed
    /// No valid path at this time from the certificate to a root pinned for the issuer.
    case certificateUntrusted
    /// The certificate does not name the issuer.
    case certificateNameMismatch

    // Selective disclosure
    case digestAlgorithmRefused
    case disclosureMalformed
    /// The same disclosure is sent twice.
    case disclosureRepeated
    /// A disclosure that no digest covers: unsigned content.
    case disclosureUnreferenced
    /// A digest occurs twice in the signed payload and its disclosures.
    case digestRepeated
    /// An `_sd` or `...` that is not what RFC 9901 section 4.2.4 says.
    case digestMalformed
    /// An object property where an array element is due, or the reverse.
    case disclosureMisplaced
    /// A disclosure names `_sd`, `...` or a claim that must not be selectively disclosable.
    case claimNameRefused
    /// A disclosure names a claim that exists already.
    case claimNameRepeated
    case tooComplex

    // Validity and policy
    case timeMalformed
    case expired
    case notYetValid
    case issuedInFuture
    case typeMissing
    /// `vct` is not on the issuer's list.
    case typeNotTrusted
    /// The credential can be revoked and nothing here can tell whether it was.
    case statusUnchecked

    // Key binding
    case keyBindingMalformed
    case keyBindingKeyMissing
    case keyBindingHashMismatch
    case keyBindingSignatureInvalid

    /// A stable word for programs: printed by `verify`, counted and audited. Never changes meaning.
    public var code: String {
        switch self {
        case .messageTooLarge: "message-too-large"
        case .messageMalformed: "message-malformed"
        case .credentialMissing: "credential-missing"
        case .unsupportedForm: "unsupported-form"
        case .compactMalformed: "compact-malformed"
        case .headerMalformed: "header-malformed"
        case .typeHeaderRefused: "type-header-refused"
        case .algorithmRefused: "algorithm-refused"
        case .criticalHeaderRefused: "critical-header-refused"
        case .payloadMalformed: "payload-malformed"
        case .signatureInvalid: "signature-invalid"
        case .issuerMissing: "issuer-missing"
        case .issuerUnknown: "issuer-unknown"
        case .formNotTrusted: "form-not-trusted"
        case .algorithmNotTrusted: "algorithm-not-trusted"
        case .keyUnknown: "key-unknown"
        case .keyNotCurrent: "key-not-current"
        case .keyMismatch: "key-mismatch"
        case .certificateMalformed: "certificate-malformed"
        case .certificateUntrusted: "certificate-untrusted"
        case .certificateNameMismatch: "certificate-name-mismatch"
        case .digestAlgorithmRefused: "digest-algorithm-refused"
        case .disclosureMalformed: "disclosure-malformed"
        case .disclosureRepeated: "disclosure-repeated"
        case .disclosureUnreferenced: "disclosure-unreferenced"
        case .digestRepeated: "digest-repeated"
        case .digestMalformed: "digest-malformed"
        case .disclosureMisplaced: "disclosure-misplaced"
        case .claimNameRefused: "claim-name-refused"
        case .claimNameRepeated: "claim-name-repeated"
        case .tooComplex: "too-complex"
        case .timeMalformed: "time-malformed"
        case .expired: "expired"
        case .notYetValid: "not-yet-valid"
        case .issuedInFuture: "issued-in-future"
        case .typeMissing: "type-missing"
        case .typeNotTrusted: "type-not-trusted"
        case .statusUnchecked: "status-unchecked"
        case .keyBindingMalformed: "key-binding-malformed"
        case .keyBindingKeyMissing: "key-binding-key-missing"
        case .keyBindingHashMismatch: "key-binding-hash-mismatch"
        case .keyBindingSignatureInvalid: "key-binding-signature-invalid"
        }
    }

    /// The one parameter a reason can have, for example the form's name.
    public var detail: String? {
        if case .unsupportedForm(let form) = self { form.rawValue } else { nil }
    }
}
