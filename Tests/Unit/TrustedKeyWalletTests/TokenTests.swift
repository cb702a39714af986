import ClaimTestSupport
import Envelopes
import Testing

@testable import TrustedKeyWallet

/// trustedkey.md section 3, steps 3 to 6.
struct TokenTests {
    private static func fault(_ name: String, _ value: String?) throws -> TrustedKeyFault? {
        var answer = try TestAnswer()
        answer.members[name] = .some(value)
        return try answer.fault()
    }

    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"es256"}"#, #"{"alg":"ES256K"}"#, #"{"alg":"ES384"}"#, #"{"alg":["ES256"]}"#,
        "{}",
        #"{"alg":"ES256","crit":[]}"#, #"{"alg":"ES256","crit":["b64"],"b64":false}"#, #"{"alg":"ES256","alg":"ES256"}"#, "[]", "x", "",
        #"{"alg":"ES256",}"#, #"{"alg":"ES256"} x"#,
    ]) func headersOfAnotherKindAreMalformed(_ header: String) throws {
        var answer = try TestAnswer()
        answer.header = header
        #expect(try answer.fault() == .tokenMalformed)
    }

    @Test func noKeyOfTheHeaderIsUsed() throws {
        var answer = try TestAnswer()
        let stranger = try TestKey()
        answer.header = #"{"alg":"ES256","kid":"1","x5c":["AA=="],"jwk":"# + stranger.jwk() + "}"
        #expect(try answer.fault() == nil)
        answer.tokenSigner = stranger
        #expect(try answer.fault() == .tokenSignature)
    }

    @Test func signaturesAreSixtyFourOctets() throws {
        var answer = try TestAnswer()
        let parts = try answer.madeToken().split(separator: "."), signed = parts[0] + "." + parts[1] + "."
        let raw = try #require(Base64.decode(String(parts[2])))
        let der = TestDER.sequence(TestDER.integer(Array(raw.prefix(32))), TestDER.integer(Array(raw.suffix(32))))
        for signature in [der, Array(raw.dropLast()), raw + [0], [], [0] + raw] {
            answer.token = signed + String(decoding: Base64.encodeURL(signature), as: UTF8.self)
            #expect(try answer.fault() == .tokenMalformed)
        }
        for signature in [[UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64), Array(raw.reversed())] {
            answer.token = signed + String(decoding: Base64.encodeURL(signature), as: UTF8.self)
            #expect(try answer.fault() == .tokenSignature)
        }
    }

    @Test func aTokenHasThreePartsInStrictBase64URL() throws {
        var answer = try TestAnswer()
        let token = try answer.madeToken(), parts = token.split(separator: ".").map(String.init)
        for text in [
            "", ".", "..", parts[0], parts[0] + "." + parts[1], token + ".", token + ".x", token + "=", " " + token, token + "\n",
            token.replacing(".", with: ","), parts[1] + "." + parts[0] + "." + parts[2],
        ] {
            answer.token = text
            #expect(try answer.fault() == .tokenMalformed, "\(text.prefix(20))")
        }
    }

    @Test func eightKiBAreTheLongestToken() throws {
        var answer = try TestAnswer()
        answer.members["more"] = "\"\(String(repeating: "x", count: 5_000))\""
        #expect(try answer.madeToken().utf8.count < TokenParts.longest && answer.fault() == nil)
        answer.members["more"] = "\"\(String(repeating: "x", count: 6_000))\""
        #expect(try answer.madeToken().utf8.count > TokenParts.longest && answer.fault() == .tokenMalformed)
    }

    @Test func thePayloadIsStrictJSONWithoutDuplicates() throws {
        var answer = try TestAnswer()
        let payload = try #require(Base64.decode(String(answer.madeToken().split(separator: ".")[1])))
        let text = String(decoding: payload, as: UTF8.self), body = text.dropLast()
        for changed in [
            "[\(text)]", "\(text) x", "\(body),}", "\u{feff}\(text)", "\(body),\"nonce\":\"\(answer.request.nonce)\"}",
            "\(body),\"s\\u0075b\":\"x\"}", text.replacing("\"kty\":\"EC\"", with: "\"kty\":\"EC\",\"kty\":\"EC\""), "",
            "\(body),\"deep\":\(String(repeating: "[", count: 40))\(String(repeating: "]", count: 40))}",
        ] {
            answer.payload = changed
            #expect(try answer.fault() == .tokenMalformed)
        }
        answer.payload = text
        #expect(try answer.fault() == nil)
    }

    @Test func theKeyIsAPointOfP256WithoutItsPrivateHalf() throws {
        let key = try TestKey(), other = try TestKey(.p384)
        for changes in [
            ["d": "\"AQ\""], ["d": "null"], ["kty": "\"ec\""], ["kty": "\"RSA\""], ["crv": "\"P-384\""], ["crv": "\"secp256k1\""],
            ["x": nil],
            ["y": nil], ["kty": nil], ["crv": nil], ["x": "\"\(key.x)=\""], ["x": "\"\(key.x.dropLast(2))\""], ["x": "\"AA\(key.x)\""],
            ["y": "\"\(key.x)\""], ["x": "1"], ["x": "\"\(other.x)\"", "y": "\"\(other.y)\""],
            ["x": "\"\(String(repeating: "A", count: 43))\"", "y": "\"\(String(repeating: "A", count: 43))\""],
        ] as [[String: String?]] {
            var answer = try TestAnswer()
            answer.members["sub_jwk"] = key.jwk(changes)
            answer.tokenSigner = key
            #expect(try answer.fault() == .tokenMalformed, "\(changes)")
        }
        for value in ["null", "\"x\"", "[]", "{}", nil] { #expect(try Self.fault("sub_jwk", value) == .tokenMalformed) }
        let answer = try TestAnswer()
        let more: [String: String?] = ["kid": "\"1\"", "use": "\"enc\"", "alg": "\"none\""]
        #expect(try Self.changedKey(answer, more) == nil)
    }

    private static func changedKey(_ answer: TestAnswer, _ changes: [String: String?]) throws -> TrustedKeyFault? {
        var answer = answer
        answer.members["sub_jwk"] = answer.holder.jwk(changes)
        return try answer.fault()
    }

    @Test func theSubjectIsFortyLowerCaseDigits() throws {
        let digits = String(repeating: "a", count: 40)
        for value in [
            "\"\(digits.uppercased())\"", "\"\(digits.dropLast())\"", "\"\(digits)a\"", "\"0x\(digits.dropLast(2))\"", "1", "null", nil,
        ] {
            #expect(try Self.fault("sub", value) == .tokenMalformed)
        }
        // Informational: it may be of an older key.
        #expect(try Self.fault("sub", "\"\(digits)\"") == nil)
        #expect(try Self.fault("iss", "\"somebody\"") == nil)
        #expect(try Self.fault("iss", nil) == nil)
    }

    @Test func theAudienceHasTheGateExactly() throws {
        let id = TestAnswer.clientID
        for value in ["\"\(id)\"", "[\"x\",\"\(id)\"]", "[1,null,\"\(id)\"]"] { #expect(try Self.fault("aud", value) == nil) }
        for value in [
            "\"\(id) \"", "\"\(id.uppercased())\"", "\"\(id.dropLast())\"", "[]", "{\"\(id)\":1}", "null", "[[\"\(id)\"]]", nil, "\"\"",
        ] {
            #expect(try Self.fault("aud", value) == .audienceMismatch)
        }
    }

    @Test func theTokenAnswersThisRequest() throws {
        for value in ["\"\"", "\"x\"", "1", "null", nil] { #expect(try Self.fault("nonce", value) == .nonceMismatch) }
    }

    @Test func timesAreIntegersThatHoldNow() throws {
        let now = TestAnswer.issued + 4
        let faults: [(String, String?, TrustedKeyFault?)] = [
            ("exp", "\(now + 1)", nil), ("exp", "\(now)", .tokenExpired), ("exp", "\(now - 1)", .tokenExpired),
            ("exp", "\(TestAnswer.issued + 3600)", nil), ("exp", "\(TestAnswer.issued + 3601)", .tokenTime),
            ("iat", "\(now + 60)", nil), ("iat", "\(now + 61)", .tokenTime), ("iat", "\(now - 600)", nil),
            ("iat", "\(now - 601)", .tokenTime),
            ("exp", "\(now + 5).0", .tokenTime), ("exp", "1.8e9", .tokenTime), ("exp", "\"\(now + 5)\"", .tokenTime),
            ("exp", "true", .tokenTime),
            ("exp", nil, .tokenTime), ("iat", nil, .tokenTime), ("iat", "null", .tokenTime),
            ("exp", "99999999999999999999", .tokenTime), ("exp", "\(Int64.max)", .tokenTime), ("exp", "\(Int64.min)", .tokenExpired),
            ("iat", "\(Int64.max)", .tokenTime), ("iat", "\(Int64.min)", .tokenTime),
        ]
        for (name, value, expected) in faults { #expect(try Self.fault(name, value) == expected, "\(name) \(value ?? "none")") }
        for now in [Int64.min, -1, 0, Int64.max] {
            var answer = try TestAnswer()
            answer.now = now
            #expect(try answer.fault() != nil)
        }
    }
}
