import Foundation
import JSON
import Testing

@testable import Credentials
@testable import Trust

/// JSON-LD credentials with our own keys, from the octets to the verdict: whose they are and for what they are believed.
@Suite struct LinkedCredentialTests {
    static let now = TestCredential.now
    static let suites: [LinkedProofSuite] = [.eddsaRDFC2022, .ed25519Signature2020, .eddsaJCS2022]

    private func verdict(
        _ credential: TestLinkedCredential, at time: Int64 = now, keys: [(String, TestKey)]? = nil,
        _ change: (inout TestIssuers) -> Void = { _ in }
    ) throws -> Verdict {
        var issuers = TestIssuers(keys: keys ?? [(TestLinkedCredential.method, .ed25519)])
        change(&issuers)
        return try issuers.verifier().verify(try credential.signed(), at: time)
    }

    private func reasons(_ suite: LinkedProofSuite = .eddsaRDFC2022, at time: Int64 = now, _ change: (inout TestLinkedCredential) -> Void)
        throws -> [RejectReason]
    {
        var credential = TestLinkedCredential(suite)
        change(&credential)
        return try verdict(credential, at: time).reasons
    }

    @Test(arguments: suites) func good(_ suite: LinkedProofSuite) throws {
        let credential = try #require(try verdict(TestLinkedCredential(suite)).credential)
        let isJSON = suite == .eddsaJCS2022
        #expect(credential.issuer == TestLinkedCredential.issuer && credential.keyID == TestLinkedCredential.method)
        #expect(credential.type == (isJSON ? "NationalID" : TestLinkedCredential.type) && credential.claim(.fullName)?.string == "Ann")
        #expect(credential.notes == [] && credential.uncovered == [] && credential.status == .unstated)
        let options: ProofRecord.Options = isJSON ? .canonicalJSON : suite == .ed25519Signature2020 ? .securityV3 : .document
        #expect(credential.proof == ProofRecord(suite: suite.name, algorithm: .edDSA, options: options, created: Self.now - 1000))
    }

    @Test(arguments: [
        (LinkedProofSuite.ecdsaRDFC2019, TestKey.Kind.p256), (.ecdsaRDFC2019, .p384), (.ecdsaJCS2019, .p256),
        (.ecdsaSecp256r1Signature2019, .p256),
    ])
    func curves(_ suite: LinkedProofSuite, _ kind: TestKey.Kind) throws {
        let key = TestKey(kind), credential = TestLinkedCredential(suite, key: key)
        #expect(try verdict(credential, keys: [(TestLinkedCredential.method, key)]).isAccept)
        #expect(try verdict(credential, keys: [(TestLinkedCredential.method, TestKey(kind))]).reasons == [.signatureInvalid])
        #expect(try verdict(credential, keys: [(TestLinkedCredential.method, .ed25519)]).reasons == [.keyMismatch])
    }

    // MARK: Whose it is

    @Test(arguments: suites) func keyOfAnotherIssuer(_ suite: LinkedProofSuite) throws {
        var credential = TestLinkedCredential(suite, key: .otherEd25519)
        #expect(try verdict(credential).reasons == [.signatureInvalid])
        credential.method = TestIssuers.other + "#key-1"
        #expect(try verdict(credential).reasons == [.keyUnknown])
        credential.set("issuer", quoted(TestIssuers.other))
        #expect(try verdict(credential).credential?.issuer == TestIssuers.other)
        credential = TestLinkedCredential(suite)
        credential.set("issuer", quoted(TestIssuers.other))
        #expect(try verdict(credential).reasons == [.keyUnknown])
        credential.set("issuer", quoted("https://nobody.example"))
        #expect(try verdict(credential).reasons == [.issuerUnknown])
        for method in [
            "https://issuer.example#key-10", "https://issuer.example#key-1/", "https://issuer.example#KEY-1", "https://issuer.example",
        ] {
            credential = TestLinkedCredential(suite)
            credential.method = method
            #expect(try verdict(credential).reasons == [.keyUnknown])
        }
    }

    @Test(arguments: suites) func issuerObject(_ suite: LinkedProofSuite) throws {
        let name = suite == .eddsaJCS2022 ? "name" : "fullName"
        func object(_ id: String) -> String { #"{"id":"\#(id)","\#(name)":"Ministry"}"# }
        // Inji's rules, which are kept, have no issuer objects: whatever they say, the issuer is read.
        for (id, expected) in [
            (TestLinkedCredential.issuer, RejectReason?.none), (TestIssuers.other, .keyUnknown), ("https://nobody.example", .issuerUnknown),
        ] {
            let found = try reasons(suite) { $0.set("issuer", object(id)) }.filter { if case .credentialRule = $0 { false } else { true } }
            #expect(found == (expected.map { [$0] } ?? []))
        }
        for issuer in ["{}", #"{"name":"x"}"#, #"{"id":7}"#, list([TestLinkedCredential.issuer]), "null", "7"] {
            #expect(throws: Never.self) {
                try #require(
                    try !TestIssuers().verifier().verify(
                        Array(
                            TestLinkedCredential(suite).text(proof: "{}").replacing(quoted(TestLinkedCredential.issuer), with: issuer).utf8),
                        at: Self.now
                    ).isAccept)
            }
        }
    }

    /// A signer trusted for itself who writes one issuer for the reader and signs another.
    @Test func issuerByAnotherName() throws {
        func reasons(_ terms: String, _ members: [(String, String)]) throws -> [RejectReason] {
            try self.reasons {
                $0.context = $0.context.dropLast() + ",\(terms)]"
                for member in members { $0.set(member.0, member.1) }
            }
        }
        let other = quoted(TestIssuers.other)
        #expect(
            try reasons(#"{"issuer":{"@id":"urn:x:issuer","@type":"@id"},"y":{"@id":"cred:issuer","@type":"@id"}}"#, [("y", other)]) == [
                .issuerMismatch
            ])
        #expect(try reasons(#"{"y":{"@id":"cred:issuer","@type":"@id"}}"#, [("y", other)]) == [.issuerMismatch])
        #expect(try reasons(#"{"issuer":{"@id":"urn:x:issuer","@type":"@id"}}"#, []) == [.issuerMismatch])
        #expect(try reasons(#"{"issuer":"cred:issuer"}"#, []) == [.issuerMismatch], "a text that looks like the issuer is not the issuer")
        #expect(try reasons(#"{"issuer":null,"y":{"@id":"cred:issuer","@type":"@id"}}"#, [("y", other)]).isEmpty == false)
    }

    @Test(arguments: suites) func keysThatAreIdentifiers(_ suite: LinkedProofSuite) throws {
        let didKey = "did:key:z" + base58([0xED, 0x01] + (try TestKey.ed25519.component("x"))),
            didJWK = "did:jwk:" + base64URL(TestKey.ed25519.jwk)
        for (id, method) in [(didKey, didKey + "#" + didKey.dropFirst(8)), (didJWK, didJWK + "#0")] {
            var credential = TestLinkedCredential(suite)
            credential.method = method
            credential.set("issuer", quoted(id))
            #expect(try verdict(credential).reasons == [.issuerUnknown])
            #expect(
                try verdict(credential) {
                    $0.first.members["ids"] = list([id])
                    $0.first.members["keys"] = nil
                }.credential?.keyID == method)
            credential.set("issuer", quoted(TestLinkedCredential.issuer))
            #expect(try verdict(credential).reasons == [.keyUnknown])
            #expect(try verdict(credential) { $0.first.members["ids"] = list([TestLinkedCredential.issuer, id]) }.isAccept)
            // Listed, but as another issuer's.
            #expect(try verdict(credential) { $0.second?.members["ids"] = list([TestIssuers.other, id]) }.reasons == [.keyUnknown])
            credential.method = id + "#1"
            #expect(try verdict(credential) { $0.first.members["ids"] = list([TestLinkedCredential.issuer, id]) }.reasons == [.keyUnknown])
        }
    }

    // MARK: For what it is trusted

    @Test(arguments: suites) func trust(_ suite: LinkedProofSuite) throws {
        let credential = TestLinkedCredential(suite), jwk = TestKey.ed25519.jwk
        func reasons(_ member: String, _ json: String) throws -> [RejectReason] {
            try verdict(credential) { $0.first.members[member] = json }.reasons
        }
        #expect(try reasons("forms", list(["sd_jwt", "cwt"])) == [.formNotTrusted])
        #expect(try reasons("suites", list(LinkedProofSuite.allCases.filter { $0 != suite }.map(\.name))) == [.suiteNotTrusted])
        #expect(try reasons("algorithms", list(["ES256", "PS256"])) == [.algorithmNotTrusted])
        #expect(try reasons("types", list(["urn:other"])) == [.typeNotTrusted])
        for (window, expected): (String, [RejectReason]) in [
            (#""notAfter":\#(TestLinkedCredential.date(0))"#, [.keyNotCurrent]),
            (#""notBefore":\#(TestLinkedCredential.date(1))"#, [.keyNotCurrent]),
            (#""notBefore":\#(TestLinkedCredential.date(0)),"notAfter":\#(TestLinkedCredential.date(1))"#, []),
        ] {
            #expect(try reasons("keys", #"[{"kid":"\#(TestLinkedCredential.method)","jwk":\#(jwk),\#(window)}]"#) == expected)
        }
    }

    /// One RSA key makes signatures of two kinds; the trust file may believe in one of them.
    @Test func algorithmOfTheKey() throws {
        func verdict(_ algorithm: String, pinned: String?) throws -> Verdict {
            var credential = TestLinkedCredential(.rsaSignature2018, key: .rsa)
            credential.header = #"{"alg":"\#(algorithm)","b64":false,"crit":["b64"]}"#
            let jwk = TestKey.rsa.jwk.dropLast() + (pinned.map { #","alg":"\#($0)"}"# } ?? "}")
            return try self.verdict(credential) {
                $0.first.members["keys"] = #"[{"kid":"\#(TestLinkedCredential.method)","jwk":\#(jwk)}]"#
                $0.first.members["algorithms"] = list(["PS256", "RS256"])
            }
        }
        for algorithm in ["PS256", "RS256"] {
            #expect(try verdict(algorithm, pinned: nil).credential?.proof?.algorithm.rawValue == algorithm)
            #expect(try verdict(algorithm, pinned: algorithm).isAccept)
        }
        #expect(
            try verdict("RS256", pinned: "PS256").reasons == [.keyMismatch] && verdict("PS256", pinned: "RS256").reasons == [.keyMismatch])
    }

    @Test func types() throws {
        #expect(try reasons { $0.set("type", list(["VerifiableCredential", "NationalID", "urn:other"])) } == [])
        #expect(try reasons { $0.set("type", list(["VerifiableCredential", "urn:other"])) } == [.typeNotTrusted])
        // The right name for something else.
        #expect(try reasons { $0.context = $0.context.dropLast() + #",{"NationalID":"urn:other"}]"# } == [.typeNotTrusted])
        var unsigned = TestLinkedCredential()
        unsigned.set("type", list(["VerifiableCredential", "NationalID", "Relative"]))
        #expect(try verdict(unsigned).credential?.notes == [.typeNotSigned])
        unsigned.set("type", list(["VerifiableCredential", "Relative"]))
        #expect(try verdict(unsigned) { $0.first.members["types"] = list(["Relative"]) }.reasons == [.typeNotTrusted])
        // The type of the subject is not the type of the credential.
        #expect(
            try reasons {
                $0.set("type", list(["VerifiableCredential"]))
                $0.set("credentialSubject", #"{"id":"urn:example:ann","type":"NationalID","fullName":"Ann"}"#)
            } == [.typeNotTrusted])
    }

    /// A status list is signed with the same key and is there for everybody to fetch.
    @Test(arguments: [StatusScheme.rdfc, .legacy, .jcs]) func statusListIsNoCredential(_ scheme: StatusScheme) throws {
        let general = "https://www.w3.org/2018/credentials#VerifiableCredential"
        func verdict(_ bytes: [UInt8]) throws -> Verdict {
            var issuers = TestIssuers()
            issuers.first.members["types"] = list([general, "VerifiableCredential", TestLinkedCredential.type])
            issuers.first.members["requires"] = list(["fullName"])
            return try issuers.verifier().verify(bytes, at: Self.now)
        }
        #expect(try verdict(try TestLinkedCredential(scheme.suite ?? .eddsaRDFC2022).signed()).isAccept)
        #expect(try verdict(try TestStatusList().bytes(scheme)).reasons == [.typeNotTrusted])
        for types in [["VerifiableCredential"], ["VerifiableCredential", "NationalID"]] {
            var other = TestStatusList().credential(scheme)
            other.set("type", list(types))
            #expect(try verdict(try other.signed()).reasons == [.typeNotTrusted])
        }
        // Nor by other names for the same types.
        guard scheme != .jcs else { return }
        let honest = TestStatusList().credential(scheme), proof = try honest.signedProof(),
            own = scheme == .legacy ? "StatusList2021" : "BitstringStatusList"
        var renamed = honest
        renamed.context = honest.context.dropLast() + #",{"A":"st:\#(own)Credential","B":"st:\#(own)"}]"#
        renamed.set("type", list(["VerifiableCredential", "A"]))
        let text = renamed.text(proof: proof).replacing("\"type\":\"\(own)\"", with: "\"type\":\"B\"")
        #expect(try verdict(Array(text.utf8)).reasons == [.typeNotTrusted])
    }

    // MARK: Dates and proofs

    @Test(arguments: suites) func dates(_ suite: LinkedProofSuite) throws {
        let from = suite.isDataIntegrity ? "validFrom" : "issuanceDate", until = suite.isDataIntegrity ? "validUntil" : "expirationDate"
        let early: RejectReason = suite.isDataIntegrity ? .notYetValid : .issuedInFuture
        func reasons(_ name: String, _ json: String?) throws -> [RejectReason] { try self.reasons(suite) { $0.set(name, json) } }
        #expect(try reasons(until, TestLinkedCredential.date(0)) == [.expired] && reasons(until, TestLinkedCredential.date(1)) == [])
        #expect(try reasons(from, TestLinkedCredential.date(300)) == [] && reasons(from, TestLinkedCredential.date(301)) == [early])
        for text in [quoted("tomorrow"), quoted("2026-13-01T00:00:00Z"), quoted("")] {
            #expect(try reasons(until, text).contains(.timeMalformed))
        }
        var endless = TestLinkedCredential(suite)
        endless.set(until, nil)
        #expect(try verdict(endless).credential?.notes == [.neverExpires])
        guard suite != .eddsaJCS2022 else { return }
        // Of several ends the first counts, and none is overlooked by being called otherwise.
        #expect(
            try self.reasons(suite) {
                $0.set(
                    "cred:" + until, #"{"@value":\#(TestLinkedCredential.date(-1)),"@type":"http://www.w3.org/2001/XMLSchema#dateTime"}"#)
            } == [.expired])
    }

    @Test(arguments: suites) func proofs(_ suite: LinkedProofSuite) throws {
        let verifier = try TestIssuers().verifier(), good = TestLinkedCredential(suite), proof = try good.signedProof()
        var stranger = TestLinkedCredential(suite, key: .otherEd25519)
        stranger.method = "https://nobody.example#key"
        let foreign = try stranger.signedProof()
        var forged = TestLinkedCredential(suite, key: .otherEd25519)
        forged.method = TestLinkedCredential.method
        let wrong = try forged.signedProof()
        func reasons(_ proof: String?) -> [RejectReason] {
            verifier.verify(Array(good.text(proof: proof).utf8), at: Self.now).reasons.filter {
                if case .credentialRule = $0 { false } else { true }
            }
        }
        #expect(reasons("[\(proof)]") == [] && reasons("[\(foreign),\(proof)]") == [] && reasons("[\(proof),\(foreign)]") == [])
        #expect(reasons("[\(foreign)]") == [.keyUnknown] && reasons("[\(wrong)]") == [.signatureInvalid])
        #expect(!reasons(nil).isEmpty && !reasons("[]").isEmpty && !reasons("{}").isEmpty && !reasons("null").isEmpty)
        var authentication = TestLinkedCredential(suite)
        authentication.proof =
            authentication.proof.map { $0.0 == "proofPurpose" ? ($0.0, quoted("assertionMethod")) : $0 } + [
                ("expires", TestLinkedCredential.date(0))
            ]
        let ended = try authentication.signedProof()
        #expect(reasons(ended) == [.proofExpired])
    }

    /// Whichever octet is changed, an accepted credential still says what was signed.
    @Test(arguments: suites) func mutants(_ suite: LinkedProofSuite) throws {
        let verifier = try TestIssuers().verifier(), message = try TestLinkedCredential(suite).signed()
        let signed = try #require(verifier.verify(message, at: Self.now).credential)
        for position in message.indices {
            var mutant = message
            mutant[position] = [message[position] ^ 1, message[position] ^ 0x20, 0x22][position % 3]
            guard let found = verifier.verify(mutant, at: Self.now).credential else { continue }
            #expect(
                found.claims.root.source == signed.claims.root.source && found.type == signed.type && found.validity == signed.validity,
                "octet \(position)")
        }
    }
}
