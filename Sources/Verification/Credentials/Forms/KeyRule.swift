import Cryptography
import Envelopes
import Trust

/// Whether a key may have signed this: one of the issuer's, now, with this algorithm. The trust entry decides; what was received only says
/// which of the trusted keys it is.
struct KeyRule {
    let issuer: TrustedIssuer
    /// Now, in seconds since 1970.
    let time: Seconds

    /// What is to be known of a token's header.
    struct Header {
        let algorithm: SignatureAlgorithm
        /// Whether `kid` means this key; nil where there is no `kid`.
        let names: ((TrustedKey) -> Bool)?
        /// DER, leaf first; nil where there is no chain. Taken apart only where the key has to come from it.
        let certificates: (() throws(RejectReason) -> [[UInt8]])?
        /// Of the certificate that signed; nil where there is none. Looked at where the key has to come from a certificate.
        var thumbprint: (() throws(RejectReason) -> CertificateThumbprint?)?
    }

    /// The key that must have signed, by `kid`, by a chain, or because no other could have.
    ///
    /// - Parameter iss: not believed yet, but one of `issuer.ids`; nil where nothing says it.
    func key(_ header: Header, iss: String?) throws(RejectReason) -> (key: PublicKey, evidence: KeyEvidence) {
        guard issuer.algorithms.contains(header.algorithm) else { throw .algorithmNotTrusted }
        if let names = header.names, let pinned = issuer.keys.first(where: names) {
            try check(pinned, header.algorithm)
            return try fitting(pinned, header.algorithm)
        }
        if !issuer.roots.isEmpty, let certificates = try certificates(header) {
            return (try key(by: certificates, header.algorithm, iss: iss), .certificate)
        }
        guard header.names == nil else { throw .keyUnknown }
        return try fitting(onlyKey(for: header.algorithm), header.algorithm)
    }

    private func fitting(_ pinned: TrustedKey, _ algorithm: SignatureAlgorithm) throws(RejectReason) -> (PublicKey, KeyEvidence) {
        guard algorithm.fits(pinned.key.kind) else { throw .keyMismatch }
        return (pinned.key, .pinned(pinned.id))
    }

    /// Whether the key that was named is believed now, and with this algorithm.
    private func check(_ key: TrustedKey, _ algorithm: SignatureAlgorithm) throws(RejectReason) {
        guard key.isCurrent(at: time) else { throw .keyNotCurrent }
        guard key.algorithm == nil || key.algorithm == algorithm else { throw .keyMismatch }
    }

    /// The key that must have signed where a header does not say which: `kid` is recommended (SD-JWT VC) and optional (RFC 9052 section
    /// 3.1). It is the only one for that algorithm now: two are one too many, because nobody tries keys until one fits.
    ///
    /// Throws `keyUnknown` where there is none for the algorithm, `keyNotCurrent` where there is none now, `keyIDMissing` for more than
    /// one.
    private func onlyKey(for algorithm: SignatureAlgorithm) throws(RejectReason) -> TrustedKey {
        let fitting = issuer.keys.filter { algorithm.fits($0.key.kind) && ($0.algorithm == nil || $0.algorithm == algorithm) }
        let current = fitting.filter { $0.isCurrent(at: time) }
        guard let key = current.first else { throw fitting.isEmpty ? .keyUnknown : .keyNotCurrent }
        guard current.count == 1 else { throw .keyIDMissing }
        return key
    }
}

// MARK: Certificates

extension KeyRule {
    /// The chain in a header; of one with a thumbprint alone, the pinned certificate that it is of. Nil where there is neither.
    private func certificates(_ header: Header) throws(RejectReason) -> [[UInt8]]? {
        var thumbprint: CertificateThumbprint?
        if let stated = header.thumbprint { thumbprint = try stated() }
        guard let certificates = header.certificates else {
            guard let thumbprint else { return nil }
            return issuer.roots.lazy.compactMap { try? $0.der() }.first(where: thumbprint.isOf).map { [$0] }
        }
        let chain = try certificates()
        if let thumbprint, let leaf = chain.first, !thumbprint.isOf(leaf) { throw .certificateThumbprintMismatch }
        return chain
    }

    /// The key of the first certificate, if a path leads from it to a root of the issuer's and it names the issuer.
    ///
    /// - Parameters:
    ///   - certificates: DER, leaf first.
    ///   - iss: nil where nothing says it.
    func key(by certificates: [[UInt8]], _ algorithm: SignatureAlgorithm, iss: String?) throws(RejectReason) -> PublicKey {
        guard issuer.algorithms.contains(algorithm) else { throw .algorithmNotTrusted }
        let chain = try chain(certificates)
        // RFC 5280 section 4.2.1.3: a certificate that limits its key to other uses did not mean it for credentials.
        guard chain.leaf.keyUsage?.contains(.digitalSignature) != false else { throw .certificateUntrusted }
        guard CertificateNames(chain).name(issuer, iss: iss) else { throw .certificateNameMismatch }
        guard algorithm.fits(chain.publicKey.kind) else { throw .keyMismatch }
        return chain.publicKey
    }

    private func chain(_ certificates: [[UInt8]]) throws(RejectReason) -> CertificateChain {
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

// MARK: Verification methods

extension KeyRule {
    /// The key of exactly that verification method, if the issuer is trusted with it and with the suite. The algorithm is known once the
    /// proof is verified: `check(_:signedWith:)`.
    func key(ofMethod method: String, _ suite: LinkedProofSuite) throws(RejectReason) -> TrustedKey {
        guard issuer.suites.contains(suite) else { throw .suiteNotTrusted }
        if let pinned = issuer.keys.first(where: { $0.id.isExactly(method) }) {
            guard pinned.isCurrent(at: time) else { throw .keyNotCurrent }
            return pinned
        }
        guard let id = LocalDID.controller(ofMethod: method), issuer.ids.contains(where: { $0.isExactly(id) }),
            let local = LocalDID.publicKey(of: id)
        else { throw .keyUnknown }
        return TrustedKey(id: method, octets: Array(method.utf8), key: local.key, algorithm: local.algorithm, notBefore: nil, notAfter: nil)
    }

    func check(_ key: TrustedKey, signedWith algorithm: SignatureAlgorithm) throws(RejectReason) {
        guard issuer.algorithms.contains(algorithm) else { throw .algorithmNotTrusted }
        guard key.algorithm == nil || key.algorithm == algorithm else { throw .keyMismatch }
    }
}

// MARK: Headers

extension KeyRule.Header {
    init(_ header: JOSEHeader) {
        self.init(
            algorithm: header.algorithm, names: header.keyID.map { kid in { kid.isString($0.id) } },
            certificates: header.hasCertificates ? { () throws(RejectReason) in try header.certificateChain } : nil)
    }

    init(_ signed: COSESign1) {
        let header = signed.header
        self.init(
            algorithm: signed.algorithm, names: header.keyID.map { kid in { $0.octets == kid } },
            certificates: header.hasCertificates ? { () throws(RejectReason) in try header.certificateChain } : nil,
            thumbprint: header.hasThumbprint ? { () throws(RejectReason) in try header.certificateThumbprint } : nil)
    }
}
