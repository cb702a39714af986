import CBOR
import Credentials
import Cryptography
import Testing
import Trust

/// Names of algorithms that came later: fully specified ones (RFC 9864), SHA-3 for disclosures (IANA's named information hash algorithms).
@Suite struct AlgorithmNameTests {
    private func codes(_ verdict: Verdict) -> [String] { verdict.reasons.map(\.code) }

    private func jwt(_ name: String, key: TestKey = .ed25519, algorithms: [String] = ["EdDSA"], jwk: String? = nil) throws -> [String] {
        var credential = TestCredential(key: key), trust = TestTrust(keys: [("key-1", key)])
        credential.header["alg"] = quoted(name)
        trust.members["algorithms"] = list(algorithms)
        if let jwk { trust.members["keys"] = #"[{"kid":"key-1","jwk":\#(jwk)}]"# }
        return codes(try verdict(credential, trust: trust))
    }

    @Test("Ed25519 is what EdDSA is with such a key, under either name")
    func ed25519() throws {
        for name in ["EdDSA", "Ed25519"] {
            for allowed in ["EdDSA", "Ed25519"] { #expect(try jwt(name, algorithms: [allowed]) == [], "\(name) \(allowed)") }
            #expect(try jwt(name, algorithms: ["ES256"]) == ["algorithm-not-trusted"])
            #expect(try jwt(name, key: .p256, algorithms: ["EdDSA", "ES256"]) == ["key-mismatch"])
        }
        for name in ["Ed448", "ed25519", "Ed25519 ", "ED25519", "ESP256"] { #expect(try jwt(name) == ["algorithm-refused"], "\(name)") }
        let limited = TestKey.ed25519.jwk.replacing(#""kty""#, with: #""alg":"Ed25519","kty""#)
        #expect(try jwt("Ed25519", jwk: limited) == [] && jwt("EdDSA", jwk: limited) == [])
        #expect(try jwt("EdDSA", algorithms: ["EdDSA", "Ed25519"]) == [] && jwt("Ed25519", algorithms: ["EdDSA", "Ed25519"]) == [])
        #expect(throws: TrustError.self) { try jwt("EdDSA", algorithms: ["Ed25519", "Ed25519"]) }
        #expect(throws: TrustError.self) { try jwt("EdDSA", algorithms: ["Ed448"]) }
        #expect(throws: TrustError.self) { try jwt("EdDSA", jwk: limited.replacing("Ed25519\",\"kty", with: "Ed448\",\"kty")) }
    }

    private func cwt(_ number: Int64, key: TestKey) throws -> [String] {
        let issuers = TestIssuers(keys: [(TestLinkedCredential.method, key)])
        let protected = try CBORWriter.encode {
            $0.map { map in
                map.entry(1) { $0.integer(number) }
                map.entry(4) { $0.bytes(Array(TestLinkedCredential.method.utf8)) }
            }
        }
        var cose = TestCOSE(protected: protected)
        cose.payload = try TestToken().claims()
        return codes(try issuers.verifier().verify(cose.sign1(key), at: TestCredential.now))
    }

    @Test("COSE's numbers for Ed25519, and for ECDSA with one curve each")
    func numbers() throws {
        for (number, key) in [(-8, TestKey.ed25519), (-19, .ed25519), (-7, .p256), (-9, .p256), (-35, .p384), (-51, .p384)]
            as [(Int64, TestKey)]
        {
            #expect(try cwt(number, key: key) == [], "\(number)")
        }
        for (number, key) in [(-19, TestKey.p256), (-9, .ed25519), (-9, .p384), (-51, .p256)] as [(Int64, TestKey)] {
            #expect(try cwt(number, key: key) == ["key-mismatch"], "\(number)")
        }
        for number: Int64 in [-53, -52, -10, -18, -20, 19, 9, -36] {
            #expect(try cwt(number, key: .ed25519) == ["algorithm-refused"], "\(number)")
        }
    }

    private func disclosing(_ name: String, _ algorithm: DigestAlgorithm) throws -> TestCredential {
        var credential = TestCredential()
        credential.disclosures = [base64URL(#"["c2FsdA","given_name","Erika"]"#)]
        credential.set("_sd", list([digest(credential.disclosures[0], algorithm)]))
        credential.set("_sd_alg", quoted(name))
        return credential
    }

    @Test func disclosures() throws {
        for (name, algorithm) in [("sha3-256", DigestAlgorithm.sha3_256), ("sha3-384", .sha3_384), ("sha3-512", .sha3_512)] {
            let good = try verdict(disclosing(name, algorithm))
            #expect(good.credential?.claims.root["given_name"]?.isString("Erika") == true, "\(name) \(good.reasons)")
            var changed = try disclosing(name, algorithm)
            changed.disclosures = [base64URL(#"["c2FsdA","given_name","Erikb"]"#)]
            #expect(codes(try verdict(changed)) == ["disclosure-unreferenced"])
            // SHA-2 of the same length is another digest.
            let other: DigestAlgorithm = algorithm == .sha3_256 ? .sha256 : algorithm == .sha3_384 ? .sha384 : .sha512
            #expect(codes(try verdict(disclosing(name, other))) == ["disclosure-unreferenced"])
            var bound = try disclosing(name, algorithm)
            bound.bind(holder: .p256, hash: digest(bound.presentation(), algorithm))
            #expect(try !verdict(bound).reasons.contains(.keyBindingMalformed))
        }
        for name in ["sha3-224", "SHA3-256", "sha3256", "sha3-256 ", "sha-224", "sha-256-128", "md5"] {
            #expect(codes(try verdict(disclosing(name, .sha256))) == ["digest-algorithm-refused"], "\(name)")
        }
    }
}
