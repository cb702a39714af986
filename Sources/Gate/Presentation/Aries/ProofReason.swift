import AnonCreds
import DIDComm

/// Why a presentation of AnonCreds lets nobody in (aries.md section 3, anoncreds.md section 11).
public enum ProofReason: Hashable, Sendable {
    /// The message was not taken.
    case message(AriesCode)
    /// The presentation does not prove what was asked, by what the gate knows.
    case presentation(PresentationReason)
    /// It proves something, and not what this gate lets somebody in for: what is missing, by its name in the request.
    case claimMissing(String)
    /// It proves of a date what was asked on another day, and that is not enough today.
    case dayPassed
    /// The trust entry believes the issuer for nothing of this kind.
    case typeNotTrusted
    /// What was asked for is proven of several credentials: they have one holder, and may be about several people.
    case severalCredentials
}

extension ProofReason {
    /// A stable word for programs.
    public var code: String {
        switch self {
        case .message(let code): code.rawValue
        case .presentation(let reason): reason.rawValue
        case .claimMissing: "claim-missing"
        case .dayPassed: "day-passed"
        case .typeNotTrusted: "type-not-trusted"
        case .severalCredentials: "several-credentials"
        }
    }

    public var detail: String? {
        if case .claimMissing(let name) = self { name } else { nil }
    }

    /// The proof held: no stranger's doing.
    public var isOfGenuineCredential: Bool {
        switch self {
        case .message, .presentation: false
        case .claimMissing, .dayPassed, .typeNotTrusted, .severalCredentials: true
        }
    }

    /// All that the wallet is told; nil where nobody is there to be told.
    var problem: ProblemCode? {
        switch self {
        case .message(let code): ProblemCode(code)
        case .presentation(.messageTooLarge): .tooLarge
        case .presentation(.presentationMalformed): .malformed
        case .presentation(.deadlinePassed), .dayPassed: .expired
        case .presentation, .claimMissing, .typeNotTrusted, .severalCredentials: .rejected
        }
    }

    public var sentence: String {
        switch self {
        case .message(let code): code.sentence
        case .presentation(let reason): reason.sentence
        case .claimMissing: "The presentation does not show or prove something that this site requires."
        case .dayPassed: "The presentation answers what was asked on another day: present it again."
        case .typeNotTrusted: "The issuer is not trusted for this type of credential."
        case .severalCredentials: "The presentation is made of several credentials, which may be about different people."
        }
    }
}

extension AriesCode {
    fileprivate var sentence: String {
        switch self {
        case .messageTooLarge: "The message is larger than the gate takes."
        case .messageMalformed: "The message is none that a wallet sends."
        case .envelopeMissing: "The message came without an envelope."
        case .envelopeNotForUs: "The envelope is for somebody else."
        case .envelopeInvalid: "The envelope was changed on its way, or made with another key."
        case .threadUnknown: "The message answers another visit's request."
        case .messageTypeUnsupported: "The message is of a kind that this gate does not take."
        case .attachmentMalformed: "The message has no presentation in it that can be read."
        case .declined: "The holder does not want to present anything."
        case .timedOut: "The wallet was too slow."
        case .vanished: "The wallet left."
        }
    }
}

extension PresentationReason {
    fileprivate var sentence: String {
        switch self {
        case .messageTooLarge: "The presentation is larger than the gate takes."
        case .presentationMalformed: "The presentation cannot be read."
        case .proofTypeRefused: "The presentation has a proof of another kind."
        case .proofPurposeRefused: "The presentation's proof is for another purpose."
        case .challengeMismatch: "The presentation was made for another visit."
        case .answerMismatch: "The presentation does not answer what was asked."
        case .selfAttestedRefused: "The holder only says what an issuer has to say."
        case .schemaUnknown, .credentialDefinitionUnknown: "The credential is not of an issuer that this gate trusts."
        case .schemaMismatch: "The credential's definition is of another schema."
        case .definitionNotCurrent: "The credential's definition is not believed at this time."
        case .issuerMismatch: "The presentation names another issuer than its credential has."
        case .attributeUnknown: "The presentation names an attribute that the credential does not have."
        case .restrictionUnmet: "The credential is not one of those that were asked for."
        case .predicateMismatch: "The presentation proves something else than what was asked."
        case .valueMismatch: "A value that is shown is not the one that was issued."
        case .responseOutOfRange, .predicateUnlinked, .commitmentsMismatch, .proofInvalid: "The proof does not hold."
        case .linkSecretDiffers: "The credentials are of different holders."
        case .revocationProofMissing: "The presentation does not prove that the credential is not revoked."
        case .revocationInterval: "The presentation proves non-revocation for another time."
        case .revocationRegistryUnknown: "The credential's revocation registry is not known here."
        case .revocationListUnknown: "The status list of the proof is not known here."
        case .statusUnknown: "Whether the credential was revoked is not known: the status list is too old."
        case .revocationProofInvalid: "The proof does not hold; so it is with a credential that was revoked."
        case .deadlinePassed: "The gate did not come to an end with the proof in time."
        case .unavailable: "The gate had no memory for the proof."
        }
    }
}
