import Cryptography
import Foundation
import JSON
import LinkedData
import Testing

@testable import Credentials
@testable import Envelopes

/// Proofs made here, so that what is wrong with each is known and its signature is good.
@Suite struct LinkedProofTests {
    private typealias Draft = LinkedDraft

    @Test func good() throws {
        var draft = Draft()
        #expect(try draft.reason() == nil)
        var verification = LinkedProofVerification(contexts: ContextStore([:]))
        let verified = try linkedResult(&verification, try draft.signed(), try draft.publicKey).get()
        let statements = try #require(verified.statements)
        #expect(statements.values(of: statements.subjects[0], "urn:face") == [.literal(Literal("data:,x"))])
        #expect(verified.coverage?.uncovered == [])
        draft = Draft(key: .p256)
        draft.header = #"{"alg":"ES256","b64":false,"crit":["b64"]}"#
        draft.proof["type"] = #""JsonWebSignature2020""#
        #expect(try draft.reason() == nil)
        draft = Draft(key: .secp256k1)
        draft.header = #"{"alg":"ES256K","b64":false,"crit":["b64"]}"#
        draft.proof["type"] = #""EcdsaSecp256k1Signature2019""#
        #expect(try draft.reason() == nil)
    }

    @Test(arguments: [
        (#"{"alg":"EdDSA","crit":["b64"]}"#, LinkedProofError.criticalHeaderRefused),
        (#"{"alg":"EdDSA","b64":false}"#, .criticalHeaderRefused),
        (#"{"alg":"EdDSA","b64":true,"crit":["b64"]}"#, .criticalHeaderRefused),
        (#"{"alg":"EdDSA","b64":false,"crit":["b64","exp"]}"#, .criticalHeaderRefused),
        (#"{"alg":"EdDSA","b64":false,"crit":[]}"#, .criticalHeaderRefused),
        (#"{"alg":"none","b64":false,"crit":["b64"]}"#, .algorithmRefused),
        (#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, .algorithmRefused),
        (#"{"alg":"ES256","b64":false,"crit":["b64"]}"#, .algorithmRefused),
        (#"{"b64":false,"crit":["b64"]}"#, .algorithmRefused),
        (#"{"alg":"EdDSA","alg":"EdDSA","b64":false,"crit":["b64"]}"#, .headerMalformed),
        ("[]", .headerMalformed),
    ])
    func header(_ header: String, _ reason: LinkedProofError) throws {
        #expect(try Draft(header: header).reason() == reason)
    }

    @Test func keyOfAnotherKind() throws {
        let draft = Draft()
        var verification = LinkedProofVerification(contexts: ContextStore([:]))
        for key in [TestKey.p256, .p384, .secp256k1, .rsa] {
            let other = try PublicKey(pem: Array(key.pem.utf8).span)
            #expect(linkedResult(&verification, try draft.signed(), other).reason == .keyMismatch)
        }
        let other = try PublicKey(pem: Array(TestKey.otherEd25519.pem.utf8).span)
        #expect(linkedResult(&verification, try draft.signed(), other).reason == .signatureInvalid)
    }

    @Test func signatureText() throws {
        let draft = Draft(), jws = try draft.jws()
        let parts = jws.components(separatedBy: "..")
        for (text, reason) in [
            (parts.joined(separator: ".e30."), LinkedProofError.payloadNotDetached), (parts.joined(separator: "."), .signatureMalformed),
            (jws + ".", .signatureMalformed), (jws + "=", .signatureMalformed), (parts[0] + "..", .signatureMalformed),
            (".." + parts[1], .headerMalformed),
            ("", .signatureMalformed),
        ] {
            #expect(try draft.reason(try draft.document(["jws": "\"\(text)\""])) == reason, "\(text)")
        }
        #expect(try draft.reason(try draft.document(["jws": "\"\(jws)\"", "proofValue": #""z2""#])) == .signatureMalformed)
        #expect(try draft.reason(try draft.document(["proofValue": #""z2""#])) == .signatureMalformed)
    }

    @Test(arguments: [
        ("type", #""RsaSignature2016""#, LinkedProofError.typeRefused), ("type", #"["Ed25519Signature2018"]"#, .typeRefused),
        ("type", #""DataIntegrityProof""#, .cryptosuiteRefused), ("cryptosuite", #""eddsa-rdfc-2022""#, .cryptosuiteRefused),
        ("proofPurpose", #""capabilityInvocation""#, .purposeRefused), ("proofPurpose", #""authentication""#, .purposeRefused),
        ("verificationMethod", #"{"id":"did:example:issuer#key"}"#, .proofMalformed), ("created", #""yesterday""#, .createdMalformed),
        ("expires", #""2026-06-01T00:00:00Z""#, .expired), ("previousProof", #""urn:x""#, .memberRefused),
        ("signatureValue", #""x""#, .memberRefused),
        ("sec:proofPurpose", #""x""#, .memberRefused), ("@context", #"{"jws":null}"#, .contextMismatch),
        // Relative, so in no statement.
        ("verificationMethod", #""key""#, .optionsUncovered),
    ])
    func proofMember(_ name: String, _ value: String, _ reason: LinkedProofError) throws {
        var draft = Draft()
        let jws = try draft.jws()
        draft.proof[name] = value
        #expect(try draft.reason(try draft.document(["jws": "\"\(jws)\""])) == reason)
    }

    @Test(arguments: [
        #"{"id":"urn:subject","face":"data:,x","unknown":1}"#, #"{"id":"urn:subject","face":["data:,x",null]}"#,
        #"{"id":"urn:subject","face":[]}"#,
        #"{"id":"urn:subject","type":"Relative","face":"data:,x"}"#, #"{"id":"relative","face":"data:,x"}"#,
        #"{"face":{"unknown":{"face":"y"}}}"#,
        #"{"id":"urn:subject","face":{"@context":{"age":null},"age":1}}"#, #"{"face":{"@value":"data:,x","@index":"1"}}"#,
        #"[{"face":"x"},{"face":"y","other":1}]"#,
    ])
    func uncoveredSubject(_ subject: String) throws {
        #expect(try Draft(subject: subject).reason() == .claimsUncovered)
    }

    /// The one loss that is tolerated, and its neighbours that are not.
    @Test func typesAndOtherMembers() throws {
        var draft = Draft(
            members: #""type":["VerifiableCredential","MOSIPVerifiableCredential"],"issuer":"https://issuer.example","note":1,"#)
        var verification = LinkedProofVerification(contexts: ContextStore([:]))
        let verified = try linkedResult(&verification, try draft.signed(), try draft.publicKey).get()
        #expect(verified.coverage?.isTypeSigned == false)
        #expect(verified.coverage?.uncovered.count == 2)
        for (members, reason) in [
            (#""type":["VerifiableCredential"],"issuer":"relative","#, LinkedProofError.claimsUncovered),
            (#""type":["VerifiableCredential"],"validUntil":"2030-01-01T00:00:00Z","#, .claimsUncovered),
            (#""type":["VerifiableCredential"],"id":"relative","#, .claimsUncovered), (#""type":["Unknown"],"#, .credentialAmbiguous),
            (#""type":["VerifiableCredential"],"urn:other":{"type":"VerifiableCredential"},"#, .credentialAmbiguous),
            (#""type":["urn:x"],"urn:other":{"type":"VerifiableCredential"},"#, .credentialAmbiguous),
        ] {
            draft.members = members
            #expect(try draft.reason() == reason, "\(members)")
        }
    }

    /// Names are the sender's, statements the issuer's: exchanged names leave every statement, and so the signature, as it was.
    @Test func claimByAnotherName() throws {
        var draft = Draft()
        let jws = try draft.jws()
        draft.context = Draft.terms.replacing("\"urn:face\"", with: "\"urn:name\"").replacing("\"urn:age\"", with: "\"urn:face\"")
            .replacing("\"urn:name\"", with: "\"urn:age\"")
        draft.subject = #"{"id":"urn:subject","age":"data:,x","face":40}"#
        var verification = LinkedProofVerification(contexts: ContextStore([:]))
        let verified = try linkedResult(&verification, try draft.document(["jws": "\"\(jws)\""]), try draft.publicKey).get()
        let statements = try #require(verified.statements)
        #expect(statements.values(of: statements.subjects[0], "urn:face") == [.literal(Literal("data:,x"))])
    }

    /// The subject under a name that coverage does not look at.
    @Test func subjectByAnotherName() throws {
        var draft = Draft()
        let jws = try draft.jws()
        draft.members += #""cred:credentialSubject":{"id":"urn:subject","face":"data:,x","age":40,"unsigned":1},"#
        draft.subject = #"{"id":"urn:subject"}"#
        #expect(try draft.reason(try draft.document(["jws": "\"\(jws)\""])) == .claimsUncovered)
    }

    /// A context that makes "assertionMethod" mean what was signed as authentication.
    @Test func purposeByAnotherName() throws {
        let context = Draft.terms.replacing("sec:assertionMethod", with: "sec:authenticationMethod")
        var draft = Draft(context: context, optionsContext: .document)
        draft.proof["type"] = #""DataIntegrityProof""#
        draft.proof["cryptosuite"] = #""eddsa-rdfc-2022""#
        #expect(try draft.reason(try draft.document(["proofValue": #""z2""#])) == .optionsUncovered)
        draft.context = Draft.terms
        #expect(try draft.reason(try draft.document(["proofValue": #""z2""#])) == .signatureInvalid)
    }

    @Test func base58() {
        func decode(_ text: String) -> [UInt8]? { Base58.decode(Array(text.utf8)[...]) }
        #expect(decode("JxF12TrwUP45BMd") == Array("Hello World".utf8))
        #expect(decode("1112") == [0, 0, 0, 1])
        #expect(decode("5Q") == [255] && decode("5R") == [1, 0])
        for text in ["", "0", "O", "I", "l", "a b", String(repeating: "2", count: 161)] { #expect(decode(text) == nil) }
        #expect(Multibase.decode(Array("uAA".utf8)) == nil)
        #expect(Multikey.publicKey("z6Mk") == nil)
    }
}
