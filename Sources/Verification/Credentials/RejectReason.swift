import Trust

/// Why a credential is not accepted. Data for policy, counters and audit; the sentences are in `Messages.swift`.
public enum RejectReason: Error, Hashable, Sendable {
    // What arrived
    /// Larger than the verifier is willing to look at.
    case messageTooLarge
    /// Looks like JSON and is not, or breaks a rule of the JSON module.
    case messageMalformed
    /// Nothing in it is a credential.
    case credentialMissing
    case unsupportedForm(CredentialForm)
    /// A code that holds a credential of a kind this verifier does not read.
    case unsupportedCode(UnsupportedCode)

    // Encryption
    /// Nobody here has the key.
    case encrypted
    /// The key is here, and it was made with another, or changed since.
    case decryptionFailed
    /// Decrypted, and signed by nobody: the key is known to everyone who has to read it.
    case signatureMissing

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

    // A JSON-LD credential and its proof
    /// A rule of the W3C data model, as Inji's verifier reads it, does not hold.
    case credentialRule(DataModelFault)
    /// A context that is not pinned: nothing is ever fetched.
    case contextUnknown
    /// No JSON-LD, for example a protected term that is defined again.
    case linkedDataInvalid
    case proofMissing
    /// Something in the proof is not well-formed, not understood, or not signed.
    case proofMalformed
    /// The proof's type or cryptosuite is not one this verifier knows.
    case proofTypeRefused
    case proofPurposeRefused
    case proofExpired
    /// A detached signature that carries a payload all the same.
    case payloadNotDetached
    /// Something that decisions rest on is not signed: no statement is made of it.
    case claimsUncovered
    /// More than one credential, or more than one subject.
    case credentialAmbiguous
    /// The issuer as signed is not the one the key belongs to.
    case issuerMismatch

    // Trust
    case issuerMissing
    case issuerUnknown
    /// No `iss`, and the signing certificate is made out to more than one trusted issuer.
    case issuerAmbiguous
    /// The issuer is trusted, but not for this form.
    case formNotTrusted
    /// The issuer is trusted, but not with this algorithm.
    case algorithmNotTrusted
    /// The issuer is trusted, but not with this proof suite.
    case suiteNotTrusted
    case keyUnknown
    /// The credential does not say which of the issuer's keys signed it, and more than one could have.
    case keyIDMissing
    /// The time is outside the trust entry's window for the key.
    case keyNotCurrent
    /// The algorithm does not belong to the kind of key the issuer has.
    case keyMismatch
    case certificateMalformed
    /// No valid path at this time from the certificate to a root pinned for the issuer.
    case certificateUntrusted
    /// The certificate does not name the issuer.
    case certificateNameMismatch
    /// The header's thumbprint is that of another certificate.
    case certificateThumbprintMismatch
    /// The certificate, or one above it, was made for something else than the entry's extended key usages.
    case certificateUsageRefused
    /// An authority on the path requires a certificate policy that the path does not have.
    case certificatePolicyRefused

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
    /// `aud` names others, and not this gate.
    case audienceMismatch
    case typeMissing
    /// None of the signed types is on the issuer's list.
    case typeNotTrusted
    /// A claim the issuer's entry requires is not there.
    case claimMissing(ClaimRole)
    case revoked
    case suspended
    /// The credential can be revoked and nothing here can tell whether it was.
    case statusUnknown

    // The gate's own trust
    /// The board's clock is behind a time that is known to have passed.
    case clockUnsure
    /// The trust bundle is past its end.
    case trustExpired

    // Key binding
    case keyBindingMalformed
    case keyBindingKeyMissing
    case keyBindingHashMismatch
    case keyBindingSignatureInvalid

    /// Found out only when the issuer's signature held: whoever brought the credential has a genuine one. Not among them are the reasons
    /// that a signed document anybody can fetch would have.
    public var isOfGenuineCredential: Bool {
        switch self {
        case .expired, .notYetValid, .issuedInFuture, .claimMissing, .revoked, .suspended, .statusUnknown: true
        default: false
        }
    }

    /// A stable word for programs: printed by `verify`, counted and audited. Never changes meaning.
    public var code: String {
        switch self {
        case .messageTooLarge: "message-too-large"
        case .messageMalformed: "message-malformed"
        case .credentialMissing: "credential-missing"
        case .unsupportedForm: "unsupported-form"
        case .unsupportedCode: "unsupported-code"
        case .encrypted: "encrypted"
        case .decryptionFailed: "decryption-failed"
        case .signatureMissing: "signature-missing"
        case .compactMalformed: "compact-malformed"
        case .headerMalformed: "header-malformed"
        case .typeHeaderRefused: "type-header-refused"
        case .algorithmRefused: "algorithm-refused"
        case .criticalHeaderRefused: "critical-header-refused"
        case .payloadMalformed: "payload-malformed"
        case .signatureInvalid: "signature-invalid"
        case .credentialRule: "credential-rule"
        case .contextUnknown: "context-unknown"
        case .linkedDataInvalid: "linked-data-invalid"
        case .proofMissing: "proof-missing"
        case .proofMalformed: "proof-malformed"
        case .proofTypeRefused: "proof-type-refused"
        case .proofPurposeRefused: "proof-purpose-refused"
        case .proofExpired: "proof-expired"
        case .payloadNotDetached: "payload-not-detached"
        case .claimsUncovered: "claims-uncovered"
        case .credentialAmbiguous: "credential-ambiguous"
        case .issuerMismatch: "issuer-mismatch"
        case .issuerMissing: "issuer-missing"
        case .issuerUnknown: "issuer-unknown"
        case .issuerAmbiguous: "issuer-ambiguous"
        case .formNotTrusted: "form-not-trusted"
        case .algorithmNotTrusted: "algorithm-not-trusted"
        case .suiteNotTrusted: "suite-not-trusted"
        case .keyUnknown: "key-unknown"
        case .keyIDMissing: "key-id-missing"
        case .keyNotCurrent: "key-not-current"
        case .keyMismatch: "key-mismatch"
        case .certificateMalformed: "certificate-malformed"
        case .certificateUntrusted: "certificate-untrusted"
        case .certificateNameMismatch: "certificate-name-mismatch"
        case .certificateThumbprintMismatch: "certificate-thumbprint-mismatch"
        case .certificateUsageRefused: "certificate-usage-refused"
        case .certificatePolicyRefused: "certificate-policy-refused"
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
        case .audienceMismatch: "audience-mismatch"
        case .typeMissing: "type-missing"
        case .typeNotTrusted: "type-not-trusted"
        case .claimMissing: "claim-missing"
        case .revoked: "revoked"
        case .suspended: "suspended"
        case .statusUnknown: "status-unknown"
        case .clockUnsure: "clock-unsure"
        case .trustExpired: "trust-expired"
        case .keyBindingMalformed: "key-binding-malformed"
        case .keyBindingKeyMissing: "key-binding-key-missing"
        case .keyBindingHashMismatch: "key-binding-hash-mismatch"
        case .keyBindingSignatureInvalid: "key-binding-signature-invalid"
        }
    }

    /// The one parameter a reason can have, for example the form's name.
    public var detail: String? {
        switch self {
        case .unsupportedForm(let form): form.rawValue
        case .unsupportedCode(let kind): kind.rawValue
        case .credentialRule(let fault): fault.code
        case .claimMissing(let role): role.rawValue
        default: nil
        }
    }

    /// What Inji's verifier calls the same, so that whoever knows its codes can read this verdict. Not every one of its codes is a refusal
    /// there: it calls an expired credential valid, and says `ERR_VC_EXPIRED` beside that.
    public func injiCode(_ form: CredentialForm) -> String {
        if case .credentialRule(let fault) = self { fault.injiCode } else { InjiCode(self, form: form).rawValue }
    }
}
