import Envelopes

/// What the errors of lists, roots and readers' keys mean, for whoever keeps the gate. The only file of this module with prose. Each is the
/// end of a sentence that names the thing.
extension RootFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed: "it is no certificate, or one whose names or extensions cannot be read"
        case .unsupportedCurve: "its key is on another curve than P-256, P-384 and P-521"
        case .notAnAuthority: "its basic constraints are not those of an authority"
        case .keyUsage: "its key usage does not allow it to sign certificates"
        case .country: "its name has no country (C), or more than one"
        case .notSelfSigned: "it is not signed by its own key, with ECDSA and SHA-2"
        case .unavailable: "libcrypto had no memory"
        }
    }
}

extension RootWarning: CustomStringConvertible {
    public var description: String {
        switch self {
        case .pathLength: "its path length is not 0"
        case .keyUsageNotCritical: "its key usage is not critical"
        case .constraintsNotCritical: "its basic constraints are not critical"
        case .subjectKeyIdentifier: "its key identifier is missing, or not that of its key"
        case .issuerAlternativeName: "it says nowhere how to reach the authority (issuerAltName)"
        case .distributionPoints: "it says nowhere where its revocation list is"
        case .countryNotUpperCase: "its country is not in capitals"
        case .lifetime: "it is valid for more than twenty years"
        }
    }
}

extension VICALError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooMuch: "it has more than \(VICALLimits.octets >> 20) MiB, or more items than a list has"
        case .malformed: "it is no COSE_Sign1 with its payload inside"
        case .chainMissing: "it does not have its signer's certificate (x5chain)"
        case .certificateMalformed: "one of its signer's certificates cannot be read"
        case .signerNotTrusted: "no path leads from its signer's certificate to one of the provider's that was given"
        case .signerValidity: "a certificate between its signer and the provider's is not valid at this time"
        case .signerChain: "a certificate between its signer and the provider's breaks a rule of RFC 5280"
        case .signerExtendedKeyUsage: "its signer's certificate is not for signing lists (extended key usage 1.0.18013.5.1.8)"
        case .signerKeyUsage: "its signer's certificate does not have the key usage nonRepudiation"
        case .unsupportedCurve: "its signer's key is on another curve than P-256, P-384 and P-521"
        case .algorithm: "its signature's algorithm is not that of the signer's curve (ES256, ES384, ES512)"
        case .signature: "its signature does not verify"
        case .version: "its version is not 1.x"
        case .contents: "version, provider, date or entries are missing, or have another type than they have to"
        case .tooManyEntries: "it has more than \(VICALLimits.entries) entries"
        case .rolledBack: "its number is lower than that of the provider's list in force"
        case .issueMissing: "it has no number, and the provider's list in force has one: nobody could say which is older"
        case .unavailable: "libcrypto had no memory"
        }
    }
}

extension VICALEntryFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed: "it is no map, or certificate, serial number, key identifier or docType are missing or have another type"
        case .docTypes: "it names no kind of document, or with the root's other entries more than \(VICALLimits.docTypes)"
        case .root(let fault): "its certificate cannot be a root: \(fault)"
        case .serialNumber: "its serial number is not that of its certificate"
        case .keyIdentifier: "its key identifier is not that of its certificate"
        }
    }
}

extension VICALWarning: CustomStringConvertible {
    public var description: String {
        switch self {
        case .past(let seconds): "the provider meant to have a newer one \(Self.days(seconds)) ago"
        case .old(let seconds): "it is \(Self.days(seconds)) old: ask the provider for a newer one"
        case .early(let seconds): "it was made \(Self.days(seconds)) from now: a clock is wrong"
        case .unnumbered: "it has no number: an older list in its place would only be known by its date"
        }
    }

    private static func days(_ seconds: Seconds) -> String {
        let days = seconds / 86_400
        return days == 0 ? "less than a day" : days == 1 ? "1 day" : "\(days) days"
    }
}

extension ReaderKeyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keyMalformed: "the key is no private key in PEM, or it is encrypted"
        case .keyUnsupported: "the key is of another kind, or on another curve than P-256, P-384 and P-521"
        case .certificatesMalformed:
            "there is no certificate, one that cannot be read, or there are more than \(ReaderKey.mostCertificates)"
        case .certificatesBroken: "one of them was not issued by the next: the reader's own comes first, then those above it"
        case .certificateOfAnotherKey: "no certificate is of this key"
        }
    }
}

extension ReaderWarning: CustomStringConvertible {
    public var description: String {
        switch self {
        case .extendedKeyUsage: "it is not for readers of documents (extended key usage 1.0.18013.5.1.6)"
        case .keyUsage: "it does not have the key usage digitalSignature"
        case .commonName: "it has no common name: a phone has none to show"
        case .subjectKeyIdentifier: "its key identifier is missing, or not that of its key"
        case .authorityKeyIdentifier: "the key identifier of its issuer is missing, or another one"
        case .lifetime: "it is valid for more than 1187 days"
        }
    }
}
