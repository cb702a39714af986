import CBOR
import Credentials
import Testing
import Trust

/// Which pinned key a header means: by its `kid`, or without one where only one key can be meant.
@Suite struct KeyIdentifierTests {
    private static let now = TestCredential.now
    private static let missing = ["key-id-missing"]

    private func jwt(
        _ trust: TestTrust, key: TestKey = .p256, algorithm: String? = nil, _ change: (inout TestCredential) -> Void = { _ in }
    ) throws -> Verdict {
        var credential = TestCredential(key: key, algorithm: algorithm)
        credential.header["kid"] = nil
        change(&credential)
        return try verdict(credential, trust: trust)
    }

    private func token(_ keys: String, key: TestKey = .ed25519, keyID: [UInt8]? = nil, unprotected: [UInt8] = [0xA0]) throws -> Verdict {
        var issuers = TestIssuers()
        issuers.first.members["keys"] = keys
        let token = TestToken {
            $0.key = key
            $0.keyID = keyID
            $0.unprotected = unprotected
        }
        return try issuers.verifier().verify(token.message(), at: Self.now)
    }

    private func codes(_ verdict: Verdict) -> [String] { verdict.reasons.map(\.code) }

    /// The pinned keys' JSON: kid, key and further members.
    private func keys(_ keys: (String, TestKey, String)...) -> String {
        "[" + keys.map { #"{"kid":"\#($0.0)","jwk":\#($0.1.jwk)\#($0.2)}"# }.joined(separator: ",") + "]"
    }

    private static let past = #","notAfter":"2020-01-01T00:00:00Z""#, future = #","notBefore":"2099-01-01T00:00:00Z""#

    // MARK: Without a key id

    @Test("the only key that fits is the one: others are of another kind, over, or not yet begun")
    func onlyKey() throws {
        var trust = TestTrust(keys: [("key-1", .p256)])
        #expect(try jwt(trust).credential?.keyID == "key-1")
        trust.members["keys"] = keys(
            ("a", .ed25519, ""), ("b", .p256, ""), ("c", .otherP256, Self.past), ("d", .otherP256, Self.future), ("e", .rsa, ""))
        #expect(try jwt(trust).credential?.keyID == "b")
        #expect(try jwt(trust, key: .ed25519).credential?.keyID == "a")
        #expect(try jwt(trust, key: .rsa).credential?.keyID == "e")
        #expect(try codes(jwt(trust, key: .otherP256)) == ["signature-invalid"])
        #expect(try token(keys(("a", .ed25519, ""), ("b", .p256, ""))).credential?.keyID == "a")
        #expect(try token(keys(("a", .ed25519, ""), ("b", .p256, "")), key: .p256).credential?.keyID == "b")
        #expect(try codes(token(keys(("a", .ed25519, ""), ("b", .p256, "")), key: .otherP256)) == ["signature-invalid"])
    }

    @Test("two keys that fit are one too many, whichever of them signed")
    func twoKeys() throws {
        let trust = TestTrust(keys: [("a", .p256), ("b", .otherP256)])
        for key in [TestKey.p256, .otherP256] { #expect(try codes(jwt(trust, key: key)) == Self.missing) }
        for key in [TestKey.p256, .otherP256] {
            #expect(try codes(token(keys(("a", .p256, ""), ("b", .otherP256, "")), key: key)) == Self.missing)
        }
        // An algorithm of its own takes a key out.
        var rsa = TestTrust()
        let other = TestKey(.rsa)
        rsa.members["keys"] =
            #"[{"kid":"a","jwk":\#(TestKey.rsa.jwk.replacing(#""kty""#, with: #""alg":"PS256","kty""#))},"#
            + #"{"kid":"b","jwk":\#(other.jwk.replacing(#""kty""#, with: #""alg":"RS256","kty""#))}]"#
        #expect(try jwt(rsa, key: .rsa, algorithm: "PS256").credential?.keyID == "a")
        #expect(try jwt(rsa, key: other, algorithm: "RS256").credential?.keyID == "b")
        #expect(try codes(jwt(rsa, key: other, algorithm: "PS256")) == ["signature-invalid"])
    }

    @Test func noKey() throws {
        #expect(try codes(jwt(TestTrust(keys: [("a", .ed25519)]))) == ["key-unknown"])
        var trust = TestTrust()
        trust.members["keys"] = keys(("a", .ed25519, ""), ("b", .p256, Self.past))
        #expect(try codes(jwt(trust)) == ["key-not-current"])
        trust.members["algorithms"] = list(["EdDSA"])
        #expect(try codes(jwt(trust)) == ["algorithm-not-trusted"])
        #expect(try codes(token(keys(("a", .p256, "")))) == ["key-unknown"])
        #expect(try codes(token(keys(("a", .ed25519, Self.future)))) == ["key-not-current"])
    }

    @Test("a key id that is stated and not pinned is no missing one")
    func strangeKeyID() throws {
        for kid in ["b", "A", "", "a "] {
            #expect(try codes(jwt(TestTrust(keys: [("a", .p256)])) { $0.header["kid"] = quoted(kid) }) == ["key-unknown"], "\(kid)")
            #expect(try codes(token(keys(("a", .ed25519, "")), keyID: Array(kid.utf8))) == ["key-unknown"], "\(kid)")
        }
        #expect(try codes(jwt(TestTrust(keys: [("a", .p256)])) { $0.header["kid"] = "null" }) == ["header-malformed"])
    }

    // MARK: Key ids of COSE, which are octets

    @Test func octets() throws {
        for (pinned, octets): (String, [UInt8]) in [
            ("hex:00ff10", [0x00, 0xFF, 0x10]), ("hex:00FF10", [0x00, 0xFF, 0x10]), ("base64url:AP8Q", [0x00, 0xFF, 0x10]),
            ("base64url:-_8", [0xFB, 0xFF]),
            ("plain", Array("plain".utf8)), ("hexagon", Array("hexagon".utf8)), ("HEX:00", Array("HEX:00".utf8)),
        ] {
            let keys = keys((pinned, .ed25519, ""), ("other", .otherEd25519, ""))
            #expect(try token(keys, keyID: octets).credential?.keyID == pinned, "\(pinned)")
            #expect(try codes(token(keys, keyID: octets + [0])) == ["key-unknown"], "\(pinned)")
            #expect(try codes(token(keys, keyID: Array(octets.dropLast()))) == ["key-unknown"], "\(pinned)")
            #expect(try codes(token(keys, key: .otherEd25519, keyID: octets)) == ["signature-invalid"], "\(pinned)")
        }
        // The text of it is not what it stands for; a JOSE header has nothing but text.
        #expect(try codes(token(keys(("hex:6131", .ed25519, "")), keyID: Array("hex:6131".utf8))) == ["key-unknown"])
        #expect(try jwt(TestTrust(keys: [("hex:6131", .p256)])) { $0.header["kid"] = quoted("hex:6131") }.isAccept)
        #expect(try codes(jwt(TestTrust(keys: [("hex:6131", .p256)])) { $0.header["kid"] = quoted("a1") }) == ["key-unknown"])
    }

    @Test func octetsThatAreNone() throws {
        for pinned in [
            "hex:", "hex:0", "hex:0g", "hex:00 ", "base64url:", "base64url:A", "base64url:AP8=", "base64url:A+/_", "base64url:AB",
        ] {
            #expect(throws: TrustError.self, "\(pinned)") { try token(keys((pinned, .ed25519, ""))) }
        }
        for (one, other) in [("hex:61", "a"), ("hex:6162", "base64url:YWI"), ("hex:FF", "hex:ff")] {
            #expect(throws: TrustError.self, "\(one)") { try token(keys((one, .ed25519, ""), (other, .p256, ""))) }
        }
    }

    // MARK: Certificates beside a pinned key

    @Test("what is not needed is not looked at")
    func malformedCertificates() throws {
        var trust = TestTrust(keys: [("a", .p256)])
        let root = TestCertificate("Root", key: .p384, issuer: "Root", signer: .p384, names: nil)
        for hasRoots in [false, true] {
            if hasRoots { trust.members["x509"] = #"{"roots":["\#(root.pem.replacing("\n", with: "\\n"))"]}"# }
            for x5c in ["1", "[]", "[1]", #"["!"]"#, "null"] {
                #expect(
                    try jwt(trust) {
                        $0.header["kid"] = quoted("a")
                        $0.header["x5c"] = x5c
                    }.isAccept, "\(x5c)")
                let reason = !hasRoots ? "key-unknown" : ["1", "null"].contains(x5c) ? "header-malformed" : "certificate-malformed"
                #expect(
                    try codes(
                        jwt(trust) {
                            $0.header["kid"] = quoted("b")
                            $0.header["x5c"] = x5c
                        }) == [reason], "\(x5c)")
                if hasRoots { #expect(try codes(jwt(trust) { $0.header["x5c"] = x5c }) == [reason], "\(x5c)") }
            }
        }
        for chain: [UInt8] in [[0x01], [0x80], [0x81, 0x01], [0x60]] {
            let unprotected = [0xA1, 0x18, 0x21] + chain
            #expect(try token(keys(("a", .ed25519, "")), keyID: [0x61], unprotected: unprotected).isAccept)
            #expect(try codes(token(keys(("a", .ed25519, "")), keyID: [0x62], unprotected: unprotected)) == ["key-unknown"])
        }
    }
}
