import CBOR
import Cryptography
import JSON

/// A CBOR web token (`cwt_vc`) with identity data in claim 169, from octets to verdict.
struct CWTVerification {
    let trust: TrustStore
    let memory: VerifierMemory
    var witness = Witness()
    /// Now, in seconds since 1970.
    let time: Seconds

    /// The type of a token with claim 169. Nothing inside it says what it is, so a trust file has to list this.
    static let identityType = "claim-169"

    /// - Parameter octets: the token, or the same as hexadecimal text.
    func verdict(_ octets: [UInt8]) -> Verdict {
        do throws(RejectReason) {
            let token = try CWT(octets)
            guard let iss = token.statedIssuer else { throw .issuerMissing }
            guard let issuer = trust.issuers.first(where: { $0.ids.contains { $0.isExactly(iss) } }) else { throw .issuerUnknown }
            guard issuer.forms.contains(.cwt) else { throw .formNotTrusted }
            let key = try CWTKeySelection(for: token.signed, issuer: issuer, iss: iss, at: time)
            let claims = try token.claims(signedBy: key.key)
            witness.signer = iss
            // A list is there for everybody to fetch: it is nobody's credential, whatever else is in it.
            guard !token.isStatusList else { throw .typeNotTrusted }
            return try judge(claims, iss, issuer, key.keyID)
        } catch {
            return .reject([error])
        }
    }

    private func judge(_ claims: CWTClaims, _ iss: String, _ issuer: TrustedIssuer, _ keyID: String?) throws(RejectReason) -> Verdict {
        guard let identity = claims.identity else { throw .typeMissing }
        let document = try CWTIdentity.document(identity)
        var reasons = claims.faults(at: time, skew: issuer.skew)
        var notes: Set<CredentialNote> = []
        if !issuer.isAudience(claims.audience) { reasons.append(.audienceMismatch) }
        if !issuer.types.contains(where: { $0.isExactly(Self.identityType) }) { reasons.append(.typeNotTrusted) }
        let status = StatusLookup(trust: trust, memory: memory, time: time).finding(StatedStatus.all(in: claims.all), of: issuer)
        witness.status = status
        status.judge(issuer.status, &reasons, &notes)
        guard reasons.isEmpty else { return .reject(reasons) }
        if keyID == nil { notes.insert(.keyFromCertificate) }
        if claims.validity.expires == nil { notes.insert(.neverExpires) }
        return .accept(VerifiedCredential(
            issuer: iss, trust: issuer, form: .cwt, type: Self.identityType, claims: document, validity: claims.validity, keyID: keyID,
            notes: notes, status: status))
    }
}

/// The key that must have signed a COSE object, chosen by the trust entry; the header only says which of the trusted keys it is.
struct CWTKeySelection {
    let key: PublicKey
    /// The pinned key's id; nil when the key came from a certificate.
    let keyID: String?

    /// - Parameters:
    ///   - iss: not believed yet, but one of `issuer.ids`; nil where nothing says it.
    ///   - time: now, in seconds since 1970.
    init(for signed: COSESign1, issuer: TrustedIssuer, iss: String?, at time: Seconds) throws(RejectReason) {
        let header = signed.header
        guard issuer.algorithms.contains(signed.algorithm) else { throw .algorithmNotTrusted }
        if let kid = header.keyID, let pinned = issuer.keys.first(where: { $0.octets == kid }) {
            try pinned.check(signed.algorithm, at: time)
            (key, keyID) = (pinned.key, pinned.id)
        } else if header.hasCertificates, !issuer.roots.isEmpty {
            key = try KeySelection.key(try Self.certificates(header), iss: iss, issuer: issuer, at: time)
            keyID = nil
        } else {
            guard header.keyID == nil else { throw .keyUnknown }
            let pinned = try issuer.onlyKey(for: signed.algorithm, at: time)
            (key, keyID) = (pinned.key, pinned.id)
        }
        guard signed.algorithm.fits(key.kind) else { throw .keyMismatch }
    }

    private static func certificates(_ header: COSEHeader) throws(RejectReason) -> [[UInt8]] {
        do throws(COSEError) {
            return try header.certificates()
        } catch {
            throw error.rejectReason
        }
    }
}
