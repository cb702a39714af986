import CBOR
import Envelopes
import Trust

/// A CBOR web token (`cwt_vc`) with identity data in claim 169.
package enum CWTFormat: CredentialFormat {
    /// The type of a token with claim 169. Nothing inside it says what it is, so a trust file has to list this.
    package static let identityType = "claim-169"

    /// - Parameter octets: the token, or the same as hexadecimal text.
    static func open(_ octets: [UInt8], _ context: VerificationContext) throws(Refusal) -> SignedCredential {
        try Refusal.because { () throws(RejectReason) in
            guard context.isFromCode, let sealed = try SealedCWT(octets) else {
                return try signed(try CWT(octets, mayLackTag: context.isFromCode), context)
            }
            let opened = try sealed.open(context.trust)
            let credential = try signed(opened.token, context)
            // A key of one issuer's says nothing about another's credentials, and was not given to us for them.
            guard opened.issuers.contains(where: { $0.ids == credential.issuer.ids }) else { throw .issuerMismatch }
            return credential
        }
    }

    private static func signed(_ token: CWT, _ context: VerificationContext) throws(RejectReason) -> SignedCredential {
        guard let iss = token.statedIssuer else { throw .issuerMissing }
        guard let issuer = context.trust.issuer(named: iss) else { throw .issuerUnknown }
        guard issuer.forms.contains(.cwt) else { throw .formNotTrusted }
        let (key, evidence) = try KeyRule(issuer: issuer, time: context.time).key(KeyRule.Header(token.signed), iss: iss)
        let claims = try token.claims(signedBy: key)
        context.witness.signer = iss
        // A list is there for everybody to fetch: it is nobody's credential, whatever else is in it.
        guard !token.isStatusList else { throw .typeNotTrusted }
        guard let identity = claims.identity else { throw .typeMissing }
        return SignedCredential(
            form: .cwt, issuer: issuer, iss: iss, key: evidence, types: [identityType], times: claims.times,
            audience: claims.audience, status: StatedStatus.all(in: claims.all), claims: try CWTIdentity.document(identity),
            photos: try CWTPhoto.all(in: identity))
    }
}
