import Cryptography
import Envelopes
import JSON

/// A wallet's call to a site's own backend: a token within a token (trustedkey.md section 7). The outer one says by a shared secret which
/// wallet's vendor it is, the inner one by its key which phone.
public struct WalletCall: Sendable {
    /// The wallet, by the name under which the site knows its secret.
    public let client: String
    /// The phone's key: `0x` and 40 hexadecimal digits.
    public let address: RevokedAddress

    /// Octets of the longest bearer token: an inner one and its header, in base64 once more.
    private static let longest = 16 << 10
    /// Seconds for which a call is good.
    private static let longestValidity: Seconds = 60
    /// Seconds for which a wallet's clock may be ahead.
    private static let skew: Seconds = 60

    /// - Parameters:
    ///   - bearer: the token of `Authorization: Bearer`.
    ///   - body: the body of the call; nil where it has none.
    ///   - url: what the site calls itself.
    ///   - now: seconds since 1970.
    ///   - secret: octets of the secret that the site shares with a wallet of that name; nil for one it does not know.
    ///
    /// Throws the first check that fails.
    public init(
        bearer: [UInt8], body: [UInt8]?, url: String, at now: Seconds, secret: (_ client: String) -> [UInt8]?
    ) throws(WalletCallFault) {
        guard let outer = TokenParts(bearer[...], longest: Self.longest), outer.header["alg"]?.isString("HS256") == true,
            outer.header["cty"]?.isString("JWT") == true, let client = outer.header["iss"]?.string,
            let key = HolderKey(outer.header["jwk"])
        else { throw .malformed }
        guard let secret = secret(client), Self.isAuthentic(outer, secret) else { throw .authenticator }
        guard let inner = TokenParts(outer.payload[...]), inner.header["alg"]?.isString("ES256") == true,
            inner.signature.count == HolderKey.signatureLength, let claims = inner.claims()
        else { throw .malformed }
        guard key.hasSigned(inner) else { throw .signature }
        guard claims["aud"]?.isString(url) == true else { throw .audience }
        try Self.checkTimes(claims, now)
        guard Self.isDigest(claims["body"], of: body) else { throw .body }
        guard let address = try? key.address() else { throw .signature }
        self.client = client
        self.address = address
    }

    private static func isAuthentic(_ outer: TokenParts, _ secret: [UInt8]) -> Bool {
        guard let key = try? Secret(copying: secret.span), let tag = try? MessageAuthentication.tag(of: outer.signed.span, key: key) else {
            return false
        }
        return constantTimeEqual(tag.span, outer.signature.span)
    }

    private static func checkTimes(_ claims: JSONValue, _ now: Seconds) throws(WalletCallFault) {
        guard let expires = claims["exp"]?.int64, let issued = claims["iat"]?.int64, now < expires, issued.reduced(by: skew) <= now,
            expires.reduced(by: issued) <= longestValidity
        else { throw .time }
    }

    /// The body's SHA-256 in hexadecimal, or null without one.
    private static func isDigest(_ stated: JSONValue?, of body: [UInt8]?) -> Bool {
        guard let stated else { return false }
        guard let body else { return stated.isNull }
        guard let digest = try? Digest.hash(body.span, .sha256), let digits = stated.stringBytes,
            let octets = Hexadecimal.decode(digits[...])
        else { return false }
        return octets == digest
    }
}

/// Why a wallet's call is refused.
public enum WalletCallFault: String, Error, Hashable, Sendable, CaseIterable {
    /// No token within a token, or not of the algorithms that they have.
    case malformed
    /// A wallet that the site does not know, or not made with its secret.
    case authenticator
    /// Not signed with the key that the outer header states.
    case signature
    /// For another site.
    case audience
    /// Over, in the future, good for more than a minute, or its times are no integers.
    case time
    /// With another body, or with one where the token says that there is none.
    case body
}
