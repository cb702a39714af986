import Cryptography
import Envelopes

/// The certificate a document was signed with: the first of its `x5chain` (mdoc.md section 6.1).
struct DocumentSigner {
    let certificate: Certificate
    /// Nil where it is not on P-256, P-384 or P-521.
    let key: CurvePoint?
    let validity: ClosedRange<Seconds>

    /// Seconds of the longest lifetime of the profile.
    private static let longestLifetime: Seconds = 457 * 86_400
    /// Octets of the longest serial number (RFC 5280 section 4.1.2.2).
    private static let longestSerialNumber = 20

    /// Throws `InvalidSignerCertificate` for what is no certificate.
    init(_ der: [UInt8]) throws(DocumentFault) {
        do throws(CryptographyError) {
            certificate = try Certificate(der.span)
            validity = try certificate.validity()
        } catch {
            throw DocumentFault(.invalidSignerCertificate, .certificateMalformed)
        }
        do throws(CryptographyError) {
            key = try certificate.curveKey()
        } catch {
            guard error == .unsupportedKey else { throw DocumentFault(.invalidSignerCertificate, .certificateMalformed) }
            key = nil
        }
    }

    /// The roots that vouch for the signer of such a document, by their signature and not by their name alone: names and key identifiers
    /// can be forged. Several where a root was renewed.
    func roots(of trust: MdocTrust, for docType: String) -> [IssuerRoot] {
        trust.roots.filter { root in
            root.vouches(for: docType) && root.certificate.isNamedAsIssuer(of: certificate) && root.certificate.hasSigned(certificate)
        }
    }

    /// The hard rules of the profile. Throws `InvalidSignerCertificate` with the first that does not hold.
    func checkProfile(under root: IssuerRoot, at now: Seconds) throws(DocumentFault) {
        guard validity.contains(now) else { throw DocumentFault(.invalidSignerCertificate, .signerValidity) }
        let broken: MdocDetail?
        do throws(CryptographyError) {
            broken = try brokenRule(under: root)
        } catch {
            throw DocumentFault(.invalidSignerCertificate, error == .unavailable ? .unavailable : .signerMalformed)
        }
        if let broken { throw DocumentFault(.invalidSignerCertificate, broken) }
    }

    private func brokenRule(under root: IssuerRoot) throws(CryptographyError) -> MdocDetail? {
        let countries = try certificate.subject(.country), states = try certificate.subject(.stateOrProvince)
        guard countries.count == 1, countries[0].isExactly(root.country) else { return .signerCountry }
        // Both have it or neither: an authority of a state vouches for that state alone.
        guard states.count == root.states.count, zip(states, root.states).allSatisfy({ $0.isExactly($1) }) else { return .signerState }
        guard try !certificate.subject(.commonName).isEmpty else { return .signerCommonName }
        for critical in try certificate.criticalExtensions() where !ExtensionName.understood.contains(critical) {
            return .signerUnknownExtension
        }
        guard try certificate.extendedKeyUsages() == [root.signerUsage] else { return .signerExtendedKeyUsage }
        guard let usage = certificate.keyUsage, usage.contains(.digitalSignature),
            usage.isDisjoint(with: [.certificateSigning, .listSigning, .keyAgreement])
        else { return .signerKeyUsage }
        guard !certificate.isAuthority else { return .signerIsAuthority }
        return nil
    }

    /// The soft rules that do not hold. A certificate that cannot say breaks none: it has passed the hard ones.
    func warnings(under root: IssuerRoot) -> [MdocWarning] {
        let critical = (try? certificate.criticalExtensions()) ?? []
        let rules: [(SignerWarning, Bool)] = [
            (
                .authorityKeyIdentifier,
                certificate.authorityKeyIdentifier != nil && certificate.authorityKeyIdentifier == root.certificate.subjectKeyIdentifier
            ),
            (.subjectKeyIdentifier, certificate.subjectKeyIdentifier != nil),
            (.extendedKeyUsageNotCritical, critical.contains(ExtensionName.extendedKeyUsage)),
            (.keyUsageNotCritical, critical.contains(ExtensionName.keyUsage)),
            (.issuerAlternativeName, certificate.has(.issuerAlternativeName)),
            (.distributionPoints, certificate.has(.distributionPoints)),
            (.lifetime, validity.isShorter(than: Self.longestLifetime)),
            (.serialNumber, certificate.serialNumberLength <= Self.longestSerialNumber),
        ]
        return rules.filter { !$0.1 }.map { .signer($0.0) }
    }
}
