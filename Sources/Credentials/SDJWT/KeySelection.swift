import Cryptography
import JSON

/// The key that must have signed, chosen by the trust entry; the header only says which of the trusted keys it is.
struct KeySelection {
    let key: PublicKey
    /// The pinned key's `kid`; nil when the key came from a certificate.
    let keyID: String?

    /// - Parameters:
    ///   - iss: the payload's `iss`, not believed yet, but one of `issuer.ids`.
    ///   - time: now, in seconds since 1970.
    init(for header: JOSEHeader, iss: String, issuer: TrustedIssuer, at time: Seconds) throws(RejectReason) {
        guard issuer.algorithms.contains(header.algorithm) else { throw .algorithmNotTrusted }
        if let kid = header.keyID, let pinned = issuer.keys.first(where: { kid.isString($0.id) }) {
            guard pinned.isCurrent(at: time) else { throw .keyNotCurrent }
            guard pinned.algorithm == nil || pinned.algorithm == header.algorithm else { throw .keyMismatch }
            key = pinned.key
            keyID = pinned.id
        } else if let certificates = header.certificates, !issuer.roots.isEmpty {
            key = try Self.key(certificates, iss: iss, issuer: issuer, at: time)
            keyID = nil
        } else {
            throw .keyUnknown
        }
        guard header.algorithm.fits(key.kind) else { throw .keyMismatch }
    }

    /// The key of the first certificate, if a path leads from it to a root of the issuer's and it names the issuer.
    ///
    /// - Parameter certificates: DER, leaf first.
    static func key(_ certificates: [[UInt8]], iss: String, issuer: TrustedIssuer, at time: Seconds) throws(RejectReason) -> PublicKey {
        let chain = try chain(certificates, issuer, time)
        // RFC 5280 section 4.2.1.3: a certificate that limits its key to other uses did not mean it for credentials.
        guard chain.leaf.keyUsage?.contains(.digitalSignature) != false else { throw .certificateUntrusted }
        guard names(chain, iss: iss, issuer: issuer) else { throw .certificateNameMismatch }
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

    /// A root may certify others too, so the certificate must name this issuer: one of the names pinned for it, else `iss` itself as a URI, else the
    /// host of an https `iss` as a DNS name (SD-JWT VC, section "X.509 Certificate Chain").
    private static func names(_ chain: CertificateChain, iss: String, issuer: TrustedIssuer) -> Bool {
        if !issuer.certificateNames.isEmpty {
            return issuer.certificateNames.contains { name in
                chain.uris.contains { $0.isExactly(name) } || chain.dnsNames.contains { hostsEqual($0, name) }
            }
        }
        if chain.uris.contains(where: { $0.isExactly(iss) }) { return true }
        guard let host = host(of: iss) else { return false }
        return chain.dnsNames.contains { hostsEqual($0, host) }
    }

    /// The host of an https URL without user and port; nil for everything else, so that it matches no name.
    static func host(of url: String) -> String? {
        let scheme = Array("https://".utf8)
        let octets = Array(url.utf8)
        guard octets.starts(with: scheme) else { return nil }
        let host = octets.dropFirst(scheme.count).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let isPlain = host.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                 UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
        return host.isEmpty || !isPlain ? nil : String(decoding: host, as: UTF8.self)
    }

    /// DNS names ignore ASCII case (RFC 4343). A wildcard is a name like any other and equals no host.
    private static func hostsEqual(_ one: String, _ other: String) -> Bool {
        func lowered(_ text: String) -> [UInt8] { text.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 } }
        return lowered(one) == lowered(other)
    }
}
