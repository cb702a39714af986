import Cryptography
import Foundation
import JSON
import LinkedData
import Testing

/// The W3C's Data Integrity vectors: the canonical forms of documents and proof options that their signatures are made over.
@Suite struct CredentialTests {
    private static let pinned = [
        "https://www.w3.org/2018/credentials/v1": "w3c-credentials-v1.jsonld",
        "https://www.w3.org/ns/credentials/v2": "w3c-credentials-v2.jsonld",
        "https://w3id.org/citizenship/v4rc1": "ccg/citizenship-v4rc1.jsonld", "https://w3id.org/security/v3": "security-v3-unstable.jsonld",
        "https://w3id.org/security/suites/ed25519-2020/v1": "suites-ed25519-2020.jsonld",
        "https://www.w3.org/ns/odrl.jsonld": "odrl-context.json",
        "https://api.collab.mosip.net/.well-known/mosip-ida-context.json": "mosip-ida-context.json",
    ]
    private static let contexts = Suites.root.appendingPathComponent("credentials/contexts")
    private static let hasContexts = FileManager.default.fileExists(
        atPath: contexts.appendingPathComponent("w3c-credentials-v2.jsonld").path)

    private static func store() throws -> ContextStore {
        var documents = [
            "https://www.w3.org/ns/credentials/examples/v2": Array(
                #"{"@context": {"@vocab": "https://www.w3.org/ns/credentials/examples#"}}"#.utf8)
        ]
        for (url, name) in pinned { documents[url] = try Suites.bytes(contexts.appendingPathComponent(name)) }
        return ContextStore(documents)
    }

    /// The document without its proof.
    private static func unsigned(_ url: URL) throws -> JSONValue {
        let root = try Suites.json(url).root
        var writer = JSONWriter()
        writer.object { writer in
            for member in root.members.map(Array.init) ?? [] where !member.key.isString("proof") {
                writer.name(copying: member.key)
                writer.copy(member.value)
            }
        }
        return try JSONDocument(parsing: writer.bytes).root
    }

    static let vectors: [(String, String, DigestAlgorithm)] = [
        ("vc-di-eddsa/TestVectors/eddsa-rdfc-2022", "DataInt", .sha256),
        ("vc-di-eddsa/TestVectors/eddsa-rdfc-2022/employ", "DataInt", .sha256),
        ("vc-di-eddsa/TestVectors/Ed25519Signature2020", "EdSig", .sha256),
        ("vc-di-ecdsa/TestVectors/ecdsa-rdfc-2019-p256", "ECDSAP256", .sha256),
        ("vc-di-ecdsa/TestVectors/ecdsa-rdfc-2019-p256/employ", "ECDSAP256", .sha256),
        ("vc-di-ecdsa/TestVectors/ecdsa-rdfc-2019-p384", "ECDSAP384", .sha384),
        ("vc-di-ecdsa/TestVectors/ecdsa-rdfc-2019-p384/employ", "ECDSAP384", .sha384),
    ]

    @Test(.enabled(if: hasContexts, "needs the credential contexts and suites"), arguments: vectors)
    func dataIntegrity(_ folder: String, _ name: String, _ algorithm: DigestAlgorithm) throws {
        let folder = Suites.root.appendingPathComponent("credentials/suites/" + folder)
        var processor = LinkedDataProcessor(store: try CredentialTests.store())
        for (document, expected) in [
            (try CredentialTests.unsigned(folder.appendingPathComponent("signed\(name).json")), "canonDoc\(name).txt"),
            (try Suites.json(folder.appendingPathComponent("proofConfig\(name).json")).root, "proofCanon\(name).txt"),
        ] {
            let result = try processor.dataset(of: document)
            let canonical = try Canonicalization.canonicalize(result.dataset, algorithm: algorithm).nquads
            #expect(
                String(decoding: canonical, as: UTF8.self)
                    == String(decoding: try Suites.bytes(folder.appendingPathComponent(expected)), as: UTF8.self))
        }
    }

    /// A whole credential of 474 kB, portrait and all, within the standard limits.
    @Test(.enabled(if: hasContexts, "needs the credential samples"))
    func identityCredential() throws {
        let url = Suites.root.appendingPathComponent("credentials/samples/vc-verifier/ldp_vc/PS256SignedMosipVC.json")
        let document = try CredentialTests.unsigned(url)
        var processor = LinkedDataProcessor(store: try CredentialTests.store())
        for _ in 0..<3 {
            let result = try processor.dataset(of: document)
            let canonical = try Canonicalization.canonicalize(result.dataset)
            #expect(result.dataset.quads.count > 10)
            #expect(canonical.nquads.count > 10_000)
            #expect(result.journal.dropped.map(\.reason).contains(.relativeType))
        }
    }
}
