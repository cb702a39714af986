import AnonCreds
import Envelopes
import Mdoc

/// What the faults of trust mean, for whoever keeps the gate. The only file of this module with prose.
extension TrustError: CustomStringConvertible {
    public var description: String {
        let place = member.isEmpty ? file : "\(file): \(member)"
        if reason == .unreadable { return "\(place): cannot be read\(found.map { " (\($0))" } ?? "")." }
        let details = [found.map { "found: \($0)" }, allowed.map { "allowed: \($0)" }].compactMap { $0 }.joined(separator: "; ")
        return "\(place): \(sentence)" + (details.isEmpty ? "" : " (\(details))")
    }

    private var sentence: String {
        switch reason {
        case .unreadable: "cannot be read."
        case .empty: "holds no trust file: a gate that trusts nobody is a mistake."
        case .tooLarge: "is too large for a trust file, or there are too many."
        case .malformed(let error): "is not well-formed JSON: \(error.reason.rawValue) at octet \(error.offset)."
        case .missing: "is missing."
        case .unknown: "is not a member of this format."
        case .wrongType: "has the wrong type, or is empty."
        case .wrongValue: "has a value that this format does not allow."
        case .unsupportedVersion: "is not a version this gate reads."
        case .duplicate: "occurs twice."
        case .malformedKey: "is not a public key this gate can use."
        case .malformedCertificate: "is not a certificate in PEM."
        case .unusableContext(.loadingDocumentFailed): "is a context that names another one, which is not in contexts.json."
        case .unusableContext(.tooComplex): "is a context that takes more work than its size allows, or names itself."
        case .unusableContext(let error): "is not a context that a credential can be read under: \(error.rawValue)."
        case .unusableRoot(let fault): "cannot be an issuing authority's root: \(fault)."
        case .malformedRevocations: "is not a revocation list (CRL) of version 2, in DER or PEM."
        case .ofNoRoot: "is a revocation list of none of the roots: it would revoke nobody."
        case .malformedToken: "is not a status list token (CWT) with its signer's certificate."
        case .unusableReader(let error): "cannot be a reader's certificates: \(error)."
        case .unusableObject(let problem): problem.sentence
        case .ofNoEntry: "is named by no issuer's entry: it would be of no use."
        case .secretKey: "holds a private key: remove it from the gate, then replace the key."
        }
    }
}

extension ContextFault.Problem {
    fileprivate var sentence: String {
        switch self {
        case .missing: "is missing."
        case .wrongType: "has the wrong type."
        case .notCanonical: "is no decimal number without leading zeros, of at most 1200 digits."
        case .outOfRange:
            "is no number that this can be: a modulus is odd and has 2047 to 2056 bits, a base lies between 1 and the modulus."
        case .notCoprime: "has a factor in common with the modulus."
        case .wrongKeys: "has other names than the schema's attributes, in lower case and without blanks, and master_secret."
        case .notInGroup: "is no point of the group that it has to be of."
        case .duplicate: "occurs twice, or is written in two ways."
        case .unknown: "names what is not there, or does not belong to it."
        case .tooMany: "has none, or more than there may be."
        case .unavailable: "could not be checked: libcrypto had no memory."
        }
    }
}

extension TrustBundleError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge: "The bundle is larger than 16 MiB."
        case .malformed(let error):
            "This is no trust bundle, or not in the one encoding it may have: \(error.reason.rawValue) at octet \(error.offset)."
        case .notSigned: "The file is not a signed trust bundle."
        case .envelope(let error): "The bundle's signatures are not well-formed: \(error.sentence)."
        case .thresholdNotMet: "The bundle is not signed by as many of the root's signers as it has to be."
        case .keyIDRefused: "The signer's name is empty or too long."
        case .alreadySigned: "The bundle has a signature of this name already."
        case .unsupportedVersion: "The bundle has another version than this gate reads."
        case .sectionUnknown(let kind, let version):
            "The bundle has a section \"\(kind)\" of version \(version), which this gate does not know."
        case .sectionRepeated(let kind): "The bundle has the section \"\(kind)\" twice."
        case .sequenceRefused: "The bundle's sequence number is not one it may have: 1 to \(TrustBundle.largestSequence)."
        case .timeRefused: "A time in the bundle lies outside the years 1970 to 9999."
        case .windowRefused: "The bundle ends before it begins, or was made after its end."
        case .clockPolicyRefused: "The bundle's policy for an unsure clock is not known here."
        case .tooMany(let part): "The bundle holds too many \(part.rawValue)s."
        case .nameRefused(let part): "The bundle holds one \(part.rawValue) whose name is empty or too long."
        case .duplicate(let part, let name): "The bundle holds the \(part.rawValue) \(name) twice."
        case .partTooLarge(let part, let name): "The \(part.rawValue) \(name) is too large."
        case .entryNotCanonical(let name): "The entry of the issuer \(name) is not in the form of RFC 8785."
        case .contents(let error): error.description
        case .notYetValid: "The bundle is not valid yet."
        case .expired: "The bundle has expired."
        case .noDigest: "SHA-256 is not to be had."
        }
    }
}

extension CosignError {
    /// `The order` or the like goes before it.
    fileprivate var sentence: String {
        switch self {
        case .tooLarge: "is larger than it may be."
        case .malformed(let error): "is not in the one encoding it may have: \(error.reason.rawValue) at octet \(error.offset)."
        case .notSigned: "is not a file that somebody signed."
        case .envelope(let error): "has signatures that are not well-formed: \(error.sentence)."
        case .thresholdNotMet: "is not signed by as many of the root's signers as it has to be."
        case .keyIDRefused: "cannot have a signature under an empty name, or one that is too long."
        case .alreadySigned: "has a signature of this name already."
        }
    }
}

extension OrderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .signature(let error): "The order \(error.sentence)"
        case .malformed(let error): error.description
        case .notCanonical: "The order is not in the form of RFC 8785, its one encoding."
        case .kindUnknown(let kind): "\(kind) is not a kind of order this program knows."
        case .numberRefused: "The order's number is not one it may have."
        case .timeRefused: "A time in the order lies outside the years 1970 to 9999."
        case .windowRefused: "The order ends before it was made."
        case .gatesRefused: "The order names no gate, too many, one twice, or an id that no gate has."
        case .contentRefused: "The order's content is no JSON object, or too large."
        case .useTooLong:
            "An order for the clock, or to reset, may be used for 31 days at most, and a time has to lie between its making and its end."
        case .resetOfAll: "An order to reset names the gates it is for, and is never for all."
        case .wrongKind(let found, let wanted):
            "The order is one of the kind \(found.rawValue), and here one of the kind \(wanted.rawValue) is wanted."
        case .forOthers(let gate): "The order is for other gates; this one is \(gate)."
        case .noGateID: "The order is for certain gates, and this one has no id."
        case .expired(let time): "The order could be used until \(Timestamp.text(time) ?? "\(time)")."
        }
    }
}

extension COSEError {
    fileprivate var sentence: String {
        switch self {
        case .malformed(let error): "\(error.reason.rawValue) at octet \(error.offset)"
        case .notASignature: "this is no signature"
        case .payloadDetached: "what was signed is somewhere else"
        case .tooManySignatures: "there are too many of them"
        case .headerMalformed, .headerRepeated: "a header parameter is malformed or occurs twice"
        case .criticalHeaderRefused: "one needs an extension that this gate does not have"
        case .algorithmRefused, .keyMismatch: "the algorithm is not acceptable"
        case .signatureInvalid, .thresholdNotMet: "one does not verify"
        case .cannotSign: "libcrypto could not make one"
        case .keyRefused, .secretKey: "a key is not one this gate verifies with"
        case .cannotOpen: "one cannot be decrypted"
        }
    }
}
