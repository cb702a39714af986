import Envelopes
import Trust

/// What the reasons and notes mean, for the people who read logs, screens and terminals. The only file of this module with prose.
extension RejectReason {
    public var sentence: String {
        switch self {
        case .messageTooLarge: "The message is larger than a credential may be."
        case .messageMalformed: "The message is not well-formed JSON."
        case .credentialMissing: "The message holds no credential."
        case .unsupportedForm(let form): "This gate does not verify credentials of the form \(form.rawValue)."
        case .unsupportedCode(let kind): "This gate does not verify codes of the kind \(kind.rawValue)."
        case .encrypted: "The credential is encrypted, and this gate does not have the key."
        case .decryptionFailed: "The credential was encrypted with another key than the one it names, or was changed."
        case .signatureMissing: "The credential is encrypted and not signed: whoever has the key could have made it."
        case .compactMalformed: "The credential is not a well-formed SD-JWT."
        case .headerMalformed: "The credential's header is not well-formed."
        case .typeHeaderRefused: "The credential's header does not say that it is an SD-JWT VC."
        case .algorithmRefused: "The signature algorithm is not acceptable."
        case .criticalHeaderRefused: "The credential needs an extension that this gate does not have."
        case .payloadMalformed: "The signed payload is not well-formed."
        case .signatureInvalid: "The issuer's signature does not verify."
        case .credentialRule(let fault): "The credential breaks the data model: \(fault.code)."
        case .contextUnknown: "The credential uses a vocabulary that is not in the trust bundle."
        case .linkedDataInvalid: "The credential is not well-formed JSON-LD."
        case .proofMissing: "The credential carries no proof."
        case .proofMalformed: "The credential's proof is not well-formed."
        case .proofTypeRefused: "The proof is of a type this gate does not verify."
        case .proofPurposeRefused: "The proof was made for another purpose."
        case .proofExpired: "The proof has expired."
        case .payloadNotDetached: "The proof's signature carries a payload of its own."
        case .claimsUncovered: "The credential holds something that its signature does not cover."
        case .credentialAmbiguous: "The credential speaks of more than one credential or person."
        case .issuerMismatch: "The signed issuer is not the one the key belongs to."
        case .issuerMissing: "The credential does not name its issuer."
        case .issuerUnknown: "The issuer is not trusted here."
        case .issuerAmbiguous: "The credential does not name its issuer, and its certificate is made out to more than one."
        case .formNotTrusted: "The issuer is not trusted for credentials of this form."
        case .algorithmNotTrusted: "The issuer is not trusted with this signature algorithm."
        case .suiteNotTrusted: "The issuer is not trusted with this kind of proof."
        case .keyUnknown: "The signing key is not one of the issuer's trusted keys."
        case .keyIDMissing: "The credential does not say which of the issuer's keys signed it, and more than one could have."
        case .keyNotCurrent: "The signing key is not trusted at this time."
        case .keyMismatch: "The signature algorithm does not belong to the issuer's key."
        case .certificateMalformed: "The issuer's certificate is not well-formed."
        case .certificateUntrusted: "The issuer's certificate does not lead to a root pinned for this issuer."
        case .certificateNameMismatch: "The issuer's certificate was made for another name."
        case .certificateThumbprintMismatch: "The credential's header has the thumbprint of another certificate."
        case .certificateUsageRefused: "The issuer's certificate, or one above it, was made for another use than signing credentials."
        case .certificatePolicyRefused: "An authority above the issuer's certificate requires a policy that the certificate does not have."
        case .digestAlgorithmRefused: "The digest algorithm is not acceptable."
        case .disclosureMalformed: "A disclosed claim is not well-formed."
        case .disclosureRepeated: "A claim is disclosed twice."
        case .disclosureUnreferenced: "A disclosed claim is not covered by the signature."
        case .digestRepeated: "A digest occurs twice in the credential."
        case .digestMalformed: "The credential's digests are not well-formed."
        case .disclosureMisplaced: "A disclosed claim is in the wrong place."
        case .claimNameRefused: "A disclosed claim has a name that cannot be disclosed."
        case .claimNameRepeated: "A disclosed claim repeats a claim that exists already."
        case .tooComplex: "The credential is too complex."
        case .timeMalformed: "A time in the credential is not well-formed."
        case .expired: "The credential has expired."
        case .notYetValid: "The credential is not valid yet."
        case .issuedInFuture: "The credential claims to be issued in the future."
        case .audienceMismatch: "The credential was made for somebody else."
        case .typeMissing: "The credential does not say what it is."
        case .typeNotTrusted: "The issuer is not trusted for this type of credential."
        case .claimMissing(let role): "The credential lacks a claim that this gate requires: \(role.rawValue)."
        case .revoked: "The credential was revoked."
        case .suspended: "The credential is suspended."
        case .statusUnknown: "The credential can be revoked, and its status is not known here."
        case .clockUnsure: "The board's clock is behind a time that has passed: nothing that expires can be judged."
        case .trustExpired: "The trust bundle has expired: nobody is believed until a new one is installed."
        case .keyBindingMalformed: "The holder's key binding is not well-formed."
        case .keyBindingKeyMissing: "The credential has no usable key for the holder's key binding."
        case .keyBindingHashMismatch: "The holder's key binding belongs to another presentation."
        case .keyBindingSignatureInvalid: "The holder's key binding signature does not verify."
        }
    }
}

extension CredentialNote {
    public var sentence: String {
        switch self {
        case .keyBindingNotFresh: "No key of the holder's signed for this visit; nothing but a face proves that the holder is present."
        case .statusIgnored: "The credential can be revoked; the trust entry says to accept it unchecked."
        case .timeZoneAssumed: "A date of the credential names no time zone; it was taken as UTC."
        case .neverExpires: "The credential has no end of validity."
        case .proofsIgnored: "The credential carries further proofs that nobody trusted made; they played no part."
        case .clockUnsure: "The board's clock is behind a time that has passed; the trust bundle says to accept that."
        case .statusStale: "The status list is older than the issuer's policy would like."
        case .statusUnknown: "The credential can be revoked and its status is not known; the trust entry says to accept it."
        case .typeNotSigned: "A type of the credential is not covered by its signature; it played no part."
        case .keyFromCertificate: "The signing key comes from a certificate under a root pinned for the issuer."
        }
    }
}

extension StatusListFault {
    public var sentence: String {
        switch self {
        case .entryUnreadable: "The credential's own entry cannot be read."
        case .listMissing: "The bundle has no list of that URL."
        case .listMalformed: "It is not a list in a form this gate reads."
        case .listUnsigned:
            "No signature by a trusted issuer holds: it was changed, its key is not in the entry or not valid any more, its algorithm or suite is not in the entry, or a context of it is not in contexts.json."
        case .listTooComplex: "Reading it takes more work than a verification may."
        case .issuerMismatch: "No trusted issuer made it."
        case .nameMismatch: "It calls itself by another URL than credentials do."
        case .purposeMismatch: "It is about something else than the credential asks."
        case .listNotCurrent: "It is not valid yet, or not any more."
        case .listTooOld: "It was fetched longer ago than the issuer's entry allows."
        case .listFromFuture: "It was fetched later than it is now."
        case .entryMissing: "It has no such entry, or one that means nothing here."
        }
    }
}
