import Mdoc

/// Why a document in a phone lets nobody in (mdoc.md sections 1 and 6).
public enum MdocReason: Hashable, Sendable {
    /// The code is no engagement that this gate can answer.
    case engagement(EngagementError)
    /// The phone can be reached only by what this gate's controller, or its site, does not have.
    case bearerUnsupported
    /// What the phone sent is no DeviceResponse.
    case responseMalformed
    /// The phone says that it cannot answer: 10, 11 or 12, or a number of its own.
    case responseRefused(UInt64)
    /// None of the documents that were asked for was sent.
    case documentMissing
    /// The first step that a document fails, and exactly where.
    case document(MdocFault, MdocDetail?)
    /// An element that the site requires, by its name in the request.
    case elementMissing(String)
    /// The portrait was asked for, and the phone sent other elements without it.
    case portraitWithheld
    case tooYoung
    /// Neither an age nor a date of birth that says.
    case ageUnknown
}

extension MdocReason {
    /// A stable word for programs.
    public var code: String {
        switch self {
        case .engagement(let error): error.rawValue
        case .bearerUnsupported: "bearer-unsupported"
        case .responseMalformed: "response-malformed"
        case .responseRefused: "response-refused"
        case .documentMissing: "document-missing"
        case .document(let fault, _): fault.code
        case .elementMissing: "element-missing"
        case .portraitWithheld: "portrait-withheld"
        case .tooYoung: "too-young"
        case .ageUnknown: "age-unknown"
        }
    }

    public var detail: String? {
        switch self {
        // A number of the phone's own choice can say anything, and stays out of every record.
        case .responseRefused(let status): (10...12).contains(status) ? "\(status)" : "other"
        case .document(_, let detail): detail?.rawValue
        case .elementMissing(let name): name
        default: nil
        }
    }

    /// The issuer's signature held, and the device took part: no stranger's doing.
    public var isOfGenuineDocument: Bool {
        switch self {
        case .document(let fault, _): fault.isOfGenuineDocument
        case .elementMissing, .portraitWithheld, .tooYoung, .ageUnknown: true
        case .engagement, .bearerUnsupported, .responseMalformed, .responseRefused, .documentMissing: false
        }
    }

    public var sentence: String {
        switch self {
        case .engagement(.notAnEngagement): "The code begins as that of a wallet, and is none."
        case .engagement(.unsupportedVersion): "The wallet speaks another version of ISO/IEC 18013-5."
        case .engagement(.unsupportedCipherSuite): "The wallet wants another cipher suite."
        case .engagement(.unsupportedCurve): "The wallet's key is on a curve that this gate does not have."
        case .engagement(.badKey): "The wallet's key is none."
        case .engagement(.noUsableMethod): "The wallet offers no Bluetooth."
        case .bearerUnsupported: "The wallet offers only ways of Bluetooth that this gate does not have."
        case .responseMalformed: "What the phone sent is no answer to a request for documents."
        case .responseRefused: "The phone says that it cannot answer."
        case .documentMissing: "The phone sent none of the documents that were asked for."
        case .document(let fault, _): fault.sentence
        case .elementMissing: "The document came without something that this site requires."
        case .portraitWithheld: "The document came without its portrait."
        case .tooYoung: "The document says that its holder is too young."
        case .ageUnknown: "The document does not say how old its holder is."
        }
    }
}

extension MdocFault {
    /// A stable word for programs; the raw value is what other verifiers say.
    public var code: String {
        switch self {
        case .deviceKeyInvalid: "mdoc-device-key-invalid"
        case .invalidSignerCertificate: "mdoc-invalid-signer-certificate"
        case .mobileCredentialExpired: "mdoc-expired"
        case .mobileCredentialInvalid: "mdoc-invalid"
        case .mobileCredentialNotYetValid: "mdoc-not-yet-valid"
        case .statusRevoked: "mdoc-status-revoked"
        case .statusSuspended: "mdoc-status-suspended"
        case .statusUnknown: "mdoc-status-unknown"
        case .trustedIssuerCertificateExpired: "mdoc-trusted-issuer-certificate-expired"
        case .trustedIssuerCertificateNotYetValid: "mdoc-trusted-issuer-certificate-not-yet-valid"
        case .unsupportedCurve: "mdoc-unsupported-curve"
        }
    }

    /// Steps 11 and 12 come after the issuer's signature and the device's.
    var isOfGenuineDocument: Bool { step >= 11 }

    /// Of several documents the one that came furthest is told last: reasons stand in the order of the steps (mdoc.md section 6.4).
    var step: Int {
        switch self {
        case .unsupportedCurve: 1
        case .deviceKeyInvalid: 2
        case .trustedIssuerCertificateExpired, .trustedIssuerCertificateNotYetValid: 4
        case .invalidSignerCertificate: 5
        case .mobileCredentialInvalid: 6
        case .mobileCredentialExpired, .mobileCredentialNotYetValid: 11
        case .statusRevoked, .statusSuspended, .statusUnknown: 12
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .deviceKeyInvalid: "The document's device key cannot be used, or signs what it may not."
        case .invalidSignerCertificate: "The certificate that signed the document is not one that may."
        case .mobileCredentialExpired: "The document has expired."
        case .mobileCredentialInvalid: "The document is not what a trusted issuer signed for this phone."
        case .mobileCredentialNotYetValid: "The document is not valid yet."
        case .statusRevoked: "The document was revoked."
        case .statusSuspended: "The document is suspended."
        case .statusUnknown: "Whether the document was revoked is not known."
        case .trustedIssuerCertificateExpired: "The issuer's root certificate has expired."
        case .trustedIssuerCertificateNotYetValid: "The issuer's root certificate is not valid yet."
        case .unsupportedCurve: "The document needs a curve that this gate does not have."
        }
    }
}
