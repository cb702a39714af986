import CBOR
import Cryptography
import Foundation
import JSON
import TestSupport
import Testing

@testable import Credentials

/// CWTs with claim 169 and our own keys, from the octets to the verdict.
@Suite struct CWTVerdictTests {
    private static let now = TestCredential.now
    private static let iss = TestLinkedCredential.issuer

    private func verdict(_ token: TestToken, claims: [UInt8]? = nil, at time: Int64 = now, _ change: (inout TestIssuers) -> Void = { _ in })
        throws -> Verdict
    {
        var issuers = TestIssuers(keys: [(TestLinkedCredential.method, token.key)])
        change(&issuers)
        return try issuers.verifier().verify(try token.message(claims: claims), at: time)
    }

    // MARK: Accepted

    @Test(arguments: [TestKey.Kind.ed25519, .p256, .p384]) func algorithms(_ kind: TestKey.Kind) throws {
        let key = TestKey(kind)
        let credential = try #require(try verdict(TestToken { $0.key = key }).credential)
        #expect(
            credential.form == .cwt && credential.type == "claim-169" && credential.issuer == Self.iss
                && credential.keyID == TestLinkedCredential.method)
        #expect(credential.claim(.fullName)?.string == "Ann" && credential.notes == [] && credential.status == .unstated)
        #expect(credential.validity == Validity(notBefore: nil, expires: Self.now + 1000, issuedAt: Self.now - 1000))
        // Another key of the same kind, and each other kind under the same id.
        for other in [kind, .ed25519, .p256, .p384] {
            let answer = try verdict(TestToken { $0.key = key }) {
                $0.first.members["keys"] = #"[{"kid":"\#(TestLinkedCredential.method)","jwk":\#(TestKey(other).jwk)}]"#
            }
            #expect(answer.reasons == [other == kind ? .signatureInvalid : .keyMismatch])
        }
    }

    @Test func wrappings() throws {
        let verifier = try TestIssuers().verifier()
        let tagged = try TestToken().message(), untagged = Array(tagged.dropFirst())
        for prefix: [UInt8] in [[0xD2], [0xD8, 0x3D, 0xD2]] {
            let octets = prefix + untagged, text = Hex.text(octets)
            for message in [
                octets, Array(text.utf8), Array(text.uppercased().utf8), Array(" \(text)\r\n".utf8), Array(quoted(text).utf8),
                Array(#"{"verifiableCredential":{"credential":"\#(text)"}}"#.utf8),
            ] {
                #expect(verifier.verify(message, at: Self.now).credential?.claim(.fullName)?.string == "Ann")
            }
        }
        // COSE_Encrypt0, COSE_Mac0, COSE_Sign, no tag at all; another tag around; something after.
        for prefix: [UInt8] in [
            [0xD0], [0xD1], [0xD8, 0x62], [], [0xD8, 0x3D], [0xD8, 0x3D, 0xD0], [0xD8, 0x3D, 0xD8, 0x3D, 0xD2], [0xD9, 0xD9, 0xF7, 0xD2],
        ] {
            #expect(!verifier.verify(prefix + untagged, at: Self.now).isAccept)
            #expect(!verifier.verify(Array(Hex.text(prefix + untagged).utf8), at: Self.now).isAccept)
        }
        #expect(verifier.verify(tagged + [0], at: Self.now).reasons == [.payloadMalformed])
        let encrypted = try CBORWriter.encode { writer in
            writer.tag(16)
            writer.array {
                $0.bytes([0xA1, 0x01, 0x03])
                $0.map { $0.entry(5) { $0.bytes([UInt8](repeating: 1, count: 12)) } }
                $0.bytes([UInt8](repeating: 7, count: 64))
            }
        }
        for message in [encrypted, [0xD8, 0x3D] + encrypted] { #expect(!verifier.verify(message, at: Self.now).isAccept) }
        let refusal = #expect(throws: Refusal.self) {
            try CWTFormat.open(encrypted, VerificationContext(trust: verifier.trust, time: Self.now))
        }
        #expect(refusal?.reasons == [.payloadMalformed])
    }

    /// Octets are not text: a signature may end in what would be white space there.
    @Test func signatureEndsInWhiteSpace() throws {
        let verifier = try TestIssuers().verifier()
        var endings: Set<UInt8> = []
        for issued in 0..<400 {
            let message = try TestToken { $0.issued = Self.now - Int64(issued) }.message()
            endings.insert(message.last ?? 0)
            #expect(verifier.verify(message, at: Self.now).isAccept)
        }
        // The last octet of an Ed25519 signature is below 17, so each of these comes up in one of sixteen.
        #expect(endings.isSuperset(of: [0x09, 0x0A, 0x0D]))
    }

    @Test func photo() throws {
        let photo: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + (0..<2000).map { UInt8($0 & 0xFF) }
        let credential = try #require(try verdict(TestToken { $0.photo = photo }).credential)
        #expect(credential.portrait.map { unBase64URL($0) } == photo)
        #expect(credential.claims.root["17"]?.int64 == 1)
        // In a byte string, as Inji puts it.
        var inner = try CBORWriter.encode {
            $0.map { map in
                map.entry(4) { $0.text("Ann") }
                map.entry(16) { $0.bytes(photo) }
            }
        }
        inner = try CBORWriter.encode {
            $0.map { map in
                map.entry(1) { $0.text(Self.iss) }
                map.entry(169) { $0.bytes(inner) }
            }
        }
        let wrapped = try #require(try verdict(TestToken(), claims: inner).credential)
        #expect(wrapped.portrait.map { unBase64URL($0) } == photo && wrapped.notes == [.neverExpires])
    }

    // MARK: Keys

    @Test func keyID() throws {
        let unprotected = try CBORWriter.encode { $0.map { $0.entry(4) { $0.bytes(Array(TestLinkedCredential.method.utf8)) } } }
        #expect(
            try verdict(
                TestToken {
                    $0.keyID = nil
                    $0.unprotected = unprotected
                }
            ).isAccept)
        #expect(try verdict(TestToken { $0.unprotected = unprotected }).reasons == [.headerMalformed], "in both headers")
        #expect(try verdict(TestToken { $0.keyID = nil }).credential?.keyID == TestLinkedCredential.method)
        for id in ["key-1", TestLinkedCredential.method + "\u{0}", TestLinkedCredential.method + " ", "", TestIssuers.other + "#key-1"] {
            #expect(try verdict(TestToken { $0.keyID = Array(id.utf8) }).reasons == [.keyUnknown])
        }
        #expect(try verdict(TestToken { $0.keyID = [0xFF, 0xFE] }).reasons == [.keyUnknown])
    }

    @Test func trust() throws {
        func reasons(_ change: (inout TestIssuers) -> Void) throws -> [RejectReason] { try verdict(TestToken(), change).reasons }
        let jwk = TestKey.ed25519.jwk
        #expect(try reasons { $0.first.members["ids"] = list(["https://issuer.example/"]) } == [.issuerUnknown])
        #expect(try reasons { $0.first.members["forms"] = list(["sd_jwt"]) } == [.formNotTrusted])
        #expect(try reasons { $0.first.members["algorithms"] = list(["ES256"]) } == [.algorithmNotTrusted])
        #expect(try reasons { $0.first.members["types"] = list(["claim-169 ", "169"]) } == [.typeNotTrusted])
        for (window, reason): (String, [RejectReason]) in [
            (#""notAfter":\#(TestLinkedCredential.date(0))"#, [.keyNotCurrent]),
            (#""notBefore":\#(TestLinkedCredential.date(1))"#, [.keyNotCurrent]),
            (#""notBefore":\#(TestLinkedCredential.date(0)),"notAfter":\#(TestLinkedCredential.date(1))"#, []),
        ] {
            #expect(
                try reasons { $0.first.members["keys"] = #"[{"kid":"\#(TestLinkedCredential.method)","jwk":\#(jwk),\#(window)}]"# }
                    == reason)
        }
        // The key of another trusted issuer says nothing about this one's tokens.
        #expect(try verdict(TestToken { $0.key = .otherEd25519 }).isAccept)
        let foreign = TestToken {
            $0.key = .otherEd25519
            $0.keyID = Array((TestIssuers.other + "#key-1").utf8)
        }
        #expect(try TestIssuers().verifier().verify(foreign.message(), at: Self.now).reasons == [.keyUnknown])
    }

    private func chain(_ certificates: [TestCertificate], key: TestKey, keyID: String? = nil) throws -> TestToken {
        var token = TestToken {
            $0.key = key
            $0.keyID = keyID.map { Array($0.utf8) }
        }
        token.unprotected = try CBORWriter.encode {
            $0.map { map in
                map.entry(33) { writer in
                    guard certificates.count > 1 else { return writer.bytes([UInt8](certificates[0].der)) }
                    writer.array { array in for certificate in certificates { array.bytes([UInt8](certificate.der)) } }
                }
            }
        }
        return token
    }

    @Test func certificates() throws {
        let root = TestKey(.p256), leaf = TestKey(.p256)
        let authority = TestCertificate("root", key: root, issuer: "root", signer: root, names: nil)
        let good = TestCertificate("leaf", key: leaf, issuer: "root", signer: root, names: "URI:\(Self.iss)")
        func verdict(_ token: TestToken) throws -> Verdict {
            try self.verdict(token) {
                $0.first.members["keys"] = nil
                $0.first.members["x509"] = #"{"roots":[\#(quoted(authority.pem.replacing("\n", with: "\\n")))]}"#
            }
        }
        for certificates in [[good], [good, authority]] {
            let credential = try #require(try verdict(try chain(certificates, key: leaf)).credential)
            #expect(credential.keyID == nil && credential.notes == [.keyFromCertificate])
        }
        // A key id that nobody pinned does not stand in the way.
        #expect(try verdict(try chain([good], key: leaf, keyID: "unknown")).isAccept)
        #expect(try verdict(try chain([good], key: .otherP256)).reasons == [.signatureInvalid])
        let stranger = TestKey(.p256)
        let own = TestCertificate("leaf", key: leaf, issuer: "root", signer: stranger, names: "URI:\(Self.iss)")
        #expect(try verdict(try chain([own], key: leaf)).reasons == [.certificateUntrusted])
        let renamed = TestCertificate("leaf", key: leaf, issuer: "root", signer: root, names: "URI:\(TestIssuers.other)")
        #expect(try verdict(try chain([renamed], key: leaf)).reasons == [.certificateNameMismatch])
        let ended = TestCertificate("leaf", key: leaf, issuer: "root", signer: root, names: "URI:\(Self.iss)", days: -100 ... -1)
        #expect(try verdict(try chain([ended], key: leaf)).reasons == [.certificateUntrusted])
        // Certificates of an issuer that pins no root are nothing: its one key signs, or none.
        #expect(try self.verdict(try chain([good], key: leaf)).credential?.keyID == TestLinkedCredential.method)
        #expect(try self.verdict(try chain([good], key: leaf, keyID: "unknown")).reasons == [.keyUnknown])
    }

    // MARK: Claims

    @Test func times() throws {
        #expect(try verdict(TestToken { $0.expires = Self.now }).reasons == [.expired])
        #expect(try verdict(TestToken { $0.expires = Self.now + 1 }).isAccept)
        #expect(try verdict(TestToken { $0.expires = nil }).credential?.notes == [.neverExpires])
        #expect(try verdict(TestToken { $0.notBefore = Self.now + 300 }).isAccept)
        #expect(try verdict(TestToken { $0.notBefore = Self.now + 301 }).reasons == [.notYetValid])
        #expect(try verdict(TestToken { $0.issued = Self.now + 301 }).reasons == [.issuedInFuture])
        #expect(try verdict(TestToken { $0.issued = nil }).isAccept)
        #expect(try verdict(TestToken { $0.expires = .max }).reasons == [.timeMalformed])
        #expect(
            try verdict(
                TestToken {
                    $0.expires = Self.now
                    $0.notBefore = Self.now + 400
                }
            ).reasons == [.expired, .notYetValid])
    }

    @Test func missingAndMalformed() throws {
        #expect(try verdict(TestToken { $0.iss = nil }).reasons == [.issuerMissing])
        #expect(try verdict(TestToken { $0.identity = false }).reasons == [.typeMissing])
        #expect(try verdict(TestToken { $0.iss = "https://nobody.example" }).reasons == [.issuerUnknown])
        let iss = [0x01, 0x60 + UInt8(Self.iss.utf8.count)] + Array(Self.iss.utf8)
        func reasons(_ pairs: UInt8, _ text: String) throws -> [RejectReason] {
            try verdict(TestToken(), claims: [0xA0 + pairs] + iss + hex(text)).reasons
        }
        #expect(try reasons(2, "18a9 a1 04 63416e6e") == [])
        for (pairs, text, what): (UInt8, String, String) in [
            (3, "18a9a10463416e6e 18a9a10463426f62", "two identities"), (3, "18a9a10463416e6e 0163466f6f", "two issuers"),
            (4, "041a7b49d200 041a7c49d200 18a9a0", "two ends"), (3, "18a9a10463416e6e", "fewer claims than counted"),
            (2, "18a9a2 0463416e6e 0463426f62", "two names"), (2, "18a9a2 0463416e6e 613463426f62", "4 and \"4\""),
            (2, "18a9a1 f6 63416e6e", "a key that is null"),
            (2, "18a9a1 04f7", "undefined"), (2, "18a9a1 04fb7ff8000000000000", "not a number"),
            (2, "18a9bf0463416e6eff", "indefinite map"),
            (2, "18a9a1047f63416e6eff", "indefinite text"), (2, "18a9a1105f4101ff", "indefinite bytes"), (2, "18a9a1046261", "cut short"),
            (2, "18a9a10462c328", "not UTF-8"),
            (2, "18a9a1041817 18", "rest"), (2, "18a9a11804 63416e6e", "a long head"), (2, "1900a9a10463416e6e", "a long label"),
            (2, "18a980", "array"), (2, "18a9f6", "null"),
            (2, "18a9a104 818181818181818100", "deep"),
        ] {
            #expect(!(try reasons(pairs, text)).isEmpty, "\(what)")
        }
        // An integer beyond JSON's usual range, a tag and a Boolean are shown as they are.
        let odd = try #require(
            try verdict(TestToken(), claims: [0xA2] + iss + hex("18a9a3 041bffffffffffffffff 05c063416e6e 06f5")).credential)
        #expect(
            odd.claims.root["4"]?.number?.lexeme == "18446744073709551615" && odd.claims.root["5"]?.string == "Ann"
                && odd.claims.root["6"]?.bool == true)
    }

    // MARK: Mutants

    /// Whatever is changed, an accepted token still says exactly what was signed.
    @Test(arguments: [TestKey.Kind.ed25519, .p256, .p384]) func mutants(_ kind: TestKey.Kind) throws {
        let key = TestKey(kind)
        let verifier = try TestIssuers(keys: [(TestLinkedCredential.method, key)]).verifier()
        let
            octets = try TestToken {
                $0.key = key
                $0.photo = [0xFF, 0xD8, 1, 2, 3]
                $0.sub = "s"
            }.message(), text = Array(Hex.text(octets).utf8)
        let signed = try #require(verifier.verify(octets, at: Self.now).credential)
        var generator = SeededRandom(seed: 7), accepted = 0
        for round in 0..<1000 {
            var mutant = round.isMultiple(of: 2) ? octets : text
            let alphabet = round.isMultiple(of: 2) ? Array(UInt8.min...UInt8.max) : Array("0123456789abcdefABCDEF g\n".utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let position = Int.random(in: 0..<mutant.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: mutant[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: mutant[position] = alphabet.randomElement(using: &generator) ?? 0
                case 2: mutant.insert(alphabet.randomElement(using: &generator) ?? 0, at: position)
                case 3: mutant.remove(at: position)
                default: mutant.append(contentsOf: mutant[position..<min(mutant.count, position + 20)])
                }
            }
            guard let found = verifier.verify(mutant, at: Self.now).credential else { continue }
            accepted += 1
            #expect(
                found.claims.root.source == signed.claims.root.source && found.issuer == signed.issuer && found.validity == signed.validity,
                "round \(round)")
        }
        // Only letters of hexadecimal can change and mean the same.
        #expect(accepted < 100)
        for length in octets.indices { #expect(!verifier.verify(Array(octets[..<length]), at: Self.now).isAccept) }
        for position in octets.indices {
            for bit in 0..<8 {
                var mutant = octets
                mutant[position] ^= 1 << UInt8(bit)
                #expect(!verifier.verify(mutant, at: Self.now).isAccept, "bit \(bit) of \(position)")
            }
        }
    }

    @Test("a CWT that is a status list is nobody's credential")
    func listAsToken() throws {
        let token = try TestToken { $0.statusList = (1, zlib([0])) }.message()
        #expect(try TestIssuers().verifier().verify(token, at: TestCredential.now).reasons == [.typeNotTrusted])
        let typed = try TestToken { $0.type = "application/statuslist+cwt" }.message()
        #expect(try TestIssuers().verifier().verify(typed, at: TestCredential.now).reasons == [.typeNotTrusted])
        #expect(try TestIssuers().verifier().verify(TestToken().message(), at: TestCredential.now).isAccept)
    }
}
