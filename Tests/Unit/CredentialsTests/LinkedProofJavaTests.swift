import Cryptography
import Foundation
import JSON
import LinkedData
import Testing

@testable import Credentials
@testable import Envelopes
@testable import Trust

/// The signed documents of ld-signatures-java, which MOSIP's and Inji's issuers and verifiers sign and verify with.
///
/// No credentials: no issuer, no subject, and proofs of before `verificationMethod` and `proofPurpose` existed. So only what is signed and
/// how is run, through the code that credentials go through. JcsEd25519Signature2020 and JcsEcdsaSecp256k1Signature2019 are left out: no
/// suites of this verifier.
@Suite(.enabled(if: LinkedSamples.haveJava, Suites.absent))
struct LinkedProofJavaTests {
    private static let suites: [LinkedProofSuite] = [
        .rsaSignature2018, .ed25519Signature2018, .ed25519Signature2020, .ecdsaSecp256k1Signature2019,
    ]
    private static let others = ["JcsEd25519Signature2020", "JcsEcdsaSecp256k1Signature2019"]
    private static let security = "https://w3id.org/security/v3"

    private func file(_ verdict: String, _ type: String) -> URL {
        LinkedSamples.java.appending(path: "src/test/resources/info/weboftrust/ldsignatures/signed.\(verdict).\(type).jsonld")
    }

    private func key(_ suite: LinkedProofSuite) throws -> PublicKey {
        let keys = try LinkedSamples.json(LinkedSamples.java.appending(path: "public-keys.json"))
        let name = [.rsaSignature2018: "RSA_pem", .ecdsaSecp256k1Signature2019: "secp256k1_compressed_hex"][suite] ?? "Ed25519_hex"
        let text = try #require(keys[name]?.stringBytes)
        if suite == .rsaSignature2018 { return try PublicKey(pem: text.span) }
        let octets = try #require(Hexadecimal.decode(text[...]))
        guard suite == .ecdsaSecp256k1Signature2019 else { return try PublicKey(ed25519: octets.span) }
        return try PublicKey(curve: .secp256k1, point: octets.span)
    }

    private func isSigned(_ document: JSONValue, _ suite: LinkedProofSuite) throws -> Bool {
        let contexts = ContextStore([
            Self.security: try LinkedSamples.bytes(LinkedSamples.folder.appending(path: "contexts/security-v3-unstable.jsonld"))
        ])
        let proof = try #require(document["proof"])
        #expect(proof["type"]?.string == suite.typeName)
        let key = try key(suite)
        let text = try #require(proof[suite.notation == .detachedJWS ? "jws" : "proofValue"]?.stringBytes)
        let signature = try ProofSignature(text, suite, for: key)
        var data = ProofHashData(digest: suite.digest(for: key), processor: LinkedDataProcessor(store: contexts))
        let context = try JSONDocument(parsing: Array("\"\(Self.security)\"".utf8))
        let options = try data.options(proof, under: context.root)
        #expect(options.journal.isEmpty && options.graph.quads.count == 4)
        let canonical = try data.document(try UnsecuredDocument(document)).canonical.nquads
        return signature.isSigned(by: key, over: try data.toBeSigned(options: options.canonical.nquads, document: canonical))
    }

    @Test("ld-signatures-java: 4 of 4 good documents verify, of the 4 suites of 6 that this verifier has", arguments: Self.suites)
    func good(_ suite: LinkedProofSuite) throws {
        #expect(try isSigned(try LinkedSamples.json(file("good", suite.typeName)), suite))
    }

    @Test("ld-signatures-java: 4 of 4 bad documents do not verify, of the 4 suites of 6 that this verifier has", arguments: Self.suites)
    func bad(_ suite: LinkedProofSuite) throws {
        #expect(try !isSigned(try LinkedSamples.json(file("bad", suite.typeName)), suite))
    }

    /// As credentials, all twelve are refused: the good ones name no key.
    @Test func noCredentials() throws {
        for type in Self.suites.map(\.typeName) + Self.others {
            for verdict in ["good", "bad"] {
                let document = try LinkedSamples.json(file(verdict, type))
                #expect(throws: LinkedProofError.self) { try LinkedProof.proofs(of: document) }
                #expect(!DataModelRules.faults(of: document).isEmpty)
            }
        }
    }
}
