import JSON

/// An SD-JWT VC from text to verdict (RFC 9901 section 7, SD-JWT VC draft).
///
/// The order matters: a stranger's octets cost one signature check at most before they are known to come from a trusted issuer.
struct SDJWTVerification {
    let trust: TrustStore
    let memory: VerifierMemory
    var witness = Witness()
    /// Now, in seconds since 1970.
    let time: Seconds

    /// - Parameter text: the compact serialization, octets.
    func verdict(_ text: [UInt8]) -> Verdict {
        do throws(RejectReason) {
            let compact = try CompactSDJWT(text)
            let signed = try signedPayload(compact.issuerJWT)
            return try judge(compact, signed)
        } catch {
            return .reject([error])
        }
    }

    /// A payload whose signature a trusted key made.
    private struct SignedPayload {
        let root: JSONValue
        let iss: String
        let issuer: TrustedIssuer
        let keyID: String?
    }

    private func signedPayload(_ token: CompactJWS) throws(RejectReason) -> SignedPayload {
        guard token.header.isType("dc+sd-jwt", "vc+sd-jwt") else { throw .typeHeaderRefused }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: token.payload, limits: ReceivedCredential.limits)
        } catch {
            throw error.rejectReason == .messageMalformed ? .payloadMalformed : error.rejectReason
        }
        guard document.root.kind == .object else { throw .payloadMalformed }
        guard let id = document.root["iss"] else { return try unnamedPayload(token, document.root) }
        guard let iss = id.string else { throw .issuerMissing }
        guard let issuer = trust.issuer(id) else { throw .issuerUnknown }
        guard issuer.forms.contains(.sdJWT) else { throw .formNotTrusted }
        let selection = try KeySelection(for: token.header, iss: iss, issuer: issuer, at: time)
        guard token.isSigned(by: selection.key) else { throw .signatureInvalid }
        witness.signer = iss
        return SignedPayload(root: document.root, iss: iss, issuer: issuer, keyID: selection.keyID)
    }

    /// Without `iss` the issuer is whom the signing certificate is made out to (SD-JWT VC, section "X.509 Certificate Chain"). Its key signs, and no
    /// other, whatever `kid` says: nothing else names the issuer.
    private func unnamedPayload(_ token: CompactJWS, _ payload: JSONValue) throws(RejectReason) -> SignedPayload {
        guard token.header.hasCertificates else { throw .issuerMissing }
        let certificates = try token.header.certificates()
        let names = try CertificateNames(unverified: certificates)
        let named = trust.issuers.filter { !$0.roots.isEmpty && names.name($0, iss: nil) }
        guard !named.isEmpty else { throw .issuerUnknown }
        let issuers = named.filter { $0.forms.contains(.sdJWT) }
        guard let issuer = issuers.first, let iss = names.id(of: issuer) else { throw .formNotTrusted }
        guard issuers.count == 1 else { throw .issuerAmbiguous }
        guard issuer.algorithms.contains(token.header.algorithm) else { throw .algorithmNotTrusted }
        let key = try KeySelection.key(certificates, iss: nil, issuer: issuer, at: time)
        guard token.header.algorithm.fits(key.kind) else { throw .keyMismatch }
        guard token.isSigned(by: key) else { throw .signatureInvalid }
        witness.signer = iss
        return SignedPayload(root: payload, iss: iss, issuer: issuer, keyID: nil)
    }

    private func judge(_ compact: CompactSDJWT, _ signed: SignedPayload) throws(RejectReason) -> Verdict {
        let limits = ReceivedCredential.limits
        let digest = try DisclosureDigest(signed.root["_sd_alg"])
        let disclosures = try Disclosures(compact.disclosures, digest: digest, limits: limits)
        let claims = try ClaimReconstruction.claims(of: signed.root, with: disclosures, limits: limits)
        let times = try ClaimTimes(claims.root, at: time, skew: signed.issuer.skew)
        var notes: Set<CredentialNote> = []
        if let binding = compact.keyBinding {
            try KeyBinding.check(binding, over: compact.presentation, digest: digest, claims: claims.root)
            notes.insert(.keyBindingNotFresh)
        }
        // From here on the credential is genuine; every reason against it is worth knowing.
        var reasons = times.faults
        if !signed.issuer.isAudience(try Self.audience(claims.root["aud"])) { reasons.append(.audienceMismatch) }
        guard let vct = claims.root["vct"], let type = vct.string else { throw .typeMissing }
        if !signed.issuer.types.contains(where: { vct.isString($0) }) { reasons.append(.typeNotTrusted) }
        let status = StatusLookup(trust: trust, memory: memory, time: time).finding(StatedStatus.all(in: signed.root), of: signed.issuer)
        witness.status = status
        status.judge(signed.issuer.status, &reasons, &notes)
        guard reasons.isEmpty else { return .reject(reasons) }
        if signed.keyID == nil { notes.insert(.keyFromCertificate) }
        if times.validity.expires == nil { notes.insert(.neverExpires) }
        if times.isZoneAssumed { notes.insert(.timeZoneAssumed) }
        return .accept(VerifiedCredential(
            issuer: signed.iss, trust: signed.issuer, form: .sdJWT, type: type, claims: claims, validity: times.validity,
            keyID: signed.keyID, notes: notes, status: status))
    }

    /// `aud`, one name or several (RFC 7519 section 4.1.3).
    private static func audience(_ value: JSONValue?) throws(RejectReason) -> [String]? {
        guard let value else { return nil }
        if let one = value.string { return [one] }
        guard let elements = value.elements else { throw .payloadMalformed }
        var names: [String] = []
        for element in elements {
            guard let name = element.string else { throw .payloadMalformed }
            names.append(name)
        }
        return names
    }
}
