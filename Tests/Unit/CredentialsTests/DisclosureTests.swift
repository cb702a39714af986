import Credentials
import Cryptography
import Testing

/// RFC 9901 sections 4.2 and 7.1, rule by rule.
@Suite struct DisclosureTests {
    private func bare(_ members: (String, String)...) -> TestCredential {
        var credential = TestCredential()
        credential.disclosures = []
        credential.set("_sd", nil)
        credential.set("plain", nil)
        credential.set("nested", nil)
        for (name, value) in members { credential.set(name, value) }
        return credential
    }

    /// The claims beyond those every test credential has, as JSON text.
    private func claims(_ credential: TestCredential) throws -> String {
        let verdict = try verdict(credential)
        let verified = try #require(verdict.credential, "\(verdict.reasons)")
        let members = verified.claims.root.members?.filter { !["iss", "vct", "iat", "exp"].contains($0.name) } ?? []
        return "{" + members.map { "\(quoted($0.name)):\(String(decoding: $0.value.source, as: UTF8.self))" }.joined(separator: ",") + "}"
    }

    private func reasons(_ credential: TestCredential) throws -> [RejectReason] { try verdict(credential).reasons }

    @Test(arguments: [DigestAlgorithm.sha256, .sha384, .sha512])
    func digestAlgorithms(_ algorithm: DigestAlgorithm) throws {
        let disclosure = base64URL(#"["salt","a",1]"#)
        let name = "sha-\(algorithm.byteCount * 8)"
        var credential = bare(("_sd_alg", quoted(name)), ("_sd", list([digest(disclosure, algorithm)])))
        credential.disclosures = [disclosure]
        #expect(try claims(credential) == #"{"a":1}"#)
    }

    @Test func recursiveObjectsAndArrays() throws {
        let leaf = base64URL(#"["s1","street","Main"]"#)
        let object = base64URL(#"["s2","address",{"_sd":["\#(digest(leaf))"],"country":"DE"}]"#)
        let element = base64URL(#"["s3",{"code":"B","_sd":[]}]"#)
        let inner = base64URL(#"["s4",[{"...":"\#(digest(element))"},"x"]]"#)
        var credential = bare(
            ("_sd", list([digest(object), digest("decoy")])),
            ("list", #"[{"...":"\#(digest(inner))"},{"...":"\#(digest("another decoy"))"},{"k":1},[],7]"#))
        credential.disclosures = [leaf, object, element, inner]
        #expect(try claims(credential) == #"{"list":[[{"code":"B"},"x"],{"k":1},[],7],"address":{"country":"DE","street":"Main"}}"#)
        // Order on the wire means nothing.
        credential.disclosures.reverse()
        #expect(try claims(credential).contains(#""street":"Main""#))
        // A parent kept back takes its children with it: the child is then unreferenced.
        credential.disclosures = [leaf]
        #expect(try reasons(credential) == [.disclosureUnreferenced])
        credential.disclosures = []
        #expect(try claims(credential) == #"{"list":[{"k":1},[],7]}"#)
    }

    @Test func receivedTextIsDigested() throws {
        // Spaces, escapes and member order in the disclosure are the issuer's own.
        let disclosure = base64URL(" [ \"s\\u0061lt\" ,\n\"n\\u0061me\" , {\"b\":1.0,\"a\":1e0} ] ")
        var credential = bare(("_sd", list([digest(disclosure)])))
        credential.disclosures = [disclosure]
        #expect(try claims(credential) == #"{"name":{"b":1.0,"a":1e0}}"#)
        // The same content encoded otherwise has no digest.
        credential.disclosures = [base64URL(#"["salt","name",{"b":1.0,"a":1e0}]"#)]
        #expect(try reasons(credential) == [.disclosureUnreferenced])
    }

    @Test(
        arguments: [
            (#"["s","a",1,2]"#, .disclosureMalformed), (#"["s"]"#, .disclosureMalformed), ("[]", .disclosureMalformed),
            (#"{"s":1}"#, .disclosureMalformed), (#""s""#, .disclosureMalformed),
            (#"["s",1,2]"#, .disclosureMalformed), (#"[1,"a",2]"#, .disclosureMalformed), (#"[null,2]"#, .disclosureMalformed),
            (#"["s","a",{"x":1,"x":2}]"#, .disclosureMalformed),
            (#"["s","a",01]"#, .disclosureMalformed), ("", .compactMalformed), (#"["s",1]"#, .disclosureMisplaced),
            (#"["s","_sd",[]]"#, .claimNameRefused), (#"["s","...","x"]"#, .claimNameRefused),
            (#"["s","expirationDate","2099-01-01T00:00:00Z"]"#, .claimNameRefused),
            (#"["s","validUntil","2099-01-01T00:00:00Z"]"#, .claimNameRefused),
            (#"["s","validFrom","2000-01-01T00:00:00Z"]"#, .claimNameRefused),
            (#"["s","issuanceDate","2000-01-01T00:00:00Z"]"#, .claimNameRefused),
            (#"["s","_sd_alg","sha-256"]"#, .claimNameRefused), (#"["s","\u005fsd",[]]"#, .claimNameRefused),
            (#"["s","exp",99999999999]"#, .claimNameRefused), (#"["s","iss","x"]"#, .claimNameRefused),
            (#"["s","vct","x"]"#, .claimNameRefused), (#"["s","cnf",{}]"#, .claimNameRefused), (#"["s","nbf",1]"#, .claimNameRefused),
            (#"["s","status",{}]"#, .claimNameRefused),
            (#"["s","vct#integrity","x"]"#, .claimNameRefused), (#"["s","iat",1]"#, .claimNameRepeated),
            (#"["s","plain",1]"#, .claimNameRepeated), (#"["s","pl\u0061in",1]"#, .claimNameRepeated),
            (#"["s","a",{"_sd":1}]"#, .digestMalformed), (#"["s","a",{"_sd":[1]}]"#, .digestMalformed),
            (#"["s","a",{"...":"x"}]"#, .digestMalformed), (#"["s","a",[{"...":1}]]"#, .digestMalformed),
            (#"["s","a",[{"...":"x","y":1}]]"#, .digestMalformed), (#"["s","a",{"_sd_alg":"sha-256"}]"#, .digestMalformed),
            (#"["s","a",[[[{"_sd":{}}]]]]"#, .digestMalformed),
            (#"["s","a",{"\u005fsd":"x"}]"#, .digestMalformed),
        ] as [(String, RejectReason)])
    func badDisclosures(_ disclosure: String, _ reason: RejectReason) throws {
        var credential = bare(("plain", "1"), ("_sd", list([digest(base64URL(disclosure))])))
        credential.disclosures = [base64URL(disclosure)]
        #expect(try reasons(credential) == [reason])
    }

    @Test func digestsAreGoodForOnePlace() throws {
        let a = base64URL(#"["s","a",1]"#), element = base64URL(#"["s",1]"#)
        func with(_ disclosures: [String], _ members: (String, String)...) -> TestCredential {
            var credential = bare()
            for (name, value) in members { credential.set(name, value) }
            credential.disclosures = disclosures
            return credential
        }
        #expect(try reasons(with([a], ("_sd", list([digest(a), digest(a)])))) == [.digestRepeated])
        #expect(try reasons(with([a], ("_sd", list([digest(a)])), ("o", #"{"_sd":["\#(digest(a))"]}"#))) == [.digestRepeated])
        // Even a decoy may not occur twice.
        #expect(try reasons(with([], ("_sd", list([digest("x")])), ("l", #"[{"...":"\#(digest("x"))"}]"#))) == [.digestRepeated])
        #expect(try reasons(with([element], ("_sd", list([digest(element)])))) == [.disclosureMisplaced])
        #expect(try reasons(with([a], ("l", #"[{"...":"\#(digest(a))"}]"#))) == [.disclosureMisplaced])
        #expect(try reasons(with([a])) == [.disclosureUnreferenced])
        #expect(try reasons(with([a, a], ("_sd", list([digest(a)])))) == [.disclosureRepeated])
        // Two disclosures of one name under one object; under two objects it is fine.
        let b = base64URL(#"["t","a",2]"#)
        #expect(try reasons(with([a, b], ("_sd", list([digest(a), digest(b)])))) == [.claimNameRepeated])
        #expect(try claims(with([a, b], ("_sd", list([digest(a)])), ("o", #"{"_sd":["\#(digest(b))"]}"#))) == #"{"o":{"a":2},"a":1}"#)
    }

    @Test func depthAndSize() throws {
        // Thirty levels of disclosures inside each other: deeper than any text alone may be.
        var disclosures: [String] = [base64URL(#"["s","leaf",1]"#)]
        for level in 0..<40 { disclosures.append(base64URL(#"["s","l\#(level)",{"_sd":["\#(digest(disclosures[level]))"]}]"#)) }
        var credential = bare(("_sd", list([digest(disclosures[40])])))
        credential.disclosures = disclosures
        #expect(try reasons(credential) == [.tooComplex])

        let many = (0..<1025).map { base64URL(#"["s","n\#($0)",1]"#) }
        credential = bare(("_sd", list(many.map { digest($0) })))
        credential.disclosures = many
        #expect(try reasons(credential) == [.tooComplex])
        credential.disclosures = Array(many.prefix(1024))
        #expect(try reasons(credential) == [])
        let wide = base64URL(#"["s","w",[\#(String(repeating: "0,", count: 25_000))0]]"#)
        credential = bare(("_sd", list([digest(wide)])))
        credential.disclosures = [wide]
        #expect(try reasons(credential) == [.tooComplex])
    }

    @Test func largePortrait() throws {
        let image = String(repeating: "A", count: 474_000)
        let disclosure = base64URL(#"["s","portrait","\#(image)"]"#)
        var credential = bare(("_sd", list([digest(disclosure)])))
        credential.disclosures = [disclosure]
        #expect(try verdict(credential).credential?.portrait == image)
    }
}

@Suite struct KeyBindingTests {
    private func credential(_ change: (inout TestCredential) -> Void) -> TestCredential {
        var credential = TestCredential()
        change(&credential)
        return credential
    }

    @Test(arguments: [TestKey.ed25519, .p256, .secp256k1, .rsa])
    func goodBindings(_ holder: TestKey) throws {
        #expect(try verdict(credential { $0.bind(holder: holder) }).credential?.notes == [.keyBindingNotFresh])
        let did = "did:jwk:" + base64URL(holder.jwk)
        #expect(
            try verdict(credential { $0.bind(holder: holder, confirmation: #"{"kid":"\#(did)#0"}"#) }).credential?.notes == [
                .keyBindingNotFresh
            ])
        #expect(try verdict(credential { $0.bind(holder: holder, confirmation: #"{"kid":"\#(did)=="}"#) }).isAccept)
    }

    @Test func badBindings() throws {
        #expect(try verdict(credential { $0.bind(holder: .p256, signer: .otherP256) }).reasons == [.keyBindingSignatureInvalid])
        #expect(try verdict(credential { $0.bind(holder: .p256, signer: .ed25519) }).reasons == [.keyBindingKeyMissing])
        #expect(try verdict(credential { $0.bind(holder: .p256, type: "JWT") }).reasons == [.keyBindingMalformed])
        #expect(try verdict(credential { $0.bind(holder: .p256, hash: digest("other")) }).reasons == [.keyBindingHashMismatch])
        #expect(try verdict(credential { $0.bind(holder: .p256, payload: #""aud":"a","nonce":"n""#) }).reasons == [.keyBindingMalformed])
        #expect(try verdict(credential { $0.bind(holder: .p256, payload: #""iat":1,"nonce":"n""#) }).reasons == [.keyBindingMalformed])
        #expect(try verdict(credential { $0.bind(holder: .p256, payload: #""iat":1,"aud":"a""#) }).reasons == [.keyBindingMalformed])
        for confirmation in [
            "{}", "[]", #"{"jwk":1}"#, #"{"jwk":{"kty":"EC"}}"#, #"{"kid":"key-1"}"#, #"{"kid":"did:jwk:!"}"#, #"{"kid":"did:jwk:e30"}"#,
        ] {
            #expect(try verdict(credential { $0.bind(holder: .p256, confirmation: confirmation) }).reasons == [.keyBindingKeyMissing])
        }
        // A disclosure taken away after the holder signed.
        var cut = credential { $0.bind(holder: .p256) }
        let parts = (cut.fixed ?? "").split(separator: "~")
        cut.fixed = parts.dropLast().map { $0 + "~" }.joined()
        #expect(try verdict(cut).reasons == [.keyBindingHashMismatch])
        // Not a JWT at all.
        for text in ["x", "a.b.c", "..", "a.b.c.d", "AAAA~"] {
            #expect(try !verdict(credential { $0.keyBinding = text }).isAccept)
        }
    }
}
