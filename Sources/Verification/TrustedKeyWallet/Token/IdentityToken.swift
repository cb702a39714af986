import Cryptography
import Envelopes
import JSON

/// The `id_token` of an answer: what the holder's key has signed for this request (trustedkey.md section 3, steps 3 to 6).
struct IdentityToken {
    let key: HolderKey
    /// The pair of holder and gate, 40 hexadecimal digits: informational, as it may be of an older key.
    let subject: String
    /// Who says to have issued it: informational.
    let issuer: String?

    private static let subjectLength = 40
    /// Seconds for which a wallet's clock may be ahead.
    private static let skew: Seconds = 60
    /// Seconds of the longest validity.
    private static let longestValidity: Seconds = 3600
    /// Seconds since a token was issued: the request is five minutes old at most, and two clocks differ.
    private static let oldest: Seconds = 600

    /// Steps 3 to 6 in their order.
    ///
    /// Throws `tokenMalformed`, `tokenSignature`, `audienceMismatch`, `nonceMismatch`, `tokenExpired`, `tokenTime`.
    init(_ text: [UInt8], clientID: String, nonce: [UInt8], at now: Seconds) throws(TrustedKeyFault) {
        guard let parts = TokenParts(text[...]), parts.header["alg"]?.isString("ES256") == true,
            parts.signature.count == HolderKey.signatureLength, let claims = parts.claims(), let key = HolderKey(claims["sub_jwk"]),
            let subject = claims["sub"]?.string, Self.isSubject(subject)
        else { throw .tokenMalformed }
        guard key.hasSigned(parts) else { throw .tokenSignature }
        guard Self.isFor(clientID, claims["aud"]) else { throw .audienceMismatch }
        let stated = claims["nonce"]?.stringBytes ?? []
        guard constantTimeEqual(stated.span, nonce.span) else { throw .nonceMismatch }
        try Self.checkTimes(claims, now)
        self.key = key
        self.subject = subject
        issuer = claims["iss"]?.string
    }

    private static func isSubject(_ text: String) -> Bool {
        text.utf8.count == subjectLength
            && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
    }

    /// A text or a list of them; what else stands in a list is for somebody else.
    private static func isFor(_ clientID: String, _ audience: JSONValue?) -> Bool {
        guard let audience else { return false }
        return audience.isString(clientID) || audience.elements?.contains { $0.isString(clientID) } == true
    }

    private static func checkTimes(_ claims: JSONValue, _ now: Seconds) throws(TrustedKeyFault) {
        guard let expires = claims["exp"]?.int64, let issued = claims["iat"]?.int64 else { throw .tokenTime }
        guard now < expires else { throw .tokenExpired }
        guard issued.reduced(by: skew) <= now, expires.reduced(by: issued) <= longestValidity, now.reduced(by: issued) <= oldest else {
            throw .tokenTime
        }
    }
}

extension Seconds {
    /// This less `other`, or the first or the last second there is.
    func reduced(by other: Seconds) -> Seconds {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}
