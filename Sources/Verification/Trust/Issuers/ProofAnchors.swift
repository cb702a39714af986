/// What an entry says about forms that are proofs for a request of the gate's, and no tokens with a signature over themselves
/// (trust-format.md sections 6 and 7).
struct ProofAnchors {
    let anoncreds: AnonCredsAnchor?
    let trustedKey: TrustedKeyAnchor?
    /// Whether there is a form that is verified with the entry's own keys and algorithms.
    let needsKeys: Bool

    /// - Parameters:
    ///   - found: the entry's members.
    ///   - file: the entry.
    init(_ found: [String: TrustMember], _ forms: Set<CredentialForm>, of file: TrustMember) throws(TrustError) {
        needsKeys = !forms.isSubset(of: [.anoncreds, .trustedKey])
        for (member, form) in [("anoncreds", CredentialForm.anoncreds), ("trustedkey", .trustedKey)] {
            if let member = found[member], !forms.contains(form) {
                throw member.fault(.wrongValue, allowed: "only with \(form.rawValue) among forms")
            }
            if forms.contains(form) { _ = try found.required(member, of: file) }
        }
        anoncreds = try found["anoncreds"].map { (member) throws(TrustError) in try AnonCredsAnchor(member) }
        trustedKey = try found["trustedkey"].map { (member) throws(TrustError) in try TrustedKeyAnchor(member) }
        guard trustedKey != nil else { return }
        // Its roots are pinned for this purpose: a certificate under them must not sign anything else, and no other one a claim.
        guard forms.count == 1, let member = found["forms"] else {
            throw (found["forms"] ?? file).fault(.wrongValue, allowed: "trustedkey alone: its roots are for nothing else")
        }
        let x509 = try found.required("x509", of: file)
        for name in ["names", "extendedKeyUsages"] where x509.value[name] != nil {
            throw x509.fault(.wrongValue, allowed: "roots alone: claims name nobody and are for nothing, with trustedkey in \(member.path)")
        }
    }
}

extension TrustedIssuer {
    /// One entry by itself, without the files and lists that it names.
    public init(_ text: TrustContents.IssuerText) throws(TrustError) {
        self = try IssuerFile(name: text.name, bytes: text.bytes).issuer()
    }
}
