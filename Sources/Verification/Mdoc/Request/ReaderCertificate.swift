import Cryptography
import Envelopes

/// A reader's certificates, as phones look at them before they say who asks (mdoc.md section 4).
public struct ReaderCertificate: Sendable {
    /// The reader's own first, then those above it.
    public let chain: [Certificate]
    public let commonName: String?
    /// SHA-256 of the reader's own.
    public let fingerprint: [UInt8]
    /// When all of them are valid; nil where they never are together.
    public let validity: ClosedRange<Seconds>?
    /// What of the profile does not hold: a phone may call the gate unknown, and answers all the same.
    public let warnings: [ReaderWarning]

    /// "mdlReaderAuth" (ISO/IEC 18013-5 Annex B).
    public static let usage = "1.0.18013.5.1.6"
    /// Seconds of the longest lifetime of the profile.
    private static let longestLifetime: Seconds = 1187 * 86_400

    /// - Parameter chain: DER, at most `ReaderKey.mostCertificates`.
    public init(_ chain: [[UInt8]]) throws(ReaderKeyError) {
        guard 1...ReaderKey.mostCertificates ~= chain.count else { throw .certificatesMalformed }
        do throws(CryptographyError) {
            let certificates = try chain.map { (der) throws(CryptographyError) in try Certificate(der.span) }
            guard let own = certificates.first else { throw CryptographyError.malformedCertificate }
            self.chain = certificates
            commonName = try own.subject(.commonName).first
            fingerprint = try own.fingerprint()
            let ranges = try certificates.map { (certificate) throws(CryptographyError) in try certificate.validity() }
            validity = Self.common(ranges)
            warnings = try Self.warnings(own, above: certificates.dropFirst().first)
            _ = try own.curveKey()
        } catch {
            throw error == .unsupportedKey ? .keyUnsupported : .certificatesMalformed
        }
        for (one, above) in zip(self.chain, self.chain.dropFirst()) {
            guard above.isNamedAsIssuer(of: one), above.hasSigned(one) else { throw .certificatesBroken }
        }
    }

    private static func common(_ ranges: [ClosedRange<Seconds>]) -> ClosedRange<Seconds>? {
        let first = ranges.map(\.lowerBound).max() ?? 0, last = ranges.map(\.upperBound).min() ?? -1
        return first <= last ? first...last : nil
    }

    private static func warnings(_ own: Certificate, above: Certificate?) throws(CryptographyError) -> [ReaderWarning] {
        let usages = try own.extendedKeyUsages() ?? [], computed = try own.computedKeyIdentifier(), validity = try own.validity()
        let issuer = above?.subjectKeyIdentifier
        let rules: [(ReaderWarning, Bool)] = [
            (.extendedKeyUsage, usages.contains { $0.isExactly(usage) }),
            (.keyUsage, own.keyUsage?.contains(.digitalSignature) == true),
            (.commonName, try !own.subject(.commonName).isEmpty),
            (.subjectKeyIdentifier, own.subjectKeyIdentifier == computed),
            (.authorityKeyIdentifier, own.authorityKeyIdentifier != nil && (issuer == nil || own.authorityKeyIdentifier == issuer)),
            (.lifetime, validity.isShorter(than: longestLifetime)),
        ]
        return rules.filter { !$0.1 }.map(\.0)
    }
}

/// A rule of the profile that a reader's certificate breaks (mdoc.md section 4).
public enum ReaderWarning: String, Hashable, Sendable, CaseIterable {
    case extendedKeyUsage = "extended-key-usage"
    case keyUsage = "key-usage"
    case commonName = "common-name"
    case subjectKeyIdentifier = "subject-key-identifier"
    case authorityKeyIdentifier = "authority-key-identifier"
    /// Longer than 1187 days.
    case lifetime
}
