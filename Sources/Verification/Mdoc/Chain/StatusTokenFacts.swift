import CBOR
import Cryptography
import Envelopes

/// What a status list token says of itself, for whoever puts it into a trust folder (mdoc.md section 6.3). Nobody has checked its
/// signature: a document says under whom it has to be.
public struct StatusTokenFacts: Sendable {
    /// The address it is about: `sub`.
    public let subject: String
    /// In seconds since 1970: `iat`.
    public let issued: Seconds?
    /// Exclusive, in seconds since 1970: `exp`.
    public let expires: Seconds?
    /// Seconds after which it is to be fetched again: `ttl`.
    public let timeToLive: Seconds?
    /// SHA-256 of its signer's certificate.
    public let signer: [UInt8]

    private let authority: Certificate

    /// - Parameter octets: the CWT. Nil for what is no signed token of either kind.
    public init?(_ octets: [UInt8]) {
        guard let root = try? CBORDocument(parsing: octets, options: StatusListToken.options).root,
            let signed = try? MdocCOSE(root, .sign1, options: StatusListToken.options), let payload = signed.payload,
            let der = signed.certificates.first, let certificate = try? Certificate(der.span), let signer = try? certificate.fingerprint(),
            let claims = try? CBORDocument(parsing: payload, options: StatusListToken.options).root, claims.kind == .map,
            let subject = claims[StatusListToken.Claim.subject]?.text, let times = StatusListToken.times(claims),
            claims[StatusListToken.Claim.statusList]?.kind == .map || claims[StatusListToken.Claim.identifierList]?.kind == .map
        else { return nil }
        self.subject = subject
        (issued, expires, timeToLive) = (times.issuedAt, times.expires, times.timeToLive)
        self.signer = signer
        authority = certificate
    }

    /// Whether its issuer means to have published a newer one.
    public func isDue(at now: Seconds) -> Bool {
        guard let issued, let timeToLive else { return false }
        return issued.later(by: timeToLive) < now
    }

    /// Whether one of the roots has issued its signer's certificate. Where none has, only a document that names another certificate is
    /// served by the token.
    public func isUnder(_ roots: [IssuerRoot]) -> Bool {
        roots.contains { $0.certificate.isNamedAsIssuer(of: authority) && $0.certificate.hasSigned(authority) }
    }
}
