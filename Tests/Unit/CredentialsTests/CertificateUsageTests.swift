import COpenSSL
import Credentials
import Testing
import Trust

/// What certificates on a path say they are for (RFC 5280 sections 4.2.1.12 and 6.1): a root may certify web servers too.
@Suite struct CertificateUsageTests {
    private static let serverAuth = "1.3.6.1.5.5.7.3.1", documentSigning = "1.3.6.1.5.5.7.3.36", anyUsage = "2.5.29.37.0",
        mdoc = "1.0.18013.5.1.2"
    private static let refused = ["certificate-usage-refused"]

    private typealias Extensions = [(kind: Int32, value: String)]

    private static func usages(_ identifiers: String...) -> Extensions { [(NID_ext_key_usage, identifiers.joined(separator: ","))] }

    /// The reasons' codes for a chain of leaf, authority and pinned root.
    private func codes(
        leaf: Extensions = [], authority: Extensions = [], root: Extensions = [], x509: String = "", pinsLeaf: Bool = false
    ) throws -> [String] {
        let rootCertificate = TestCertificate("Root", key: .p384, issuer: "Root", signer: .p384, names: nil, more: root)
        let authorityCertificate = TestCertificate("CA", key: .otherP256, issuer: "Root", signer: .p384, names: nil, more: authority)
        let leafCertificate = TestCertificate(
            "Issuer", key: .p256, issuer: "CA", signer: .otherP256, names: "DNS:issuer.example", more: leaf)
        var credential = TestCredential(key: .p256)
        credential.header["kid"] = nil
        credential.header["x5c"] = list([leafCertificate, authorityCertificate].map(\.base64))
        var trust = TestTrust(keys: [])
        let pinned = pinsLeaf ? leafCertificate : rootCertificate
        trust.members["x509"] = #"{"roots":["\#(pinned.pem.replacing("\n", with: "\\n"))"]\#(x509)}"#
        return try verdict(credential, trust: trust).reasons.map(\.code)
    }

    @Test func withoutTheExtensionNothingIsLimited() throws {
        #expect(try codes() == [])
    }

    @Test func leaf() throws {
        for good in [Self.documentSigning, Self.anyUsage] {
            #expect(try codes(leaf: Self.usages(good)) == [])
            #expect(try codes(leaf: Self.usages(Self.serverAuth, good)) == [])
        }
        for bad in [Self.serverAuth, "1.3.6.1.5.5.7.3.2", Self.mdoc, "1.3.6.1.5.5.7.3.360", "1.3.6.1.5.5.7.3", "2.5.29.37"] {
            #expect(try codes(leaf: Self.usages(bad)) == Self.refused, "\(bad)")
        }
    }

    @Test("an intermediate that was made for web servers signs for nothing else")
    func intermediate() throws {
        #expect(try codes(authority: Self.usages(Self.serverAuth)) == Self.refused)
        #expect(try codes(leaf: Self.usages(Self.documentSigning), authority: Self.usages(Self.serverAuth)) == Self.refused)
        #expect(try codes(leaf: Self.usages(Self.serverAuth), authority: Self.usages(Self.documentSigning)) == Self.refused)
        #expect(try codes(leaf: Self.usages(Self.documentSigning), authority: Self.usages(Self.serverAuth, Self.documentSigning)) == [])
    }

    @Test("a root is pinned: what it says of itself was the operator's to read; a pinned leaf is a leaf all the same")
    func anchors() throws {
        #expect(try codes(root: Self.usages(Self.serverAuth)) == [])
        #expect(try codes(leaf: Self.usages(Self.serverAuth), pinsLeaf: true) == Self.refused)
        #expect(try codes(leaf: Self.usages(Self.documentSigning), pinsLeaf: true) == [])
    }

    @Test("the entry's list takes the place of the default")
    func entry() throws {
        let mdocs = #","extendedKeyUsages":["\#(Self.mdoc)"]"#
        #expect(try codes(leaf: Self.usages(Self.mdoc), x509: mdocs) == [])
        #expect(try codes(x509: mdocs) == [])
        #expect(try codes(leaf: Self.usages(Self.documentSigning), x509: mdocs) == Self.refused)
        #expect(try codes(leaf: Self.usages(Self.anyUsage), x509: mdocs) == Self.refused)
        #expect(try codes(leaf: Self.usages("1.0.18013.5.1.20"), x509: mdocs) == Self.refused)
        let both = #","extendedKeyUsages":["\#(Self.mdoc)","\#(Self.documentSigning)"]"#
        #expect(try codes(leaf: Self.usages(Self.documentSigning), authority: Self.usages(Self.mdoc), x509: both) == [])
    }

    @Test func listsThatAreNoIdentifiers() throws {
        for text in [
            "serverAuth", "1", "1.", ".1", "1..2", "3.1", "1.40", "01.2", "1.02", "1.2 ", "", "1.2.-3", String(repeating: "1.2", count: 50),
        ] {
            #expect(throws: TrustError.self, "\(text)") { try codes(x509: #","extendedKeyUsages":["\#(text)"]"#) }
        }
        #expect(throws: TrustError.self) { try codes(x509: #","extendedKeyUsages":[]"#) }
        #expect(throws: TrustError.self) { try codes(x509: #","extendedKeyUsages":"1.2""#) }
        #expect(throws: TrustError.self) { try codes(x509: #","extendedKeyUsages":["1.2.3","1.2.3"]"#) }
        for text in ["0.0", "1.39", "2.999.1", "2.100000000000000000000000000000.3"] {
            #expect(try codes(x509: #","extendedKeyUsages":["\#(text)"]"#) == [])
        }
    }

    // MARK: Policies (RFC 5280 section 6.1)

    private static let explicit: Extensions = [(NID_policy_constraints, "critical,requireExplicitPolicy:0")]
    private static func policy(_ identifier: String) -> Extensions { [(NID_certificate_policies, identifier)] }

    @Test("an authority that requires a policy certifies nobody without one")
    func explicitPolicy() throws {
        let refused = ["certificate-policy-refused"]
        let authority = Self.explicit + Self.policy("1.2.3.4")
        #expect(try codes(leaf: Self.policy("1.2.3.4"), authority: authority) == [])
        #expect(try codes(authority: authority) == refused)
        #expect(try codes(leaf: Self.policy("1.2.3.5"), authority: authority) == refused)
        #expect(try codes(leaf: Self.policy("1.2.3.4"), authority: Self.explicit) == refused)
        // Without the constraint policies are for information.
        #expect(try codes(leaf: Self.policy("1.2.3.5"), authority: Self.policy("1.2.3.4")) == [])
        // After one more certificate the constraint begins: too late for this path.
        #expect(try codes(authority: [(NID_policy_constraints, "critical,requireExplicitPolicy:2")]) == [])
        #expect(try codes(leaf: Self.policy("2.5.29.32.0"), authority: authority) == [])
        #expect(try codes(leaf: Self.policy("2.5.29.32.0"), authority: authority + [(NID_inhibit_any_policy, "critical,0")]) == refused)
        let mapped: Extensions = authority + [(NID_policy_mappings, "critical,1.2.3.4:1.2.3.5")]
        #expect(try codes(leaf: Self.policy("1.2.3.5"), authority: mapped) == [])
        #expect(try codes(leaf: Self.policy("1.2.3.4"), authority: mapped) == refused)
    }
}
