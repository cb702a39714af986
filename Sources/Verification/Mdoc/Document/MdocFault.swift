/// Why a document is not verified: the first step that fails names it (mdoc.md section 6.4). The raw values are those that other verifiers
/// of mdocs report; the cases stand by the alphabet.
public enum MdocFault: String, Error, Hashable, Sendable, CaseIterable {
    case deviceKeyInvalid = "DeviceKeyInvalid"
    case invalidSignerCertificate = "InvalidSignerCertificate"
    case mobileCredentialExpired = "MobileCredentialExpired"
    case mobileCredentialInvalid = "MobileCredentialInvalid"
    case mobileCredentialNotYetValid = "MobileCredentialNotYetValid"
    case statusRevoked = "StatusRevoked"
    case statusSuspended = "StatusSuspended"
    case statusUnknown = "StatusUnknown"
    case trustedIssuerCertificateExpired = "TrustedIssuerCertificateExpired"
    case trustedIssuerCertificateNotYetValid = "TrustedIssuerCertificateNotYetValid"
    case unsupportedCurve = "UnsupportedCurve"
}

/// What exactly failed. Finer than `MdocFault`, for records and tests: no decision hangs on it.
public enum MdocDetail: String, Hashable, Sendable, CaseIterable {
    // Step 0
    /// Not the CBOR or not the shape that the standard gives it, or a member is missing.
    case malformed
    /// More namespaces, items or errors than a document may have.
    case tooMuch = "too-much"
    case chainMissing = "x5chain-missing"
    case certificateMalformed = "certificate-malformed"

    // Steps 1 and 2
    case signerCurve = "signer-curve"
    case deviceCurve = "device-curve"
    case deviceKey = "device-key"

    // Steps 3 to 5
    case issuerNotTrusted = "issuerNotTrusted"
    case rootValidity = "root-validity"
    case signerValidity = "signer-validity"
    case signerCountry = "signer-country"
    case signerState = "signer-state"
    case signerCommonName = "signer-common-name"
    case signerUnknownExtension = "signer-unknown-critical-extension"
    case signerExtendedKeyUsage = "signer-extended-key-usage"
    case signerKeyUsage = "signer-key-usage"
    case signerIsAuthority = "signer-is-authority"
    case signerMalformed = "signer-malformed"
    case signerRevoked = "signer-revoked"

    // Steps 6 and 7
    case issuerAlgorithm = "issuer-algorithm"
    case issuerSignature = "issuer-signature"
    case version
    case docType
    case digestAlgorithm = "digest-algorithm"
    case signedOutsideSigner = "signed-outside-signer"
    case digest
    case elementTwice = "element-twice"

    // Steps 8 to 10
    /// Neither signature nor MAC, or both.
    case deviceAuthMissing = "device-auth-missing"
    case devicePayload = "device-payload"
    case deviceAlgorithm = "device-algorithm"
    case deviceSignature = "device-signature"
    case deviceMAC = "device-mac"
    /// A MAC needs the device's key and the gate's on one curve.
    case deviceMACCurve = "device-mac-curve"
    case keyNotAuthorised = "key-not-authorised"
    case notRequested = "not-requested"

    // Steps 11 and 12
    case validUntil = "valid-until"
    case validFrom = "valid-from"
    case status
    /// The trust has no token of that address, or the reference cannot be read.
    case statusMissing = "status-missing"
    /// The token is malformed, of a foreign signer, of another address, over, or too short.
    case statusUnusable = "status-unusable"

    /// libcrypto had no memory: a fault of the gate.
    case unavailable
}

/// A fault and its detail, as the steps throw it.
struct DocumentFault: Error, Hashable {
    let fault: MdocFault
    let detail: MdocDetail

    init(_ fault: MdocFault, _ detail: MdocDetail) {
        self.fault = fault
        self.detail = detail
    }

    /// Most of them: MATTR's one name for everything that is wrong with the document itself.
    static func invalid(_ detail: MdocDetail) -> DocumentFault { DocumentFault(.mobileCredentialInvalid, detail) }
}
