import CBOR
import Cryptography
import TestSupport
import Testing

@testable import Credentials
@testable import Envelopes
@testable import Trust

/// Tokens in codes: claim 169 on a card, without tags, encrypted; and what the same octets are to a gate that heard them.
@Suite struct CodeTokenTests {
    private static let now = TestCredential.now

    func verdict(_ octets: [UInt8], _ change: (inout TestIssuers) -> Void = { _ in }) throws -> Verdict {
        var issuers = TestIssuers()
        change(&issuers)
        let received = try #require(CodeContent(pixelPass(octets)).credential)
        return try issuers.verifier().verify(received, at: Self.now)
    }

    private func heard(_ octets: [UInt8]) throws -> Verdict { try TestIssuers().verifier().verify(octets, at: Self.now) }

    private func claims(_ identity: (inout CBORMapWriter) -> Void) throws -> [UInt8] {
        try CBORWriter.encode { writer in
            writer.map { map in
                map.entry(1) { $0.text(TestLinkedCredential.issuer) }
                map.entry(4) { $0.integer(Self.now + 1000) }
                map.entry(169) { $0.map { identity(&$0) } }
            }
        }
    }

    func card(_ identity: (inout CBORMapWriter) -> Void) throws -> [UInt8] { try TestToken().message(claims: claims(identity)) }

    // MARK: Wrapping

    @Test("tags 61 and 18, 18 alone, and none: the last one from a code only")
    func tags() throws {
        let tagged = try TestToken().message(), bare = Array(tagged.dropFirst())
        for octets in [tagged, [0xD8, 0x3D] + tagged, bare] {
            #expect(try verdict(octets).credential?.claim(.fullName)?.string == "Ann")
            let upper = CodeContent(Hex.text(octets).uppercased()).credential
            #expect((upper == nil) == (octets == bare), "hexadecimal says what it is by its tag")
        }
        #expect(try heard(bare).reasons == [.unsupportedForm(.unknown)])
        #expect(throws: RejectReason.payloadMalformed) { try CWT(bare) }
        // Under tag 61 the COSE tag is a must.
        #expect(try verdict([0xD8, 0x3D] + bare).reasons == [.payloadMalformed])
    }

    @Test("each algorithm, and its neighbour", arguments: [TestKey.Kind.ed25519, .p256, .p384])
    func algorithms(_ kind: TestKey.Kind) throws {
        let key = TestKey(kind), other = TestKey(kind)
        let octets = try TestToken { $0.key = key }.message()
        func pinned(_ key: TestKey) -> (inout TestIssuers) -> Void {
            { $0.first.members["keys"] = #"[{"kid":"\#(TestLinkedCredential.method)","jwk":\#(key.jwk)}]"# }
        }
        #expect(try verdict(octets, pinned(key)).isAccept)
        #expect(try verdict(octets, pinned(other)).reasons == [.signatureInvalid])
    }

    // MARK: Attributes

    @Test("every attribute has the name that people have for it, and any of them a role")
    func names() throws {
        let credential = try #require(
            try verdict(try card { map in for claim in 1...23 where claim != 16 { map.entry(Int64(claim)) { $0.text("v\(claim)") } } }) {
                $0.first.members["claims"] =
                    #"{"fullName":["fullName"],"givenName":["5"],"familyName":[["surname"],["lastName"]],"birthDate":["dateOfBirth"],"documentNumber":["id"]}"#
            }.credential)
        let labels = try #require(credential.labels)
        #expect(labels.map(\.label) == (1...23).filter { $0 != 16 }.map { "\($0)" })
        #expect(
            labels.map(\.name) == [
                "id", "version", "language", "fullName", "firstName", "middleName", "lastName", "dateOfBirth", "gender", "address", "email",
                "phone", "nationality", "maritalStatus", "guardian", "photoFormat", "bestQualityFingers", "secondaryFullName",
                "secondaryLanguage", "locationCode", "legalStatus", "countryOfIssuance",
            ])
        let roles: [(ClaimRole, String)] = [
            (.fullName, "v4"), (.givenName, "v5"), (.familyName, "v7"), (.birthDate, "v8"), (.documentNumber, "v1"),
        ]
        for (role, value) in roles { #expect(credential.claim(role)?.string == value) }
        #expect(credential.claim(.portrait) == nil)
        // An SD-JWT has no labels, and its paths are its own.
        let other = try #require(try TestTrust().verifier().verify(TestCredential().message, at: Self.now).credential)
        #expect(other.labels == nil)
    }

    @Test("an attribute that is none has no name")
    func unassigned() throws {
        let credential = try #require(
            try verdict(
                try card { map in
                    map.entry(24) { $0.text("a") }
                    map.entry(99) { $0.text("b") }
                    map.entry("04") { $0.text("c") }
                    map.entry("x") { $0.text("d") }
                }
            ).credential)
        #expect(credential.labels.map { $0.isEmpty } == true && credential.claims.root["99"]?.string == "b")
        #expect(credential.claim(.fullName) == nil, "04 is not 4")
    }

    @Test("a claim that is called by a name in the token itself: only where the number is not there")
    func unmapped() throws {
        func name(_ identity: (inout CBORMapWriter) -> Void) throws -> String? {
            try verdict(card(identity)) { $0.first.members["claims"] = #"{"fullName":["fullName"]}"# }.credential?.claim(.fullName)?.string
        }
        #expect(try name { $0.entry("fullName") { $0.text("Bea") } } == "Bea")
        let both = try name { map in
            map.entry("fullName") { $0.text("Bea") }
            map.entry(4) { $0.text("Ann") }
        }
        #expect(both == "Ann")
        #expect(try name { $0.entry("fullname") { $0.text("Bea") } } == nil)
    }

    @Test("biometrics are signed and not read, whatever they are")
    func biometrics() throws {
        let octets = try card { map in
            map.entry(4) { $0.text("Ann") }
            for claim in 50...65 {
                map.entry(Int64(claim)) { $0.array { $0.map { $0.entry(0) { $0.bytes([1, 2, 3]) } } } }
            }
        }
        let credential = try #require(try verdict(octets).credential)
        #expect(credential.claims.root.members?.count == 1 && credential.labels?.map(\.name) == ["fullName"])
        let deep = try card { map in
            map.entry(50) { writer in
                func nest(_ writer: inout CBORWriter, _ depth: Int) {
                    if depth > 0 { writer.array { nest(&$0, depth - 1) } } else { writer.undefined() }
                }
                nest(&writer, 20)
            }
        }
        #expect(try verdict(deep).isAccept && heard(deep).isAccept)
    }

    // MARK: Thumbprints

    /// `x5t` (RFC 9360 section 2), and the chain where there is one, unprotected.
    private func header(_ digest: [UInt8], _ algorithm: Int64 = -16, chain: TestCertificate? = nil) throws -> [UInt8] {
        try CBORWriter.encode {
            $0.map { map in
                if let chain { map.entry(33) { $0.bytes([UInt8](chain.der)) } }
                map.entry(34) {
                    $0.array {
                        $0.integer(algorithm)
                        $0.bytes(digest)
                    }
                }
            }
        }
    }

    @Test("a thumbprint has to be that of the certificate that signed")
    func thumbprints() throws {
        let root = TestKey(.p256), leaf = TestKey(.p256), name = "URI:\(TestLinkedCredential.issuer)"
        let authority = TestCertificate("root", key: root, issuer: "root", signer: root, names: nil)
        let good = TestCertificate("leaf", key: leaf, issuer: "root", signer: root, names: name)
        let other = TestCertificate("leaf", key: leaf, issuer: "root", signer: root, names: name)
        func reasons(_ unprotected: [UInt8], pinned: [TestCertificate], key: TestKey = leaf) throws -> [RejectReason] {
            let token = TestToken {
                $0.key = key
                $0.keyID = nil
                $0.unprotected = unprotected
            }
            return try verdict(token.message()) {
                $0.first.members["keys"] = nil
                let roots = pinned.map { quoted($0.pem.replacing("\n", with: "\\n")) }
                $0.first.members["x509"] = #"{"roots":[\#(roots.joined(separator: ","))]}"#
            }.reasons
        }
        for (number, algorithm): (Int64, DigestAlgorithm) in [(-16, .sha256), (-43, .sha384), (-44, .sha512)] {
            func digest(_ certificate: TestCertificate) throws -> [UInt8] { try Digest.hash([UInt8](certificate.der).span, algorithm) }
            #expect(try reasons(header(digest(good), number, chain: good), pinned: [authority]) == [])
            #expect(try reasons(header(digest(other), number, chain: good), pinned: [authority]) == [.certificateThumbprintMismatch])
            // Alone it names a certificate that is pinned itself.
            #expect(try reasons(header(digest(good), number), pinned: [authority, good]) == [])
            #expect(try reasons(header(digest(good), number), pinned: [authority, good], key: .otherP256) == [.signatureInvalid])
            #expect(try reasons(header(digest(good), number), pinned: [authority]) == [.keyUnknown])
            #expect(try reasons(header(Array(digest(good).dropLast()), number, chain: good), pinned: [authority]) == [.headerMalformed])
        }
        let sha256 = try Digest.hash([UInt8](good.der).span, .sha256)
        // As MOSIP's key manager writes it: octets alone.
        func alone(_ digest: [UInt8]) throws -> [UInt8] {
            try CBORWriter.encode {
                $0.map { map in
                    map.entry(33) { $0.bytes([UInt8](good.der)) }
                    map.entry(34) { $0.bytes(digest) }
                }
            }
        }
        #expect(try reasons(alone(sha256), pinned: [authority]) == [])
        #expect(try reasons(alone(Digest.hash([UInt8](other.der).span, .sha256)), pinned: [authority]) == [.certificateThumbprintMismatch])
        #expect(try reasons(alone(Array(sha256.dropLast())), pinned: [authority]) == [.headerMalformed])
        for number: Int64 in [-14, -15, -17, 0] {
            #expect(try reasons(header(sha256, number, chain: good), pinned: [authority]) == [.headerMalformed])
        }
        // Where a key id is pinned, that key decides.
        let odd = try header([1, 2, 3])
        #expect(try verdict(TestToken { $0.unprotected = odd }.message()).isAccept)
    }

    // MARK: Encryption

    private static func pinned(_ keys: [(String, [UInt8])]) -> (inout TestIssuers) -> Void {
        let texts = keys.map { #"{"kid":"\#($0.0)","k":"\#(base64URL($0.1))"}"# }
        return { $0.first.members["contentKeys"] = "[\(texts.joined(separator: ","))]" }
    }

    @Test("encrypted: refused by name without the key, read with it", arguments: [16, 24, 32])
    func encrypted(_ length: Int) throws {
        let key = [UInt8](repeating: 3, count: length)
        let sealed = TestSealed { $0.key = key }
        for token in [try TestToken().message(), try [0xD8, 0x3D] + TestToken().message(), Array(try TestToken().message().dropFirst())] {
            let octets = try sealed.message(token)
            #expect(try verdict(octets).reasons == [.encrypted])
            let credential = try #require(try verdict(octets, Self.pinned([("content", key)])).credential)
            #expect(credential.claim(.fullName)?.string == "Ann" && credential.keyID == TestLinkedCredential.method)
        }
        let octets = try sealed.message(TestToken().message())
        #expect(try verdict([0xD8, 0x3D] + octets, Self.pinned([("content", key)])).isAccept)
        var other = key
        other[0] ^= 1
        #expect(try verdict(octets, Self.pinned([("content", other)])).reasons == [.decryptionFailed])
        #expect(try verdict(octets, Self.pinned([("hex:636f6e74656e74", key)])).isAccept)
        for id in ["content2", "Content", "hex:00"] { #expect(try verdict(octets, Self.pinned([(id, key)])).reasons == [.encrypted]) }
        // A key of another length is another key.
        let longer = [UInt8](repeating: 3, count: length == 16 ? 32 : 16)
        #expect(try verdict(octets, Self.pinned([("content", longer)])).reasons == [.encrypted])
        // A wallet sends none: as it was.
        #expect(try heard(octets).reasons == [.unsupportedForm(.unknown)])
        #expect(try heard([0xD8, 0x3D] + octets).reasons == [.payloadMalformed])
    }

    @Test("without kid: those of that length are tried, and not more than a few")
    func withoutKeyID() throws {
        let key = TestSealed().key, octets = try TestSealed { $0.kid = nil }.message(TestToken().message())
        #expect(try verdict(octets, Self.pinned([("a", key)])).isAccept)
        #expect(try verdict(octets, Self.pinned([("a", key), ("b", [UInt8](repeating: 1, count: 16))])).isAccept)
        let others = (1...8).map { ("other \($0)", [UInt8](repeating: UInt8(100 + $0), count: 32)) }
        for place in 0...7 {
            var keys = Array(others.prefix(7))
            keys.insert(("a", key), at: place)
            #expect(try verdict(octets, Self.pinned(keys)).isAccept, "the \(place). of eight")
        }
        #expect(try verdict(octets, Self.pinned(Array(others.prefix(8)))).reasons == [.decryptionFailed])
        #expect(try verdict(octets, Self.pinned(others + [("a", key)])).reasons == [.keyIDMissing])
        #expect(try verdict(octets).reasons == [.encrypted])
    }

    @Test("the key of a rotation, and one that two issuers share: the signer's own entry has to have it")
    func sharedKey() throws {
        let key = TestSealed().key, octets = try TestSealed { $0.kid = nil }.message(TestToken().message())
        func entry(_ kid: String, _ key: [UInt8]) -> String { #"[{"kid":"\#(kid)","k":"\#(base64URL(key))"}]"# }
        let both = try verdict(octets) {
            $0.first.members["contentKeys"] = entry("a", key)
            $0.second?.members["contentKeys"] = entry("b", key)
        }
        #expect(both.isAccept)
        let foreign = try verdict(octets) { $0.second?.members["contentKeys"] = entry("b", key) }
        #expect(foreign.reasons == [.issuerMismatch])
    }

    @Test("a status, an end or a beginning under a text is not passed over; an unknown name is")
    func textLabels() throws {
        func verdict(_ name: String, _ value: (inout CBORWriter) -> Void) throws -> Verdict {
            let claims = try CBORWriter.encode { writer in
                writer.map { map in
                    map.entry(1) { $0.text(TestLinkedCredential.issuer) }
                    map.entry(169) { $0.map { $0.entry(4) { $0.text("Ann") } } }
                    map.entry(name) { value(&$0) }
                }
            }
            return try self.verdict(TestToken().message(claims: claims))
        }
        for name in ["status", "65535"] {
            let verdict = try verdict(name) { $0.map { $0.entry("status_list") { $0.map { $0.entry("idx") { $0.integer(1) } } } } }
            #expect(verdict.reasons.first?.code == "status-unknown", "\(verdict.reasons)")
        }
        for name in ["exp", "nbf", "iat", "4", "5", "6"] {
            #expect(try verdict(name) { $0.integer(Self.now - 1) }.reasons == [.timeMalformed], "\(name)")
        }
        for name in ["aud", "3"] {
            #expect(try verdict(name) { $0.text("https://other.example") }.reasons == [.payloadMalformed], "\(name)")
        }
        #expect(try verdict("level") { $0.integer(1) }.isAccept)
    }

    @Test("the W3C's dates and status beside numbers of a token's own are read as in JSON")
    func namesOfTheW3C() throws {
        func verdict(_ name: String, _ value: (inout CBORWriter) -> Void) throws -> Verdict {
            let claims = try CBORWriter.encode { writer in
                writer.map { map in
                    map.entry(1) { $0.text(TestLinkedCredential.issuer) }
                    map.entry(4) { $0.integer(Self.now + 1_000_000) }
                    map.entry(169) { $0.map { $0.entry(4) { $0.text("Ann") } } }
                    map.entry(name) { value(&$0) }
                }
            }
            return try self.verdict(TestToken().message(claims: claims))
        }
        for name in ["validUntil", "expirationDate"] {
            #expect(try verdict(name) { $0.text("2001-01-01T00:00:00Z") }.reasons == [.expired], "\(name)")
            #expect(try verdict(name) { $0.text("2101-01-01T00:00:00Z") }.isAccept, "\(name)")
        }
        for name in ["validFrom", "issuanceDate"] {
            #expect(try verdict(name) { $0.text("2101-01-01T00:00:00Z") }.reasons == [.notYetValid], "\(name)")
            #expect(try verdict(name) { $0.text("2001-01-01T00:00:00Z") }.isAccept, "\(name)")
        }
        for name in ["validUntil", "validFrom"] {
            #expect(try verdict(name) { $0.text("soon") }.reasons == [.timeMalformed], "\(name)")
            #expect(try verdict(name) { $0.integer(5) }.reasons == [.timeMalformed], "\(name)")
        }
        func entry(_ purpose: String) -> (inout CBORWriter) -> Void {
            { writer in
                writer.map { map in
                    map.entry("type") { $0.text("BitstringStatusListEntry") }
                    map.entry("statusPurpose") { $0.text(purpose) }
                    map.entry("statusListCredential") { $0.text("https://nobody.example/list") }
                    map.entry("statusListIndex") { $0.text("7") }
                }
            }
        }
        #expect(try verdict("credentialStatus", entry("revocation")).reasons.first?.code == "status-unknown")
        #expect(try verdict("credentialStatus", entry("message")).isAccept)
        #expect(try verdict("credentialStatus") { $0.text("x") }.reasons.first?.code == "status-unknown")
        // Beside a status of its own.
        for name in ["status", "credentialStatus"] {
            let claims = try CBORWriter.encode { writer in
                writer.map { map in
                    map.entry(1) { $0.text(TestLinkedCredential.issuer) }
                    map.entry(169) { $0.map { $0.entry(4) { $0.text("Ann") } } }
                    map.entry(65_535) {
                        $0.map {
                            $0.entry("status_list") {
                                $0.map { entry in
                                    entry.entry("idx") { $0.integer(1) }
                                    entry.entry("uri") { $0.text("https://nobody.example/tokens") }
                                }
                            }
                        }
                    }
                    map.entry(name) { $0.map { _ in } }
                }
            }
            let found = StatedStatus.all(in: try CBORDocument(parsing: claims).root)
            #expect(found.count == 2 && found.last == .unreadable, "\(name)")
        }
    }

    @Test("whole numbers that PixelPass for Kotlin made floats of, and biometrics under their names")
    func kotlin() throws {
        let credential = try #require(
            try verdict(
                try card { map in
                    map.entry(1) { $0.float(3_918_592_438) }
                    map.entry(2) { $0.float(1.5) }
                    map.entry("rightThumb") { $0.bytes([1, 2, 3]) }
                    map.entry("voice") { $0.text("x") }
                    map.entry("face") { $0.text("y") }
                }
            ).credential)
        #expect(String(decoding: credential.claims.root.source, as: UTF8.self) == #"{"1":3918592438,"2":1.5,"face":"y"}"#)
        // Data of a face that is no picture by itself is left where it is, as under its label.
        let template = try #require(
            try verdict(try card { $0.entry("face") { $0.array { $0.map { $0.entry(0) { $0.bytes([1]) } } } } }).credential)
        #expect(String(decoding: template.claims.root.source, as: UTF8.self) == "{}")
    }

    @Test("encryption alone proves nothing")
    func unsigned() throws {
        let trusted = Self.pinned([("content", TestSealed().key)])
        func reasons(_ plain: [UInt8]) throws -> [RejectReason] { try verdict(try TestSealed().message(plain), trusted).reasons }
        let payload = try TestToken().claims()
        #expect(try reasons(payload) == [.signatureMissing])
        #expect(try reasons([0xD8, 0x3D] + payload) == [.signatureMissing])
        let again = try TestSealed().message(TestToken().message())
        #expect(try reasons(again) == [.signatureMissing], "encrypted twice")
        #expect(try reasons([0xD1] + TestToken().message().dropFirst()) == [.signatureMissing])
        #expect(try reasons([]) == [.payloadMalformed])
        #expect(try reasons(TestToken().message() + [0]) == [.payloadMalformed])
        #expect(try reasons(TestToken { $0.key = .otherEd25519 }.message()) == [.signatureInvalid])
        #expect(try reasons(TestToken { $0.expires = Self.now }.message()) == [.expired])
        #expect(try reasons(TestToken { $0.iss = "https://nobody.example" }.message()) == [.issuerUnknown])
        // Signed by another trusted issuer.
        let foreign = try TestToken {
            $0.key = .otherEd25519
            $0.iss = TestIssuers.other
            $0.keyID = Array((TestIssuers.other + "#key-1").utf8)
        }.message()
        #expect(try verdict(foreign).isAccept)
        #expect(try reasons(foreign) == [.issuerMismatch])
    }

    @Test("headers of an encrypted token")
    func sealedHeaders() throws {
        let trusted = Self.pinned([("content", TestSealed().key)])
        func reasons(_ change: (inout TestSealed) -> Void) throws -> [RejectReason] {
            try verdict(try TestSealed(change).message(TestToken().message()), trusted).reasons
        }
        #expect(try reasons { _ in } == [])
        #expect(try reasons { $0.nonce = nil } == [.headerMalformed])
        #expect(try reasons { $0.nonce = Array(1...8) } == [.headerMalformed])
        #expect(try reasons { $0.partialNonce = [1] } == [.headerMalformed], "RFC 9052 section 3.1: never both")
        #expect(try reasons { $0.isAlgorithmProtected = false } == [.algorithmRefused])
        for number: Int64 in [0, 10, 24, 30, -7] { #expect(try reasons { $0.algorithm = number } == [.algorithmRefused]) }
        #expect(try reasons { $0.algorithm = 1 } == [.encrypted], "a key for another algorithm")
        let good = try TestSealed().message(TestToken().message())
        for place in good.indices {
            var changed = good
            changed[place] ^= 1
            guard let received = CodeContent(pixelPass(changed)).credential else { continue }
            var issuers = TestIssuers()
            trusted(&issuers)
            #expect(try !issuers.verifier().verify(received, at: Self.now).isAccept, "octet \(place)")
        }
    }

    @Test("contentKeys of a trust file")
    func contentKeys() throws {
        func fault(_ text: String) -> TrustError? {
            var issuers = TestIssuers()
            issuers.first.members["contentKeys"] = text
            do {
                _ = try issuers.store()
                return nil
            } catch {
                return error as? TrustError
            }
        }
        let key = base64URL([UInt8](repeating: 9, count: 16))
        #expect(fault(#"[{"kid":"a","k":"\#(key)"},{"kid":"b","k":"\#(key)"}]"#) == nil)
        for (text, member, reason): (String, String, TrustError.Reason) in [
            ("[]", "contentKeys", .wrongType), ("{}", "contentKeys", .wrongType), (quoted(key), "contentKeys", .wrongType),
            ("[\(quoted(key))]", "contentKeys[0]", .wrongType),
            (#"[{"k":"\#(key)"}]"#, "contentKeys[0].kid", .missing), (#"[{"kid":"a"}]"#, "contentKeys[0].k", .missing),
            (#"[{"kid":"a","k":"\#(key)","x":1}]"#, "contentKeys[0].x", .unknown),
            (#"[{"kid":"a","k":"AAAA"}]"#, "contentKeys[0].k", .wrongValue),
            (#"[{"kid":"a","k":"\#(key)="}]"#, "contentKeys[0].k", .wrongValue), (#"[{"kid":"a","k":1}]"#, "contentKeys[0].k", .wrongValue),
            (#"[{"kid":"hex:0","k":"\#(key)"}]"#, "contentKeys[0].kid", .wrongValue),
            (#"[{"kid":"a","k":"\#(key)"},{"kid":"hex:61","k":"\#(key)"}]"#, "contentKeys[1].kid", .duplicate),
        ] {
            let found = fault(text)
            #expect(found?.member == member && found?.reason == reason, "\(text): \(String(describing: found))")
            #expect(found?.description.contains(key) != true, "a secret is not told")
        }
        var both = TestIssuers()
        both.first.members["contentKeys"] = #"[{"kid":"a","k":"\#(key)"}]"#
        both.second?.members["contentKeys"] = #"[{"kid":"a","k":"\#(key)"}]"#
        #expect(throws: TrustError(file: "b.json", member: "contentKeys[0].kid", reason: .duplicate)) { try both.store() }
    }
}
