import Cryptography
import JSON

/// The key that must have signed, chosen by the trust entry; the header only says which of the trusted keys it is.
struct KeySelection {
    let key: PublicKey
    /// The pinned key's `kid`; nil when the key came from a certificate.
    let keyID: String?

    /// - Parameters:
    ///   - iss: the payload's `iss`, not believed yet, but one of `issuer.ids`; nil where nothing says it.
    ///   - time: now, in seconds since 1970.
    init(for header: JOSEHeader, iss: String?, issuer: TrustedIssuer, at time: Seconds) throws(RejectReason) {
        guard issuer.algorithms.contains(header.algorithm) else { throw .algorithmNotTrusted }
        if let kid = header.keyID, let pinned = issuer.keys.first(where: { kid.isString($0.id) }) {
            try pinned.check(header.algorithm, at: time)
            (key, keyID) = (pinned.key, pinned.id)
        } else if header.hasCertificates, !issuer.roots.isEmpty {
            key = try Self.key(try header.certificates(), iss: iss, issuer: issuer, at: time)
            keyID = nil
        } else {
            guard header.keyID == nil else { throw .keyUnknown }
            let pinned = try issuer.onlyKey(for: header.algorithm, at: time)
            (key, keyID) = (pinned.key, pinned.id)
        }
        guard header.algorithm.fits(key.kind) else { throw .keyMismatch }
    }

    /// The key of the first certificate, if a path leads from it to a root of the issuer's and it names the issuer.
    ///
    /// - Parameter certificates: DER, leaf first.
    static func key(_ certificates: [[UInt8]], iss: String?, issuer: TrustedIssuer, at time: Seconds) throws(RejectReason) -> PublicKey {
        let chain = try chain(certificates, issuer, time)
        // RFC 5280 section 4.2.1.3: a certificate that limits its key to other uses did not mean it for credentials.
        guard chain.leaf.keyUsage?.contains(.digitalSignature) != false else { throw .certificateUntrusted }
        guard CertificateNames(chain).name(issuer, iss: iss) else { throw .certificateNameMismatch }
        return chain.publicKey
    }

    private static func chain(_ certificates: [[UInt8]], _ issuer: TrustedIssuer, _ time: Seconds) throws(RejectReason) -> CertificateChain {
        do throws(CryptographyError) {
            return try CertificateChain(x5c: certificates, roots: issuer.roots, usages: issuer.extendedKeyUsages, at: time)
        } catch {
            switch error {
            case .malformedCertificate, .malformedKey: throw .certificateMalformed
            case .certificateUsage: throw .certificateUsageRefused
            case .certificatePolicy: throw .certificatePolicyRefused
            default: throw .certificateUntrusted
            }
        }
    }
}
