import Cryptography
import Envelopes

/// A claim: a certificate of the holder's key whose subject has the values (trustedkey.md section 3, step 8). Nobody has said yet that its
/// issuer is believed.
struct ClaimCertificate {
    let certificate: Certificate
    let validity: ClosedRange<Seconds>
    let objects: [(object: TrustedKeyObject, value: String)]
    let address: RevokedAddress

    /// All that the certificate itself has to fulfil, in the order of the step.
    ///
    /// Throws `answerMalformed`, `claimKeyMismatch`, `claimNotYetValid`, `claimExpired`, `claimUntrusted`.
    init(_ der: [UInt8], of key: HolderKey, at now: Seconds) throws(TrustedKeyFault) {
        do throws(CryptographyError) {
            certificate = try Certificate(distinguished: der.span)
            validity = try certificate.validity()
            objects = try certificate.subjectParts().map { (TrustedKeyObject(read: $0.identifier), $0.text) }
        } catch {
            throw .answerMalformed
        }
        // A key of another kind, and one that is no point of its curve, is not the holder's either.
        guard let own = try? certificate.publicKey(), own == key.key else { throw .claimKeyMismatch }
        guard validity.lowerBound <= now else { throw .claimNotYetValid }
        guard now <= validity.upperBound else { throw .claimExpired }
        guard UnderstoodExtensions.areAll(of: certificate), let address = RevokedAddress(serialOf: certificate) else {
            throw .claimUntrusted
        }
        self.address = address
    }
}

/// Extensions that may be critical, by their dotted identifiers (RFC 5280 section 4.2.1): they say nothing that a claim's use depends on,
/// or are judged. A constraint on names or policies is not among them: whoever sets one is not understood.
enum UnderstoodExtensions {
    private static let basicConstraints = "2.5.29.19", keyUsage = "2.5.29.15", extendedKeyUsage = "2.5.29.37"
    private static let subjectAlternativeName = "2.5.29.17", certificatePolicies = "2.5.29.32"
    private static let all: Set<String> = [
        basicConstraints, keyUsage, extendedKeyUsage, subjectAlternativeName, certificatePolicies,
    ]

    /// Whether no other extension of the certificate is critical.
    static func areAll(of certificate: Certificate) -> Bool {
        guard let critical = try? certificate.readCriticalExtensions() else { return false }
        return critical.allSatisfy(all.contains)
    }
}
