import JSON
import LinkedData
import Testing

@testable import Credentials
@testable import Trust

@Suite struct TrustTests {
    private func fault(_ change: (inout TestTrust) -> Void) -> TrustError? {
        var trust = TestTrust()
        change(&trust)
        do throws(TrustError) {
            _ = try trust.store()
            return nil
        } catch {
            return error
        }
    }

    @Test func everyMember() throws {
        var trust = TestTrust()
        trust.members["keys"] =
            #"[{"kid":"a","jwk":{"kid":"a","use":"sig","alg":"ES256",\#(TestKey.p256.jwk.dropFirst()),"notBefore":"2026-01-01T00:00:00Z","notAfter":"2027-01-01T00:00:00Z"},"#
            + #"{"kid":"b","pem":"\#(TestKey.rsa.pem.replacing("\n", with: "\\n"))"}]"#
        trust.members["status"] = quoted("ignore")
        trust.members["skew"] = "60"
        let issuer = try #require(try trust.store().issuers.first)
        #expect(issuer.ids == [TestCredential.iss])
        #expect(issuer.keys.map(\.id) == ["a", "b"])
        #expect(issuer.keys[0].key.kind == .p256 && issuer.keys[1].key.kind == .rsa(bits: 2048))
        #expect(issuer.keys[0].notBefore == 1_767_225_600 && issuer.keys[0].notAfter == 1_798_761_600)
        #expect(issuer.forms == [.sdJWT] && issuer.status.isIgnored && issuer.skew == 60)
        #expect(issuer.claims == [.portrait: [["portrait"]]])
        #expect(try TestTrust().store().issuers[0].status == StatusPolicy())
        #expect(try TestTrust().store().issuers[0].skew == 300)
    }

    @Test(
        arguments: [
            ("gatehouse-trust", nil, "gatehouse-trust", .missing), ("gatehouse-trust", "2", "gatehouse-trust", .unsupportedVersion),
            ("gatehouse-trust", "\"1\"", "gatehouse-trust", .unsupportedVersion),
            ("gatehouse-trust", "1.0", "gatehouse-trust", .unsupportedVersion), ("ids", nil, "ids", .missing),
            ("ids", "[]", "ids", .wrongType), ("ids", "\"x\"", "ids", .wrongType),
            ("ids", "[\"\"]", "ids[0]", .wrongType), ("ids", "[\"a\",1]", "ids[1]", .wrongType),
            ("ids", "[\"a\",\"a\"]", "ids[1]", .duplicate), ("name", "1", "name", .wrongType),
            ("forms", nil, "forms", .missing), ("forms", "[\"sdjwt\"]", "forms[0]", .wrongValue),
            ("forms", "[\"unknown\"]", "forms", .wrongValue), ("forms", "[\"cwt\",\"cwt\"]", "forms[1]", .duplicate),
            ("algorithms", nil, "algorithms", .missing), ("algorithms", "[\"none\"]", "algorithms[0]", .wrongValue),
            ("algorithms", "[\"ES256\\u212a\"]", "algorithms[0]", .wrongValue), ("algorithms", "[]", "algorithms", .wrongType),
            ("types", nil, "types", .missing), ("types", "[]", "types", .wrongType), ("typ", "[]", "typ", .unknown),
            ("Ids", "[]", "Ids", .unknown), ("not\\u0042efore", "1", "notBefore", .unknown),
            ("claims", "{\"portait\":[\"x\"]}", "claims.portait", .unknown),
            ("claims", "{\"portrait\":\"x\"}", "claims.portrait", .wrongType),
            ("claims", "{\"portrait\":[]}", "claims.portrait", .wrongType),
            ("claims", "[]", "claims", .wrongType), ("status", "\"accept\"", "status", .wrongValue),
            ("status", "null", "status", .wrongType), ("skew", "-1", "skew", .wrongValue),
            ("skew", "86401", "skew", .wrongValue), ("skew", "1.5", "skew", .wrongType), ("keys", nil, "keys", .missing),
            ("keys", "[]", "keys", .wrongType), ("keys", "[{}]", "keys[0].kid", .missing),
            ("keys", "[{\"kid\":\"a\"}]", "keys[0]", .wrongValue), ("keys", "[{\"kid\":\"a\",\"jwk\":{}}]", "keys[0].jwk", .malformedKey),
            ("keys", "[{\"kid\":\"a\",\"pem\":\"x\"}]", "keys[0].pem", .malformedKey),
            ("keys", "[{\"kid\":\"a\",\"pem\":\"x\",\"jwk\":{}}]", "keys[0]", .wrongValue),
            ("keys", "[{\"kid\":\"a\",\"expires\":1}]", "keys[0].expires", .unknown),
            ("keys", "[{\"kid\":\"a\",\"jwk\":{\"kty\":\"EC\",\"d\":\"x\"}}]", "keys[0].jwk.d", .secretKey),
            ("keys", "[{\"kid\":\"a\",\"jwk\":{\"kty\":\"oct\",\"k\":\"x\"}}]", "keys[0].jwk.k", .secretKey),
            ("keys", "[{\"kid\":\"a\",\"jwk\":{\"x5c\":[]}}]", "keys[0].jwk.x5c", .unknown), ("x509", "{}", "x509.roots", .missing),
            ("x509", "{\"roots\":[]}", "x509.roots", .wrongType),
            ("x509", "{\"roots\":[\"x\"]}", "x509.roots[0]", .malformedCertificate),
            ("x509", "{\"roots\":[\"-----BEGIN CERTIFICATE-----AAAA-----END CERTIFICATE-----\"]}", "x509.roots[0]", .malformedCertificate),
            ("x509", "{\"root\":[]}", "x509.root", .unknown),
        ] as [(String, String?, String, TrustError.Reason)])
    func faultsNameFileAndMember(_ name: String, _ value: String?, _ member: String, _ reason: TrustError.Reason) {
        let fault = fault { $0.members[name] = value }
        #expect(fault == TrustError(file: "issuer.json", member: member, reason: reason))
        #expect(fault?.description.hasPrefix("issuer.json: \(member)") == true)
    }

    @Test func keysThatDoNotFit() {
        func keys(_ jwk: String, _ more: String = "") -> TrustError? {
            fault { $0.members["keys"] = #"[{"kid":"a","jwk":\#(jwk)\#(more)}]"# }
        }
        let jwk = String(TestKey.p256.jwk.dropLast())
        #expect(keys(jwk + "}") == nil)
        #expect(keys(jwk + #","kid":"b"}"#)?.member == "keys[0].jwk.kid")
        #expect(keys(jwk + #","use":"enc"}"#)?.member == "keys[0].jwk.use")
        #expect(keys(jwk + #","alg":"EdDSA"}"#) == TrustError(file: "issuer.json", member: "keys[0].jwk", reason: .malformedKey))
        #expect(keys(jwk + #","alg":"HS256"}"#)?.member == "keys[0].jwk.alg")
        #expect(keys(jwk.replacing("P-256", with: "secp256k1") + "}")?.reason == .malformedKey)
        #expect(keys(jwk.replacing("\"x\":\"", with: "\"x\":\"AA") + "}")?.reason == .malformedKey)
        #expect(keys(jwk + "}", #","notBefore":"2026-01-01""#)?.member == "keys[0].notBefore")
        #expect(keys(jwk + "}", #","notBefore":"2026-01-02T00:00:00Z","notAfter":"2026-01-01T00:00:00Z""#)?.reason == .wrongValue)
        #expect(
            fault { $0.members["keys"] = #"[{"kid":"a","jwk":\#(TestKey.p256.jwk)},{"kid":"a","jwk":\#(TestKey.rsa.jwk)}]"# }
                == TrustError(file: "issuer.json", member: "keys[1]", reason: .duplicate))
    }

    @Test func keyWindow() throws {
        var trust = TestTrust()
        trust.members["keys"] =
            #"[{"kid":"key-1","jwk":\#(TestKey.ed25519.jwk),"notBefore":"2027-01-15T08:00:00Z","notAfter":"2027-01-15T08:00:10Z"}]"#
        #expect(try verdict(TestCredential(), trust: trust).isAccept)
        #expect(try verdict(TestCredential(), trust: trust, at: TestCredential.now + 9).isAccept)
        #expect(try verdict(TestCredential(), trust: trust, at: TestCredential.now - 1).reasons == [.keyNotCurrent])
        #expect(try verdict(TestCredential(), trust: trust, at: TestCredential.now + 10).reasons == [.keyNotCurrent])
    }

    @Test func formsAndAlgorithmsNarrow() throws {
        var trust = TestTrust()
        trust.members["forms"] = list(["cwt"])
        #expect(try verdict(TestCredential(), trust: trust).reasons == [.formNotTrusted])
        trust = TestTrust()
        trust.members["algorithms"] = list(["ES256"])
        #expect(try verdict(TestCredential(), trust: trust).reasons == [.algorithmNotTrusted])
    }

    @Test func aKeysAlgorithmNarrows() throws {
        var trust = TestTrust()
        trust.members["keys"] = #"[{"kid":"key-1","jwk":{"alg":"RS256",\#(TestKey.rsa.jwk.dropFirst())}]"#
        #expect(try verdict(TestCredential(key: .rsa, algorithm: "RS256"), trust: trust).isAccept)
        #expect(try verdict(TestCredential(key: .rsa, algorithm: "PS256"), trust: trust).reasons == [.keyMismatch])
    }

    @Test func issuersDoNotShareKeys() throws {
        var other = TestTrust(keys: [("key-2", .otherEd25519)])
        other.members["ids"] = list(["https://other.example"])
        let store = try TrustStore(files: [("a.json", Array(TestTrust().text.utf8)), ("b.json", Array(other.text.utf8))])
        var credential = TestCredential(key: .otherEd25519)
        credential.header["kid"] = quoted("key-2")
        #expect(CredentialVerifier(trust: store).verify(credential.message, at: TestCredential.now).reasons == [.keyUnknown])
        credential.set("iss", quoted("https://other.example"))
        #expect(CredentialVerifier(trust: store).verify(credential.message, at: TestCredential.now).isAccept)
    }

    @Test func wholeStores() {
        let good = Array(TestTrust().text.utf8)
        #expect(throws: TrustError(file: "", reason: .empty)) { try TrustStore(files: []) }
        #expect(throws: TrustError(file: "b.json", member: "ids[0]", reason: .duplicate)) {
            try TrustStore(files: [("a.json", good), ("b.json", good)])
        }
        #expect(throws: TrustError(file: "b.json", reason: .malformed(JSONError(.truncated, at: 0)))) {
            try TrustStore(files: [("a.json", good), ("b.json", [])])
        }
        #expect(throws: TrustError(file: "b.json", member: "gatehouse-trust", reason: .wrongType)) {
            try TrustStore(files: [("b.json", Array("[]".utf8))])
        }
        #expect(throws: TrustError(file: "b.json", reason: .malformed(JSONError(.duplicateName, at: 7)))) {
            try TrustStore(files: [("b.json", Array(#"{"a":1,"a":1}"#.utf8))])
        }
        #expect(throws: TrustError(file: "b.json", reason: .tooLarge)) {
            try TrustStore(files: [("b.json", [UInt8](repeating: 0x20, count: TrustStore.largestFile + 1))])
        }
    }

    @Test(
        arguments: [
            ("suites", #"["RsaSignature2018","RsaSignature2018"]"#, "suites[1]", TrustError.Reason.duplicate),
            ("suites", #"["RsaSignature2019"]"#, "suites[0]", .wrongValue),
            ("claims", #"{"portrait":[["a"],"b"]}"#, "claims.portrait[1]", .wrongType),
            ("claims", #"{"portrait":[[]]}"#, "claims.portrait[0]", .wrongType),
            ("status", #"{"unknown":"maybe"}"#, "status.unknown", .wrongValue),
            ("status", #"{"softAge":10,"hardAge":9}"#, "status", .wrongValue),
            ("status", #"{"softAge":-1}"#, "status.softAge", .wrongValue), ("status", #"{"hardAge":"1"}"#, "status.hardAge", .wrongType),
            ("status", #"{"age":1}"#, "status.age", .unknown),
            ("requires", #"["portrait"]"#, "requires", .wrongValue), ("requires", #"["face"]"#, "requires[0]", .wrongValue),
        ] as [(String, String, String, TrustError.Reason)])
    func narrowingMembers(_ name: String, _ value: String, _ member: String, _ reason: TrustError.Reason) throws {
        var trust = TestTrust()
        if name == "requires" { trust.members["claims"] = #"{"birthDate":["birthdate"]}"# }
        trust.members[name] = value
        #expect(throws: TrustError(file: "issuer.json", member: member, reason: reason)) { try trust.store() }
    }

    @Test(
        "a fault that a default is part of says both numbers",
        arguments: [
            (#"{"hardAge":3600}"#, "softAge is 86400 where it is not given, hardAge is 3600"),
            (#"{"softAge":700000}"#, "softAge is 700000, hardAge is 604800 where it is not given"),
            (#"{"softAge":10,"hardAge":9}"#, "softAge is 10, hardAge is 9"),
        ]) func agesInWords(_ value: String, _ words: String) throws
    {
        var trust = TestTrust()
        trust.members["status"] = value
        let error = #expect(throws: TrustError.self) { try trust.store() }
        #expect(error?.member == "status" && error?.allowed == "a softAge of at most hardAge; here \(words)")
        trust.members["status"] = #"{"softAge":3600,"hardAge":3600}"#
        #expect(throws: Never.self) { try trust.store() }
    }

    @Test func jsonLDNeedsSuites() throws {
        var trust = TestTrust()
        trust.members["forms"] = list(["ldp_vc"])
        #expect(throws: TrustError(file: "issuer.json", member: "suites", reason: .missing)) { try trust.store() }
    }

    @Test("two URLs that differ in octets alone have two contexts")
    func equivalentURLs() throws {
        let urls = ["https://a.example/\u{E9}", "https://a.example/e\u{301}"]
        let contents = TrustContents(
            issuers: [TrustContents.IssuerText(name: "a.json", bytes: Array(TestTrust().text.utf8))],
            contexts: urls.enumerated().map { TrustContents.ContextDocument(url: $1, bytes: Array("{\"@context\":\($0)}".utf8)) })
        let store = try TrustStore(contents).contexts
        for (position, url) in urls.enumerated() { #expect(store.document(at: Text(url)) == Array("{\"@context\":\(position)}".utf8)) }
    }
}
