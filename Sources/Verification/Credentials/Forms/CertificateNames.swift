import Cryptography
import Envelopes
import Trust

/// What a signing certificate is made out to, its alternative names, and whom of the trusted issuers that means.
struct CertificateNames {
    /// In lower case (RFC 4343).
    private let dnsNames: [[UInt8]]
    private let uris: [String]

    /// Names of a certificate that nobody verified yet: each is compared with each issuer's.
    private static let mostUnverified = 64

    init(_ chain: CertificateChain) {
        dnsNames = chain.dnsNames.map(Self.lowered)
        uris = chain.uris
    }

    /// Of a certificate that nobody verified yet: good for finding an issuer to verify it with.
    ///
    /// - Parameter certificates: DER, leaf first.
    init(unverified certificates: [[UInt8]]) throws(RejectReason) {
        guard let leaf = certificates.first else { throw .certificateMalformed }
        do throws(CryptographyError) {
            let names = try Certificate(leaf.span).alternativeNames()
            (dnsNames, uris) = (names.dns.map(Self.lowered), names.uris)
        } catch {
            throw .certificateMalformed
        }
        guard dnsNames.count + uris.count <= Self.mostUnverified else { throw .tooComplex }
    }

    /// Whether the certificate is made out to this issuer. A root may certify others too, so it must be: to one of the names pinned for the
    /// issuer, else to `iss` itself as a URI, else to the host of an https `iss` as a DNS name (SD-JWT VC, section "X.509 Certificate
    /// Chain").
    ///
    /// - Parameter iss: nil where nothing says it: then any of the issuer's ids.
    func name(_ issuer: TrustedIssuer, iss: String?) -> Bool {
        guard issuer.certificateNames.isEmpty else {
            return issuer.certificateNames.contains { name in uris.contains { $0.isExactly(name) } || dnsNames.contains(Self.lowered(name))
            }
        }
        return iss.map(name) ?? issuer.ids.contains(where: name)
    }

    /// Which of the issuer's ids the certificate is made out to: the first where the entry has names instead.
    func id(of issuer: TrustedIssuer) -> String? {
        issuer.certificateNames.isEmpty ? issuer.ids.first(where: name) : issuer.ids.first
    }

    private func name(_ id: String) -> Bool {
        if uris.contains(where: { $0.isExactly(id) }) { return true }
        guard let host = Self.host(of: id) else { return false }
        return dnsNames.contains(Self.lowered(host))
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
                UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return host.isEmpty || !isPlain ? nil : String(decoding: host, as: UTF8.self)
    }

    /// DNS names ignore ASCII case (RFC 4343). A wildcard is a name like any other and equals no host.
    private static func lowered(_ text: String) -> [UInt8] {
        text.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    }
}
