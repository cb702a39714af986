import CBOR
import Credentials
import Testing
import Trust

/// `aud` says whom a token is for (RFC 7519 section 4.1.3, RFC 8392 section 3.1.3): one that is for somebody else is for nobody here.
@Suite struct AudienceTests {
    private static let ours = "https://gate.example", theirs = "https://bank.example", refused = ["audience-mismatch"]

    private func jwt(
        _ aud: String?, audiences: [String]? = [Self.ours, "urn:all-gates"], _ change: (inout TestCredential) -> Void = { _ in }
    ) throws -> [String] {
        var credential = TestCredential(), trust = TestTrust()
        credential.set("aud", aud)
        change(&credential)
        if let audiences { trust.members["audiences"] = list(audiences) }
        return try verdict(credential, trust: trust).reasons.map(\.code)
    }

    private func cwt(_ aud: [UInt8], audiences: [String]? = [Self.ours, "urn:all-gates"]) throws -> [String] {
        var issuers = TestIssuers()
        if let audiences { issuers.first.members["audiences"] = list(audiences) }
        let claims = try TestToken().claims()
        // One claim more, behind the others but for their order.
        let more = [claims[0] + 1] + claims.dropFirst() + [0x03] + aud
        return try issuers.verifier().verify(TestToken().message(claims: more), at: TestCredential.now).reasons.map(\.code)
    }

    private func text(_ text: String) throws -> [UInt8] { try CBORWriter.encode { $0.text(text) } }

    private func texts(_ texts: [String]) throws -> [UInt8] {
        try CBORWriter.encode { $0.array { array in for text in texts { array.text(text) } } }
    }

    @Test func absent() throws {
        #expect(try jwt(nil) == [] && jwt(nil, audiences: nil) == [])
    }

    @Test func ours() throws {
        for aud in [
            quoted(Self.ours), quoted("urn:all-gates"), list([Self.ours]), list([Self.theirs, Self.ours]), list([Self.ours, Self.ours]),
        ] {
            #expect(try jwt(aud) == [], "\(aud)")
        }
        for aud in [try text(Self.ours), try texts([Self.ours]), try texts([Self.theirs, "urn:all-gates"])] { #expect(try cwt(aud) == []) }
    }

    @Test func theirs() throws {
        for aud in [Self.theirs, Self.ours + "/", "HTTPS://gate.example", "", TestCredential.iss, "https://gate.example\\u0000"] {
            #expect(try jwt(quoted(aud)) == Self.refused, "\(aud)")
            #expect(try jwt(list([aud])) == Self.refused, "\(aud)")
            #expect(try cwt(text(aud)) == Self.refused && cwt(texts([aud])) == Self.refused, "\(aud)")
        }
        // Where the entry has no names for this gate, no name is ours; nobody is no name either.
        #expect(try jwt(quoted(Self.ours), audiences: nil) == Self.refused)
        #expect(try cwt(text(Self.ours), audiences: nil) == Self.refused)
        #expect(try jwt("[]") == Self.refused && cwt([0x80]) == Self.refused)
    }

    @Test func malformed() throws {
        for aud in ["1", "null", "true", "{}", "[1]", #"["https://gate.example",1]"#, "[[]]"] {
            #expect(try jwt(aud) == ["payload-malformed"], "\(aud)")
        }
        for aud: [UInt8] in [[0x01], [0xF6], [0xA0], [0x81, 0x01], [0x41, 0x61]] {
            #expect(try cwt(aud) == ["payload-malformed"], "\(aud)")
        }
    }

    @Test("a holder cannot keep back whom a credential is for")
    func disclosed() throws {
        #expect(try jwt(nil) { $0.disclose([#"["c2FsdA","aud","https://gate.example"]"#]) } == ["claim-name-refused"])
        #expect(try jwt(quoted(Self.theirs)) { $0.set("exp", "1") } == ["expired", "audience-mismatch"])
    }

    @Test func entries() throws {
        for members in ["[]", "1", #""https://gate.example""#, #"[""]"#, #"["a","a"]"#] {
            var trust = TestTrust()
            trust.members["audiences"] = members
            #expect(throws: TrustError.self, "\(members)") { try trust.store() }
        }
    }
}
