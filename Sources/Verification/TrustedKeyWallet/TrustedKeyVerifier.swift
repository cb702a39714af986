import Cryptography
import Envelopes

/// Verifies what a wallet answers (trustedkey.md section 3): that the key's holder answers this request, now; that the claims are of that
/// key, and of issuers under a pinned root; that what was asked for is there.
public struct TrustedKeyVerifier: Sendable {
    /// The gate's own name at the wallets, which tokens have to be for.
    public let clientID: String
    public let trust: TrustedKeyTrust

    public init(clientID: String, trust: TrustedKeyTrust) {
        self.clientID = clientID
        self.trust = trust
    }

    /// Steps 3 to 9.
    ///
    /// - Parameters:
    ///   - answer: to the same request.
    ///   - now: seconds since 1970.
    ///
    /// Throws the first step that fails. A nonce is used up by the first answer that is verified; which of those that are refused use it up
    /// is the caller's to say, who forgets the request.
    public func verify(
        _ answer: TrustedKeyAnswer, to request: TrustedKeyRequest, at now: Seconds
    ) throws(TrustedKeyFault) -> VerifiedTrustedKey {
        let token = try IdentityToken(answer.token, clientID: clientID, nonce: request.nonceText, at: now)
        // libcrypto without memory cannot tell whether the key is listed.
        guard let address = try? token.key.address(), !trust.revoked.contains(address) else { throw .revoked }
        let issuers = ClaimIssuers(sent: try Self.certificates(answer.issuers), trust: trust, at: now)
        var claims: [(claim: ClaimCertificate, root: Int)] = []
        // Those that nobody asked for too: one bad certificate rejects the answer.
        for der in answer.claims {
            let claim = try ClaimCertificate(der, of: token.key, at: now)
            let root = try issuers.root(of: claim)
            guard !trust.revoked.contains(claim.address) else { throw .revoked }
            claims.append((claim, root))
        }
        let objects = try ClaimedObjects(claims, key: Hexadecimal.text(token.key.coordinates))
        return VerifiedTrustedKey(
            claims: try objects.requested(request.objects), address: address, subject: token.subject, issuer: token.issuer,
            validUntil: claims.map(\.claim.validity.upperBound).min())
    }

    /// Also one that no path needs has to be a certificate: what else it is nobody can say. How it is encoded is its issuer's affair, as no
    /// value is read from it.
    private static func certificates(_ sent: [[UInt8]]) throws(TrustedKeyFault) -> [Certificate] {
        var certificates: [Certificate] = []
        for der in sent {
            do throws(CryptographyError) { certificates.append(try Certificate(unread: der.span)) } catch { throw .answerMalformed }
        }
        return certificates
    }
}
