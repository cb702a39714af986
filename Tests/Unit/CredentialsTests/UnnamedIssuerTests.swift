import Credentials
import Testing
import Trust

/// SD-JWTs without `iss`: the issuer is whom the signing certificate is made out to (SD-JWT VC, section "X.509 Certificate Chain").
@Suite struct UnnamedIssuerTests {
    private let root = TestCertificate("Root", key: .p384, issuer: "Root", signer: .p384, names: nil)
    private static let host = "DNS:issuer.example", uri = "URI:https://issuer.example"

    private func leaf(_ names: String, signer: TestKey = .p384, days: ClosedRange<Int> = -10...10) -> TestCertificate {
        TestCertificate("Issuer", key: .p256, issuer: "Root", signer: signer, names: names, days: days)
    }

    private func entry(_ ids: [String] = [TestCredential.iss], names: [String] = [], _ change: (inout TestTrust) -> Void = { _ in })
        -> TestTrust
    {
        var trust = TestTrust(keys: [])
        trust.members["ids"] = list(ids)
        let names = names.isEmpty ? "" : #","names":\#(list(names))"#
        trust.members["x509"] = #"{"roots":["\#(root.pem.replacing("\n", with: "\\n"))"]\#(names)}"#
        change(&trust)
        return trust
    }

    private func verdict(
        _ leaf: TestCertificate?, _ entries: TestTrust..., key: TestKey = .p256, _ change: (inout TestCredential) -> Void = { _ in }
    ) throws -> Verdict {
        var credential = TestCredential(key: key)
        credential.header["kid"] = nil
        if let leaf { credential.header["x5c"] = list([leaf.base64]) }
        credential.set("iss", nil)
        change(&credential)
        let files = entries.enumerated().map { ("\($0.offset).json", Array($0.element.text.utf8)) }
        return try CredentialVerifier(trust: TrustStore(files: files)).verify(credential.message, at: TestCredential.now)
    }

    private func codes(_ verdict: Verdict) -> [String] { verdict.reasons.map(\.code) }

    @Test("the entry is the one whose id, host or pinned name the certificate carries")
    func named() throws {
        for (names, trust, id) in [
            (Self.uri, entry(), TestCredential.iss), (Self.host, entry(), TestCredential.iss),
            ("DNS:ISSUER.example", entry(), TestCredential.iss),
            (Self.uri, entry(["did:web:a", TestCredential.iss]), TestCredential.iss),
            ("URI:did:web:a", entry(["did:web:a", TestCredential.iss]), "did:web:a"),
            ("URI:urn:registry", entry(["did:web:a", TestCredential.iss], names: ["urn:registry"]), "did:web:a"),
            ("DNS:registry.example", entry(names: ["other", "registry.example"]), TestCredential.iss),
        ] {
            let found = try verdict(leaf(names), trust, entry(["https://other.example"]))
            #expect(found.credential?.issuer == id, "\(names) \(found.reasons)")
            #expect(found.credential?.keyID == nil && found.credential?.notes == [.keyFromCertificate], "\(names)")
        }
    }

    @Test func nobody() throws {
        for names in ["DNS:other.example", "DNS:*.example", "URI:https://issuer.example/", "", "IP:127.0.0.1"] {
            #expect(try codes(verdict(leaf(names), entry())) == ["issuer-unknown"], "\(names)")
        }
        // Pinned names take the place of ids.
        #expect(try codes(verdict(leaf(Self.host), entry(names: ["registry.example"]))) == ["issuer-unknown"])
        // An issuer by keys only has no certificate.
        #expect(try codes(verdict(leaf(Self.host), TestTrust(keys: [("a", .p256)]))) == ["issuer-unknown"])
        #expect(try codes(verdict(nil, TestTrust(keys: [("a", .p256)]))) == ["issuer-missing"])
        #expect(try codes(verdict(leaf(Self.host), entry()) { $0.set("iss", "null") }) == ["issuer-missing"])
        #expect(try codes(verdict(leaf(Self.host), entry()) { $0.set("iss", quoted("https://other.example")) }) == ["issuer-unknown"])
    }

    @Test("a certificate that is made out to two entries is no issuer's")
    func two() throws {
        let first = entry(["https://issuer.example/a"]), second = entry(["https://issuer.example/b"])
        #expect(try codes(verdict(leaf(Self.host), first, second)) == ["issuer-ambiguous"])
        #expect(try verdict(leaf("URI:https://issuer.example/a"), first, second).credential?.issuer == "https://issuer.example/a")
        #expect(
            try codes(verdict(leaf("URI:https://issuer.example/a,URI:https://issuer.example/b"), first, second)) == ["issuer-ambiguous"])
        #expect(try codes(verdict(leaf(Self.uri), entry(), entry(["did:web:a"], names: [TestCredential.iss]))) == ["issuer-ambiguous"])
        // One for another form is no second one.
        let tokens = entry(["https://issuer.example/b"]) { $0.members["forms"] = list(["cwt"]) }
        #expect(try verdict(leaf(Self.host), first, tokens).credential?.issuer == "https://issuer.example/a")
        #expect(try codes(verdict(leaf(Self.host), tokens)) == ["form-not-trusted"])
        // With `iss` nothing is ambiguous.
        #expect(
            try verdict(leaf(Self.host), first, second) { $0.set("iss", quoted("https://issuer.example/b")) }.credential?.issuer
                == "https://issuer.example/b")
    }

    @Test("the name finds the entry and proves nothing: path, key, usage and algorithm are checked as ever")
    func proof() throws {
        #expect(try codes(verdict(leaf(Self.host, signer: .otherP256), entry())) == ["certificate-untrusted"])
        #expect(try codes(verdict(leaf(Self.host, days: -10 ... -1), entry())) == ["certificate-untrusted"])
        #expect(try codes(verdict(leaf(Self.host), entry(), key: .otherP256)) == ["signature-invalid"])
        #expect(try codes(verdict(leaf(Self.host), entry { $0.members["algorithms"] = list(["EdDSA"]) })) == ["algorithm-not-trusted"])
        #expect(try codes(verdict(leaf(Self.host), entry { $0.members["types"] = list(["another"]) })) == ["type-not-trusted"])
        for (x5c, code) in [("1", "header-malformed"), ("[]", "certificate-malformed"), (#"["bm9pc2U="]"#, "certificate-malformed")] {
            #expect(try codes(verdict(nil, entry()) { $0.header["x5c"] = x5c }) == [code])
        }
        // Another issuer's certificate under the same root, and this one's own root of another.
        let stranger = TestCertificate("Root", key: .otherP256, issuer: "Root", signer: .otherP256, names: nil)
        let elsewhere = entry { $0.members["x509"] = #"{"roots":["\#(stranger.pem.replacing("\n", with: "\\n"))"]}"# }
        #expect(try codes(verdict(leaf(Self.host), elsewhere)) == ["certificate-untrusted"])
    }

    @Test("the certificate's key signs, whatever key is pinned under the header's kid; a disclosed `iss` is none")
    func noWayAround() throws {
        let both = entry { $0.members["keys"] = #"[{"kid":"a","jwk":\#(TestKey.otherP256.jwk)}]"# }
        #expect(try codes(verdict(leaf(Self.host), both, key: .otherP256) { $0.header["kid"] = quoted("a") }) == ["signature-invalid"])
        #expect(try verdict(leaf(Self.host), both) { $0.header["kid"] = quoted("a") }.credential?.keyID == nil)
        #expect(try verdict(leaf(Self.host), both) { $0.header["kid"] = quoted("a") }.isAccept)
        #expect(
            try codes(verdict(leaf(Self.host), entry()) { $0.disclose([#"["c2FsdA","iss","https://issuer.example"]"#]) }) == [
                "claim-name-refused"
            ])
    }
}
