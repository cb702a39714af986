import Cryptography
import Envelopes

/// An IACA root that the gate was told to believe, and for which documents (mdoc.md section 6.1). It exists only where the hard rules of
/// the profile hold.
public struct IssuerRoot: Sendable {
    public let certificate: Certificate
    /// SHA-256 of the DER.
    public let fingerprint: [UInt8]
    public let commonName: String?
    /// The documents the root vouches for; nil for every kind.
    public let docTypes: [String]?
    /// The extended key usage that its document signers have to have, and no other.
    public let signerUsage: String
    /// What of the profile's soft rules does not hold.
    public let warnings: [RootWarning]

    /// Both ends belong to it.
    public let validity: ClosedRange<Seconds>
    /// The only C of its name.
    public let country: String
    let states: [String]

    /// "mdlDS" (ISO/IEC 18013-5 Annex B).
    public static let documentSigning = "1.0.18013.5.1.2"
    /// Seconds of the longest lifetime of the profile: twenty years, five of them with a leap day.
    private static let longestLifetime: Seconds = (20 * 365 + 5) * 86_400

    /// - Parameters:
    ///   - der: the certificate.
    ///   - docTypes: the documents it vouches for; nil for every kind. A root of driving licences vouches for no other document.
    ///   - signerUsage: the dotted identifier its signers carry, where an authority of another kind of document has its own.
    public init(
        _ der: Span<UInt8>, docTypes: [String]? = nil, signerUsage: String = IssuerRoot.documentSigning
    ) throws(RootFault) {
        do throws(CryptographyError) {
            let certificate = try Certificate(der)
            // libcrypto also reads lengths that DER does not allow, and its digest is that of DER: one certificate would have two.
            let written = try certificate.der()
            guard der.withUnsafeBufferPointer({ $0.elementsEqual(written) }) else { throw CryptographyError.malformedCertificate }
            self.certificate = certificate
            fingerprint = try certificate.fingerprint()
            validity = try certificate.validity()
            commonName = try certificate.subject(.commonName).first
            states = try certificate.subject(.stateOrProvince)
            let countries = try certificate.subject(.country)
            country = countries.count == 1 ? countries[0] : ""
            warnings = try Self.warnings(certificate, country, validity)
        } catch {
            throw error == .unavailable ? .unavailable : .malformed
        }
        self.docTypes = docTypes
        self.signerUsage = signerUsage
        try checkRules()
    }

    private func checkRules() throws(RootFault) {
        do throws(CryptographyError) {
            _ = try certificate.curveKey()
        } catch {
            throw error == .unsupportedKey ? .unsupportedCurve : .malformed
        }
        guard certificate.isAuthority else { throw .notAnAuthority }
        guard certificate.keyUsage?.contains(.certificateSigning) == true else { throw .keyUsage }
        guard !country.isEmpty else { throw .country }
        guard certificate.isNamedAsIssuer(of: certificate), certificate.hasSigned(certificate) else { throw .notSelfSigned }
    }

    private static func warnings(
        _ certificate: Certificate, _ country: String, _ validity: ClosedRange<Seconds>
    ) throws(CryptographyError) -> [RootWarning] {
        let critical = try certificate.criticalExtensions(), computed = try certificate.computedKeyIdentifier()
        let rules: [(RootWarning, Bool)] = [
            (.pathLength, certificate.pathLength == 0),
            (.keyUsageNotCritical, critical.contains(ExtensionName.keyUsage)),
            (.constraintsNotCritical, critical.contains(ExtensionName.basicConstraints)),
            (.subjectKeyIdentifier, certificate.subjectKeyIdentifier == computed),
            (.issuerAlternativeName, certificate.has(.issuerAlternativeName)),
            (.distributionPoints, certificate.has(.distributionPoints)),
            (.countryNotUpperCase, country.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
            (.lifetime, validity.isShorter(than: longestLifetime)),
        ]
        return rules.filter { !$0.1 }.map(\.0)
    }

    /// Whether it was pinned for documents of that kind.
    public func vouches(for docType: String) -> Bool { docTypes?.contains { $0.isExactly(docType) } ?? true }
}

/// Why a certificate cannot be an IACA root: a hard rule of the profile.
public enum RootFault: String, Error, Hashable, Sendable, CaseIterable {
    /// No certificate, or one of whose extensions or names cannot be read.
    case malformed
    case unsupportedCurve = "unsupported-curve"
    /// No basic constraints, or not those of an authority.
    case notAnAuthority = "not-an-authority"
    /// It may not sign certificates.
    case keyUsage = "key-usage"
    /// No country or more than one.
    case country
    /// Its own signature does not verify with its key.
    case notSelfSigned = "not-self-signed"
    /// libcrypto had no memory.
    case unavailable
}

/// Extensions by their dotted identifiers (RFC 5280 section 4.2.1).
enum ExtensionName {
    static let keyUsage = "2.5.29.15", basicConstraints = "2.5.29.19", extendedKeyUsage = "2.5.29.37"
    /// The critical ones that are understood.
    static let understood = [keyUsage, basicConstraints, extendedKeyUsage]
}

extension ClosedRange<Seconds> {
    func isShorter(than longest: Seconds) -> Bool {
        let (length, overflow) = upperBound.subtractingReportingOverflow(lowerBound)
        return !overflow && length <= longest
    }
}
