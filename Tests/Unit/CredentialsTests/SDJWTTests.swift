import Credentials
import JSON
import Testing

@Suite struct SDJWTTests {
    @Test(arguments: [(TestKey.ed25519, "EdDSA"), (.p256, "ES256"), (.secp256k1, "ES256K"), (.rsa, "PS256"), (.rsa, "RS256")])
    func goodCredentials(_ key: TestKey, _ algorithm: String) throws {
        let verdict = try verdict(TestCredential(key: key, algorithm: algorithm))
        let credential = try #require(verdict.credential, "\(verdict.reasons)")
        #expect(credential.issuer == TestCredential.iss)
        #expect(credential.issuerName == "Ministry of Examples")
        #expect(credential.type == TestCredential.vct)
        #expect(credential.form == .sdJWT)
        #expect(credential.keyID == "key-1")
        #expect(credential.portrait == "data:image/jpeg;base64,/9j/AA==")
        #expect(credential.notes == [])
        #expect(credential.validity.notBefore == nil)
        #expect(credential.validity.expires == TestCredential.now + 1000)
        #expect(credential.validity.issuedAt == TestCredential.now - 1000)
        #expect(credential.claims.root.members?.map(\.name) == ["iss", "vct", "iat", "exp", "plain", "nested", "given_name", "portrait"])
        #expect(String(decoding: try #require(credential.claims.root["nested"]).source, as: UTF8.self) == #"{"a":[1,2.50,{"b":null}]}"#)
    }

    @Test func rolesArePaths() throws {
        var trust = TestTrust()
        trust.members["claims"] =
            #"{"portrait":["subject","face"],"givenName":["given_name"],"documentNumber":["nested","a"],"fullName":["nested","x","y"]}"#
        var credential = TestCredential()
        let face = base64URL(#"["s","face","data:,x"]"#)
        credential.set("subject", #"{"_sd":["\#(digest(face))"]}"#)
        #expect(try verdict(credential, trust: trust).credential?.portrait == nil)
        credential.disclosures.append(face)
        let verified = try #require(try verdict(credential, trust: trust).credential)
        #expect(verified.portrait == "data:,x")
        #expect(verified.claim(.givenName)?.string == "Erika")
        #expect(verified.claim(.documentNumber)?.kind == .array)
        #expect(verified.claim(.fullName) == nil && verified.claim(.birthDate) == nil)
    }

    @Test func legacyType() throws {
        var credential = TestCredential()
        credential.header["typ"] = quoted("vc+sd-jwt")
        #expect(try verdict(credential).isAccept)
    }

    @Test(
        arguments: [
            ("typ", nil, .typeHeaderRefused), ("typ", quoted("JWT"), .typeHeaderRefused), ("typ", quoted("DC+SD-JWT"), .typeHeaderRefused),
            ("typ", "1", .typeHeaderRefused),
            ("alg", nil, .algorithmRefused), ("alg", quoted("none"), .algorithmRefused), ("alg", quoted("None"), .algorithmRefused),
            ("alg", quoted("HS256"), .algorithmRefused),
            ("alg", quoted("ES384"), .algorithmRefused), ("alg", "null", .algorithmRefused), ("alg", #""ES256\u212A""#, .algorithmRefused),
            ("alg", quoted("ES256"), .keyMismatch),
            ("alg", quoted("RS256"), .keyMismatch), ("crit", #"["b64"]"#, .criticalHeaderRefused), ("crit", "[]", .criticalHeaderRefused),
            ("crit", #"["exp"]"#, .criticalHeaderRefused),
            ("kid", quoted("key-2"), .keyUnknown), ("kid", "1", .headerMalformed),
        ] as [(String, String?, RejectReason)])
    func headers(_ name: String, _ value: String?, _ reason: RejectReason) throws {
        var credential = TestCredential()
        credential.header[name] = value
        #expect(try verdict(credential).reasons == [reason])
    }

    @Test func duplicateHeaderMember() throws {
        let good = TestCredential()
        let header = base64URL(good.headerText.dropLast() + #","alg":"EdDSA"}"#)
        let signed = header + "." + base64URL(good.payloadText)
        let text = signed + "." + base64URL(good.key.sign(Array(signed.utf8))) + "~"
        #expect(try TestTrust().verifier().verify(Array(text.utf8), at: TestCredential.now).reasons == [.headerMalformed])
    }

    @Test func signatures() throws {
        // Somebody else's key under the trusted kid.
        #expect(try verdict(TestCredential(key: .otherEd25519), trust: TestTrust()).reasons == [.signatureInvalid])
        // DER instead of r || s.
        for key in [TestKey.p256, .secp256k1] {
            let text = TestCredential(key: key).text(der: true)
            #expect(
                try TestTrust(keys: [("key-1", key)]).verifier().verify(Array(text.utf8), at: TestCredential.now).reasons == [
                    .signatureInvalid
                ])
        }
        // RS256 signature presented as PS256.
        let rs = TestCredential(key: .rsa, algorithm: "RS256")
        var ps = rs
        ps.header["alg"] = quoted("PS256")
        let forged = base64URL(ps.headerText) + "." + base64URL(ps.payloadText)
        let text = forged + "." + base64URL(TestKey.rsa.sign(Array(forged.utf8), algorithm: "RS256")) + "~"
        #expect(
            try TestTrust(keys: [("key-1", .rsa)]).verifier().verify(Array(text.utf8), at: TestCredential.now).reasons == [
                .signatureInvalid
            ])
    }

    @Test func compactForm() throws {
        let verifier = try TestTrust().verifier()
        func reasons(_ text: String) -> [RejectReason] { verifier.verify(Array(text.utf8), at: TestCredential.now).reasons }
        let good = TestCredential()
        let jwt = good.issuerJWT(), disclosures = good.disclosures
        #expect(reasons(good.text()) == [])
        #expect(reasons(" \n" + good.text() + "\n") == [])
        #expect(reasons(jwt + "~") == [])
        #expect(reasons(jwt) == [.unsupportedForm(.jwtVC)])
        #expect(reasons(jwt + "~~") == [.compactMalformed])
        #expect(reasons(jwt + "~" + disclosures[0] + "~~") == [.compactMalformed])
        #expect(reasons("~" + jwt + "~") == [.unsupportedForm(.unknown)])
        #expect(reasons(jwt + "=~") == [.compactMalformed])
        #expect(reasons(jwt + ".x~") == [.unsupportedForm(.unknown)])
        #expect(reasons("..~") == [.compactMalformed])
        #expect(reasons("a.b.c~") == [.compactMalformed])
        #expect(reasons(jwt + "~" + disclosures[0] + "=~") == [.disclosureUnreferenced])
        #expect(reasons(jwt + "~!~") == [.disclosureUnreferenced])
        #expect(reasons(jwt + "~" + disclosures[0] + "~" + disclosures[0] + "~") == [.disclosureRepeated])
        #expect(reasons(jwt + "~" + disclosures[0]) == [.keyBindingMalformed])
        #expect(reasons(jwt + String(repeating: "~AAAA", count: 5000) + "~") == [.tooComplex])
        let parts = jwt.split(separator: ".").map(String.init)
        // The last character of a 64-octet signature carries four bits that must be zero.
        let last = String(parts[2].dropLast()) + nextCharacter(parts[2])
        #expect(reasons([parts[0], parts[1], last].joined(separator: ".") + "~") == [.compactMalformed])
    }

    /// The base64url character after the last one, which decodes to the same octets when trailing bits are ignored.
    private func nextCharacter(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        return text.last.flatMap { alphabet.firstIndex(of: $0) }.map { String(alphabet[$0 + 1]) } ?? ""
    }

    @Test(
        arguments: [
            ("iss", nil, .issuerMissing), ("iss", "1", .issuerMissing), ("iss", quoted("https://issuer.example/"), .issuerUnknown),
            ("iss", quoted("HTTPS://issuer.example"), .issuerUnknown),
            ("vct", nil, .typeMissing), ("vct", "[]", .typeMissing), ("vct", quoted("urn:example:other"), .typeNotTrusted),
            ("status", "{}", .statusUnknown),
            ("status", #"{"status_list":{"idx":1,"uri":"https://x.example"}}"#, .statusUnknown), ("credentialStatus", "{}", .statusUnknown),
            ("_sd_alg", quoted("sha-1"), .digestAlgorithmRefused), ("_sd_alg", quoted("md5"), .digestAlgorithmRefused),
            ("_sd_alg", "null", .digestAlgorithmRefused),
            ("_sd_alg", quoted("SHA-256"), .digestAlgorithmRefused), ("_sd_alg", quoted("sha-384"), .disclosureUnreferenced),
            ("exp", "\(TestCredential.now)", .expired), ("exp", "\(TestCredential.now - 1)", .expired),
            ("exp", "\(TestCredential.now).9", .expired), ("exp", "-1", .expired), ("exp", "0", .expired),
            ("exp", quoted("2030-01-01T00:00:00Z"), .timeMalformed), ("exp", "null", .timeMalformed), ("exp", "1e400", .timeMalformed),
            ("exp", "1e18", .timeMalformed),
            ("nbf", "\(TestCredential.now + 301)", .notYetValid), ("nbf", "\(TestCredential.now + 300).1", .notYetValid),
            ("nbf", "true", .timeMalformed),
            ("iat", "\(TestCredential.now + 301)", .issuedInFuture), ("expirationDate", quoted("2020-01-01T00:00:00Z"), .expired),
            ("validUntil", quoted("2020-01-01T00:00:00.5+02:00"), .expired),
            ("expirationDate", quoted("soon"), .timeMalformed), ("validFrom", quoted("2099-01-01T00:00:00Z"), .notYetValid),
            ("issuanceDate", quoted("2099-01-01T00:00:00Z"), .notYetValid),
        ] as [(String, String?, RejectReason)])
    func payloads(_ name: String, _ value: String?, _ reason: RejectReason) throws {
        var credential = TestCredential()
        credential.set(name, value)
        #expect(try verdict(credential).reasons == [reason])
    }

    @Test func toleranceAndNotes() throws {
        var credential = TestCredential()
        credential.set("nbf", "\(TestCredential.now + 300)")
        credential.set("iat", "\(TestCredential.now + 300)")
        #expect(try verdict(credential).isAccept)
        var strict = TestTrust()
        strict.members["skew"] = "0"
        #expect(try verdict(credential, trust: strict).reasons == [.notYetValid, .issuedInFuture])

        credential.set("exp", nil)
        #expect(try verdict(credential).credential?.notes == [.neverExpires])
        credential.set("status", "{}")
        var lenient = TestTrust()
        lenient.members["status"] = quoted("ignore")
        #expect(try verdict(credential, trust: lenient).credential?.notes == [.neverExpires, .statusIgnored])

        credential.set("exp", "1")
        credential.set("vct", quoted("x"))
        #expect(try verdict(credential).reasons == [.expired, .typeNotTrusted, .statusUnknown])
        #expect(try verdict(TestCredential(), at: .max).reasons == [.expired])
        #expect(try verdict(TestCredential(), at: .min).reasons.contains(.issuedInFuture))
    }

    @Test func payloadSyntax() throws {
        for payload in ["[]", "1", "", "{", #"{"iss":1,"iss":2}"#, "{\"a\":\"\u{1}\"}"] {
            let signed = base64URL(TestCredential().headerText) + "." + base64URL(payload)
            let text = signed + "." + base64URL(TestKey.ed25519.sign(Array(signed.utf8))) + "~"
            let expected: RejectReason = payload.isEmpty ? .compactMalformed : .payloadMalformed
            #expect(try TestTrust().verifier().verify(Array(text.utf8), at: TestCredential.now).reasons == [expected])
        }
    }
}
