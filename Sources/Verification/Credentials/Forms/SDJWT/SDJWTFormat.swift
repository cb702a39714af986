import Envelopes
import JSON
import Trust

/// An SD-JWT VC (RFC 9901 section 7, SD-JWT VC draft): text to covered claims.
///
/// The order matters: a stranger's octets cost one signature check at most before they are known to come from a trusted issuer.
enum SDJWTFormat: CredentialFormat {
    static func open(_ text: [UInt8], _ context: VerificationContext) throws(Refusal) -> SignedCredential {
        try Refusal.because { () throws(RejectReason) in
            let compact = try CompactSDJWT(text)
            let payload = try SignedPayload(compact.issuerJWT, context)
            context.witness.signer = payload.iss
            return try signed(compact, payload, context)
        }
    }

    private static func signed(
        _ compact: CompactSDJWT, _ payload: SignedPayload, _ context: VerificationContext
    ) throws(RejectReason) -> SignedCredential {
        let limits = ReceivedCredential.limits
        let digest = try DisclosureDigest(payload.root["_sd_alg"])
        let disclosures = try Disclosures(compact.disclosures, digest: digest, limits: limits)
        let claims = try ClaimReconstruction.claims(of: payload.root, with: disclosures, limits: limits)
        let times = try StatedTimes(claims.root)
        var binding = HolderBinding.none
        if let text = compact.keyBinding {
            binding = try KeyBinding.check(
                text, over: compact.presentation, digest: digest, claims: claims.root, challenge: context.challenge)
        }
        let audience = try SignedJSON.audience(claims.root["aud"])
        guard let type = claims.root["vct"]?.string else { throw .typeMissing }
        return SignedCredential(
            form: .sdJWT, issuer: payload.issuer, iss: payload.iss, key: payload.key, types: [type], times: times, audience: audience,
            // As signed: whatever of a status is only there by a disclosure is left out by whom it hurts.
            status: StatedStatus.all(in: payload.root), claims: claims, binding: binding)
    }
}

/// A payload whose signature a trusted key made.
private struct SignedPayload {
    let root: JSONValue
    let iss: String
    let issuer: TrustedIssuer
    let key: KeyEvidence

    private init(root: JSONValue, iss: String, issuer: TrustedIssuer, key: KeyEvidence) {
        self.root = root
        self.iss = iss
        self.issuer = issuer
        self.key = key
    }

    init(_ token: CompactJWS, _ context: VerificationContext) throws(RejectReason) {
        guard token.header.isType("dc+sd-jwt", "vc+sd-jwt") else { throw .typeHeaderRefused }
        let document = try SignedJSON.document(token.payload)
        guard document.root.kind == .object else { throw .payloadMalformed }
        guard let id = document.root["iss"] else {
            self = try Self.unnamed(token, document.root, context)
            return
        }
        guard let iss = id.string else { throw .issuerMissing }
        guard let issuer = context.trust.issuer(id) else { throw .issuerUnknown }
        guard issuer.forms.contains(.sdJWT) else { throw .formNotTrusted }
        let (key, evidence) = try KeyRule(issuer: issuer, time: context.time).key(KeyRule.Header(token.header), iss: iss)
        guard token.isSigned(by: key) else { throw .signatureInvalid }
        self.init(root: document.root, iss: iss, issuer: issuer, key: evidence)
    }

    /// Without `iss` the issuer is whom the signing certificate is made out to (SD-JWT VC, section "X.509 Certificate Chain"). Its key
    /// signs, and no other, whatever `kid` says: nothing else names the issuer.
    private static func unnamed(
        _ token: CompactJWS, _ payload: JSONValue, _ context: VerificationContext
    ) throws(RejectReason) -> SignedPayload {
        guard token.header.hasCertificates else { throw .issuerMissing }
        let certificates = try token.header.certificateChain
        let names = try CertificateNames(unverified: certificates)
        let named = context.trust.issuers.filter { !$0.roots.isEmpty && names.name($0, iss: nil) }
        guard !named.isEmpty else { throw .issuerUnknown }
        let issuers = named.filter { $0.forms.contains(.sdJWT) }
        guard let issuer = issuers.first, let iss = names.id(of: issuer) else { throw .formNotTrusted }
        guard issuers.count == 1 else { throw .issuerAmbiguous }
        let key = try KeyRule(issuer: issuer, time: context.time).key(by: certificates, token.header.algorithm, iss: nil)
        guard token.isSigned(by: key) else { throw .signatureInvalid }
        return SignedPayload(root: payload, iss: iss, issuer: issuer, key: .certificate)
    }
}

/// The parts of `<issuer JWT>~<disclosure>~...~[<key binding JWT>]` (RFC 9901 section 4).
struct CompactSDJWT {
    let issuerJWT: CompactJWS
    /// Each disclosure as received: base64url text.
    let disclosures: [ArraySlice<UInt8>]
    let keyBinding: ArraySlice<UInt8>?
    /// Everything up to and including the last `~`: what a key binding JWT signs the hash of.
    let presentation: ArraySlice<UInt8>

    /// More than any credential seen has; each costs a hash.
    private static let mostDisclosures = 1024

    init(_ text: [UInt8]) throws(RejectReason) {
        let tilde = UInt8(ascii: "~")
        guard let last = text.lastIndex(of: tilde) else { throw .compactMalformed }
        guard let parts = text[..<last].separated(by: tilde, most: 1 + Self.mostDisclosures) else { throw .tooComplex }
        guard let first = parts.first, parts.allSatisfy({ !$0.isEmpty }) else { throw .compactMalformed }
        issuerJWT = try CompactJWS(first, malformed: .compactMalformed)
        disclosures = Array(parts.dropFirst())
        presentation = text[...last]
        let rest = text[text.index(after: last)...]
        keyBinding = rest.isEmpty ? nil : rest
    }
}
