import Credentials
import Testing

/// Issuer keys from `x5c` chains under pinned roots.
@Suite struct CertificateTests {
    private let root = TestCertificate("Root", key: .p384, issuer: "Root", signer: .p384, names: nil)
    private let intermediate = TestCertificate("CA", key: .otherP256, issuer: "Root", signer: .p384, names: nil)

    private func leaf(_ names: String, days: ClosedRange<Int> = -10...10) -> TestCertificate {
        TestCertificate("Issuer", key: .p256, issuer: "CA", signer: .otherP256, names: names, days: days)
    }

    private func trust(_ change: (inout TestTrust) -> Void = { _ in }) -> TestTrust {
        var trust = TestTrust(keys: [])
        trust.members["x509"] = #"{"roots":["\#(root.pem.replacing("\n", with: "\\n"))"]}"#
        change(&trust)
        return trust
    }

    private func credential(_ chain: [TestCertificate], iss: String = TestCredential.iss, key: TestKey = .p256) -> TestCredential {
        var credential = TestCredential(key: key)
        credential.header["kid"] = nil
        credential.header["x5c"] = list(chain.map(\.base64))
        credential.set("iss", quoted(iss))
        return credential
    }

    private func reasons(_ chain: [TestCertificate], _ change: (inout TestTrust) -> Void = { _ in }) throws -> [RejectReason] {
        try verdict(credential(chain), trust: trust(change)).reasons
    }

    @Test func goodChains() throws {
        for names in ["URI:https://issuer.example", "DNS:issuer.example", "DNS:ISSUER.example,DNS:other.example"] {
            let verdict = try verdict(credential([leaf(names), intermediate]), trust: trust())
            #expect(verdict.credential?.notes == [.keyFromCertificate], "\(names) \(verdict.reasons)")
            #expect(verdict.credential != nil && verdict.credential?.keyID == nil)
        }
        // The root may be sent along; a kid that is not pinned is no obstacle.
        #expect(try reasons([leaf("DNS:issuer.example"), intermediate, root]) == [])
        var withKid = credential([leaf("DNS:issuer.example"), intermediate])
        withKid.header["kid"] = quoted("whatever")
        #expect(try verdict(withKid, trust: trust()).isAccept)
    }

    @Test func names() throws {
        for names in [
            "", "DNS:other.example", "DNS:*.example", "DNS:sub.issuer.example", "URI:https://issuer.example/",
            "URI:https://issuer.example.evil", "DNS:example", "IP:127.0.0.1", "email:a@issuer.example",
        ] {
            #expect(try reasons([leaf(names), intermediate]) == [.certificateNameMismatch], "\(names)")
        }
        // Pinned names replace the rule, they do not add to it.
        let pinned = { (trust: inout TestTrust) in
            trust.members["x509"] = trust.members["x509"]!.replacing("}", with: #","names":["registry.example","urn:issuer"]}"#)
        }
        #expect(try reasons([leaf("DNS:registry.example"), intermediate], pinned) == [])
        #expect(try reasons([leaf("URI:urn:issuer"), intermediate], pinned) == [])
        #expect(try reasons([leaf("DNS:issuer.example"), intermediate], pinned) == [.certificateNameMismatch])
    }

    @Test func issuersThatAreNoHosts() throws {
        for iss in [
            "did:web:issuer.example", "http://issuer.example", "https://user@issuer.example", "https://issuer.example:8443",
            "https://issuer.example\\u0000", "issuer.example", "https://",
        ] {
            let credential = credential([leaf("DNS:issuer.example"), intermediate], iss: iss)
            let verdict = try verdict(credential, trust: trust { $0.members["ids"] = list([iss]) })
            #expect(verdict.reasons == [.certificateNameMismatch], "\(iss)")
        }
        let path = credential([leaf("DNS:issuer.example"), intermediate], iss: "https://issuer.example/path?query")
        #expect(try verdict(path, trust: trust { $0.members["ids"] = list(["https://issuer.example/path?query"]) }).isAccept)
        let did = credential([leaf("URI:did:web:issuer.example"), intermediate], iss: "did:web:issuer.example")
        #expect(try verdict(did, trust: trust { $0.members["ids"] = list(["did:web:issuer.example"]) }).isAccept)
    }

    @Test func paths() throws {
        let good = leaf("DNS:issuer.example")
        #expect(try reasons([good]) == [.certificateUntrusted])
        // An authority's own key is for certificates, not for credentials.
        #expect(try reasons([intermediate, good]) == [.certificateUntrusted])
        #expect(try reasons([leaf("DNS:issuer.example", days: -20 ... -1), intermediate]) == [.certificateUntrusted])
        #expect(try reasons([leaf("DNS:issuer.example", days: 1...2), intermediate]) == [.certificateUntrusted])
        let selfMade = TestCertificate("Issuer", key: .p256, issuer: "Issuer", signer: .p256, names: "DNS:issuer.example")
        #expect(try reasons([selfMade]) == [.certificateUntrusted])
        // The leaf signs for another: it is no authority.
        let child = TestCertificate("Child", key: .p256, issuer: "Issuer", signer: .p256, names: "DNS:issuer.example")
        #expect(try reasons([child, good, intermediate]) == [.certificateUntrusted])
        // Right name, wrong signer.
        let forged = TestCertificate("Issuer", key: .p256, issuer: "CA", signer: .secp256k1, names: "DNS:issuer.example")
        #expect(try reasons([forged, intermediate]) == [.certificateUntrusted])
        let stranger = credential([good, intermediate], key: .otherP256)
        #expect(try verdict(stranger, trust: trust()).reasons == [.signatureInvalid])
        #expect(try reasons([TestCertificate](repeating: intermediate, count: 9)) == [.certificateMalformed])
    }

    @Test func theIssuerMustBeListedAndHaveRoots() throws {
        #expect(
            try verdict(credential([leaf("DNS:other.example"), intermediate], iss: "https://other.example"), trust: trust()).reasons == [
                .issuerUnknown
            ])
        #expect(try verdict(credential([leaf("DNS:issuer.example"), intermediate]), trust: TestTrust()).reasons == [.keyUnknown])
        #expect(
            try verdict(
                credential([leaf("DNS:issuer.example"), intermediate]), trust: trust { $0.members["algorithms"] = list(["EdDSA"]) }
            )
            .reasons == [.algorithmNotTrusted])
    }

    @Test func pinnedKeyDecides() throws {
        // The kid is pinned with another key, so the good chain does not help.
        var both = credential([leaf("DNS:issuer.example"), intermediate])
        both.header["kid"] = quoted("key-1")
        let trust = trust { $0.members["keys"] = #"[{"kid":"key-1","jwk":\#(TestKey.otherP256.jwk)}]"# }
        #expect(try verdict(both, trust: trust).reasons == [.signatureInvalid])
    }
}
