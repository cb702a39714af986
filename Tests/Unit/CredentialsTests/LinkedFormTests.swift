import Foundation
import JSON
import LinkedData
import Testing

@testable import Credentials
@testable import Trust

/// Forms that signers in the field give a credential beside the plain one: what was signed is found again, and nothing else is believed.
@Suite struct LinkedFormTests {
    private func verdict(_ octets: [UInt8], keys: [(String, TestKey)] = [(TestLinkedCredential.method, .ed25519)]) throws -> Verdict {
        try TestIssuers(keys: keys).verifier().verify(octets, at: TestCredential.now)
    }

    private func replaced(_ octets: [UInt8], _ one: String, _ other: String) -> [UInt8] {
        Array(String(decoding: octets, as: UTF8.self).replacing(one, with: other).utf8)
    }

    // MARK: Language tags

    private static let suites: [LinkedProofSuite] = [.eddsaRDFC2022, .ed25519Signature2020]

    private func tagged(_ suite: LinkedProofSuite, _ tag: String, _ languages: LanguageTags) throws -> [UInt8] {
        var credential = TestLinkedCredential(suite)
        credential.languages = languages
        credential.set("credentialSubject", #"{"id":"urn:example:ann","fullName":{"@value":"Ann","@language":"\#(tag)"}}"#)
        return try credential.signed()
    }

    @Test(arguments: suites) func languageTags(_ suite: LinkedProofSuite) throws {
        for (tag, signed, found) in [
            ("en-US", LanguageTags.asWritten, LanguageTags.asWritten), ("en-US", .lowerCase, .lowerCase), ("en-us", .asWritten, nil),
            ("EN", .lowerCase, .lowerCase),
        ] as [(String, LanguageTags, LanguageTags?)] {
            let credential = try verdict(try tagged(suite, tag, signed)).credential
            #expect(credential?.proof?.languages == found)
            // The claim has the tag that was signed.
            #expect(credential?.claim(.fullName)?["@language"]?.string == (signed == .lowerCase ? tag.lowercased() : tag))
        }
    }

    @Test(arguments: suites) func otherLanguageTags(_ suite: LinkedProofSuite) throws {
        let written = try tagged(suite, "en-US", .asWritten), lowered = try tagged(suite, "en-US", .lowerCase)
        for octets in [written, lowered] {
            for tag in ["en-GB", "en", "\u{212A}n-us"] { #expect(try !verdict(replaced(octets, "en-US", tag)).isAccept) }
        }
        // A signer who converts says the same whatever the case; one who does not said this tag and no other.
        for tag in ["en-us", "EN-us"] {
            #expect(try verdict(replaced(lowered, "en-US", tag)).isAccept)
            #expect(try verdict(replaced(written, "en-US", tag)).reasons == [.signatureInvalid])
        }
    }

    /// Two values that are one in lower case are one statement.
    @Test func tagsThatBecomeOne() throws {
        var credential = TestLinkedCredential()
        credential.languages = .lowerCase
        credential.set(
            "credentialSubject",
            #"{"id":"urn:example:ann","fullName":[{"@value":"Ann","@language":"EN"},{"@value":"Ann","@language":"en"}]}"#)
        #expect(try verdict(try credential.signed()).credential?.claim(.fullName)?["@language"]?.string == "en")
    }

    /// A default language gives the options of a proof a tag, where no claim has one.
    @Test func tagInTheOptionsOnly() throws {
        var credential = TestLinkedCredential()
        credential.context =
            #"["\#(TestLinkedCredential.v2)",{"@language":"en-US","fullName":{"@id":"\#(TestLinkedCredential.vocabulary)fullName","@language":null}}]"#
        credential.set("credentialSubject", #"{"id":"urn:example:ann","fullName":"Ann"}"#)
        for languages in [LanguageTags.asWritten, .lowerCase] {
            credential.languages = languages
            #expect(try verdict(try credential.signed()).credential?.proof?.languages == languages)
        }
    }

    // MARK: The context of a proof over JSON

    /// EdDSA Cryptosuites section 3.3.2 step 4.
    @Test func contextsOfAProofOverJSON() throws {
        var credential = TestLinkedCredential(.eddsaJCS2022)
        let context = "\"@context\":[\"\(TestLinkedCredential.v2)\"]"
        let more = "\"@context\":[\"\(TestLinkedCredential.v2)\",\"https://elsewhere.example/\"]"
        func document(_ octets: [UInt8], _ context: String) -> [UInt8] {
            let text = String(decoding: octets, as: UTF8.self),
                first = text.range(of: #""@context":["https://www.w3.org/ns/credentials/v2"]"#)
            return first.map { Array(text.replacingCharacters(in: $0, with: context).utf8) } ?? []
        }
        let good = try credential.signed()
        #expect(try verdict(document(good, context)).credential?.uncovered == [])
        let appended = try #require(try verdict(document(good, more)).credential)
        #expect(appended.uncovered == [UncoveredMember(appendedContext: "/@context/1")] && appended.claim(.fullName)?.string == "Ann")
        #expect(try verdict(replaced(document(good, more), "Ann", "Bob")).reasons == [.signatureInvalid])
        for other in [
            #""@context":["https://www.w3.org/2018/credentials/v1"]"#,
            #""@context":["https://elsewhere.example/","\#(TestLinkedCredential.v2)"]"#,
        ] {
            #expect(try verdict(document(good, other)).reasons.first == .proofMalformed)
        }
        credential.hasProofContext = false
        let bare = try credential.signed()
        #expect(try verdict(bare).credential?.claim(.fullName)?.string == "Ann")
        #expect(try verdict(document(bare, more)).reasons == [.signatureInvalid])
        // What was signed without it is not signed with it, nor the other way round.
        #expect(try verdict(replaced(bare, #""proofValue""#, context + #","proofValue""#)).reasons == [.signatureInvalid])
        let text = String(decoding: good, as: UTF8.self), last = try #require(text.range(of: "," + context, options: .backwards))
        #expect(try verdict(Array(text.replacingCharacters(in: last, with: "").utf8)).reasons == [.signatureInvalid])
    }

    @Test(arguments: ["[]", "null", "1", "{}", #"["https://www.w3.org/ns/credentials/v2",null]"#]) func noContextForAProof(
        _ context: String
    ) throws {
        let octets = String(decoding: try TestLinkedCredential(.eddsaJCS2022).signed(), as: UTF8.self)
        let own = "\"@context\":[\"\(TestLinkedCredential.v2)\"]", last = try #require(octets.range(of: own, options: .backwards))
        #expect(try verdict(Array(octets.replacingCharacters(in: last, with: "\"@context\":\(context)").utf8)).reasons == [.proofMalformed])
    }

    // MARK: Older proofs

    @Test func createdWithoutAZone() throws {
        for suite in [LinkedProofSuite.ed25519Signature2020, .eddsaRDFC2022, .eddsaJCS2022] {
            var credential = TestLinkedCredential(suite)
            credential.proof = credential.proof.map { $0.0 == "created" ? ("created", quoted("2026-01-01T00:00:00.5")) : $0 }
            guard !suite.isDataIntegrity else {
                #expect(throws: LinkedProofError.createdMalformed) { try credential.signed() }
                continue
            }
            let octets = try credential.signed()
            #expect(try verdict(octets).credential?.proof?.created == 1_767_225_600)
            #expect(try verdict(replaced(octets, "00:00.5\"", "00:00.5Z\"")).reasons == [.signatureInvalid])
            for text in ["2026-01-01", "2026-01-01T00:00", "2026-01-01T00:00:00ZZ", "2026-01-01T00:00:00+01"] {
                #expect(try verdict(replaced(octets, "2026-01-01T00:00:00.5", text)).reasons == [.proofMalformed])
            }
        }
    }

    @Test func expiryWithoutAZone() throws {
        var credential = TestLinkedCredential(.ed25519Signature2020)
        credential.proof.append(("expires", quoted("2027-01-01T00:00:00")))
        #expect(throws: LinkedProofError.createdMalformed) { try credential.signed() }
    }

    /// The suite's table has P-384 with ES384; the message digest is SHA-256 for every key.
    @Test func jsonWebSignatureWithP384() throws {
        let key = TestKey(.p384)
        var credential = TestLinkedCredential(.jsonWebSignature2020, key: key)
        credential.header = #"{"alg":"ES384","b64":false,"crit":["b64"]}"#
        for context in [nil, #""https://w3id.org/security/suites/jws-2020/v1""#, #"{"created":null}"#] {
            credential.proof.removeAll { $0.0 == "@context" }
            if let context { credential.proof.append(("@context", context)) }
            let octets = try credential.signed(), keys = [(TestLinkedCredential.method, key)]
            #expect(try verdict(octets, keys: keys).credential?.proof?.algorithm == .es384)
            #expect(try verdict(replaced(octets, "Ann", "Bob"), keys: keys).reasons == [.signatureInvalid])
            #expect(try verdict(octets, keys: [(TestLinkedCredential.method, TestKey(.p384))]).reasons == [.signatureInvalid])
            #expect(try verdict(octets, keys: [(TestLinkedCredential.method, TestKey(.p256))]).reasons == [.keyMismatch])
        }
    }

    /// Of the other suites before Data Integrity no signer is known who writes one.
    @Test func ownContextOfAnotherSuite() throws {
        var credential = TestLinkedCredential(.ed25519Signature2020)
        credential.proof.append(("@context", #""https://w3id.org/security/suites/ed25519-2020/v1""#))
        #expect(throws: LinkedProofError.contextMismatch) { try credential.signed() }
    }
}
