import JSON
import LinkedData
import Testing

@testable import Credentials
@testable import Trust

/// For which of its signed types a JSON-LD credential is believed.
@Suite struct LinkedTypeTests {
    private static let bare = "https://www.w3.org/2018/credentials#VerifiableCredential"
    /// What these tests need of the data model's context, pinned under its URL.
    private static let context = TrustContents.ContextDocument(
        url: "https://www.w3.org/2018/credentials/v1",
        bytes: Array(
            #"""
            {"@context":{"id":"@id","type":"@type","cred":"https://www.w3.org/2018/credentials#","VerifiableCredential":"cred:VerifiableCredential",
            "issuer":{"@id":"cred:issuer","@type":"@id"},"credentialSubject":"cred:credentialSubject","face":"urn:face",
            "issuanceDate":{"@id":"cred:issuanceDate","@type":"http://www.w3.org/2001/XMLSchema#dateTime"}}}
            """#.utf8))

    private func credential(types: [String], jws: String) -> [UInt8] {
        Array(
            #"""
            {"@context":["https://www.w3.org/2018/credentials/v1"],"type":\#(list(types)),"issuer":"https://issuer.example",
            "issuanceDate":"2026-01-01T00:00:00Z","credentialSubject":{"id":"urn:subject","face":"data:,x"},
            "proof":{"type":"Ed25519Signature2018","created":"2026-01-01T00:00:00Z","verificationMethod":"urn:key-1","proofPurpose":"assertionMethod","jws":"\#(jws)"}}
            """#.utf8)
    }

    private func jws(types: [String]) throws -> String {
        let document = try JSONDocument(parsing: credential(types: types, jws: "")).root
        let store = ContextStore([Self.context.url: Self.context.bytes])
        var data = ProofHashData(digest: .sha256, processor: LinkedDataProcessor(store: store))
        let options = try data.options(try #require(document["proof"]), under: SecurityTerms.context).canonical.nquads
        let hash = try data.toBeSigned(options: options, document: try data.document(try UnsecuredDocument(document)).canonical.nquads)
        let header = base64URL(#"{"alg":"EdDSA","b64":false,"crit":["b64"]}"#)
        return "\(header)..\(base64URL(TestKey.ed25519.sign(Array("\(header).".utf8) + hash)))"
    }

    private func verifier(types: [String]) throws -> CredentialVerifier {
        let issuer = #"""
            {"gatehouse-trust":1,"ids":["https://issuer.example"],"keys":[{"kid":"urn:key-1","jwk":\#(TestKey.ed25519.jwk)}],"forms":["ldp_vc"],"algorithms":["EdDSA"],
            "suites":["Ed25519Signature2018"],"types":\#(list(types)),"claims":{"portrait":["urn:face"]},"requires":["portrait"]}
            """#
        return CredentialVerifier(
            trust: try TrustStore(
                TrustContents(
                    issuers: [TrustContents.IssuerText(name: "issuer.json", bytes: Array(issuer.utf8))], contexts: [Self.context])))
    }

    /// Anyone can write signed types in another order. Which of several trusted ones counts must not be the sender's choice.
    @Test(arguments: [
        (["urn:staff", "urn:visitor"], "urn:staff"), (["urn:visitor", "urn:staff"], "urn:visitor"),
        ([Self.bare, "urn:visitor"], "urn:visitor"),
        (["urn:other", Self.bare], Self.bare),
    ])
    func orderIsTheTrustFiles(trusted: [String], counts: String) throws {
        let signed = ["VerifiableCredential", "urn:visitor", "urn:staff"]
        let verifier = try verifier(types: trusted), jws = try jws(types: signed)
        for types in [signed, signed.reversed(), ["urn:staff", "VerifiableCredential", "urn:visitor"]] {
            let verdict = verifier.verify(credential(types: types, jws: jws), at: 1_800_000_000)
            #expect(verdict.credential?.type == counts, "\(verdict.reasons)")
        }
    }
}
