import Cryptography
import Foundation
import JSON
import LinkedData

@testable import Credentials
@testable import Envelopes
@testable import Trust

/// Signed JSON-LD credentials of others and the contexts they name, read where they lie.
enum LinkedSamples {
    static let folder = Suites.folder.appending(path: "credentials")
    static let mosip = folder.appending(path: "samples/vc-verifier")
    static let inji = folder.appending(path: "samples/inji-vc-verifier-2026")
    static let eddsa = folder.appending(path: "suites/vc-di-eddsa/TestVectors")
    static let ecdsa = folder.appending(path: "suites/vc-di-ecdsa/TestVectors")
    static let java = folder.appending(path: "suites/ld-signatures-java")
    private static let contextFolder = folder.appending(path: "contexts")

    /// Later than everything here was made; no proof has an end.
    static let time: Seconds = 1_900_000_000

    static var arePresent: Bool { [mosip, inji, contextFolder].allSatisfy(Suites.isPresent) }
    static var haveVectors: Bool { [eddsa, ecdsa, contextFolder].allSatisfy(Suites.isPresent) }

    static var haveJava: Bool { [java, contextFolder].allSatisfy(Suites.isPresent) }

    private static let files = [
        "https://www.w3.org/2018/credentials/v1": "w3c-credentials-v1.jsonld",
        "https://www.w3.org/ns/credentials/v2": "w3c-credentials-v2.jsonld",
        "https://www.w3.org/ns/credentials/examples/v2": "ssi/w3c-ns-credentials-examples-v2.jsonld",
        "https://www.w3.org/ns/odrl.jsonld": "odrl-context.json",
        "https://w3id.org/citizenship/v4rc1": "ccg/citizenship-v4rc1.jsonld",
        "https://w3id.org/security/suites/jws-2020/v1": "suites-jws-2020.jsonld",
        "https://w3id.org/security/suites/ed25519-2020/v1": "suites-ed25519-2020.jsonld",
        "https://api.collab.mosip.net/.well-known/mosip-ida-context.json": "mosip-ida-context.json",
        "https://mosip.github.io/inji-config/contexts/mock-identity-context.json": "mock-identity-context.json",
        "https://piyush7034.github.io/my-files/farmer.json": "farmer-context.json",
        "https://inji.github.io/inji-config/contexts/farmer.json": "farmer-context-inji.json",
        "https://vharsh.github.io/DID/SchoolCredential.json": "school-context.json",
        "https://holashchand.github.io/test_project/insurance-context.json": "insurance-context.json",
    ]

    static func contextDocuments() throws -> [TrustContents.ContextDocument] {
        try files.map { TrustContents.ContextDocument(url: $0.key, bytes: try bytes(contextFolder.appending(path: $0.value))) }
    }

    static func contexts() throws -> ContextStore {
        ContextStore(Dictionary(uniqueKeysWithValues: try contextDocuments().map { ($0.url, $0.bytes) }))
    }

    static func bytes(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }
    static func json(_ url: URL) throws -> JSONValue { try JSONDocument(parsing: try bytes(url)).root }
    static func text(_ url: URL) throws -> String {
        try String(contentsOf: url, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The key with exactly that id in a published key or DID document.
    static func key(_ method: String, in file: URL) throws -> PublicKey? {
        let document = try json(file)
        let entries = [document] + (document["verificationMethod"]?.elements.map(Array.init) ?? [])
        guard let entry = entries.first(where: { $0["id"]?.isString(method) == true && $0["type"] != nil }) else { return nil }
        if let text = entry["publicKeyMultibase"]?.string { return Multikey.publicKey(text) }
        if let value = entry["publicKeyJwk"] { return JSONWebKey(value)?.key }
        let pem = entry["publicKeyPem"]?.stringBytes ?? []
        return try PublicKey(pem: pem.span)
    }

    /// The key a did:key is made of.
    static func key(_ method: String) -> PublicKey? {
        method.split(separator: "#").last.flatMap { Multikey.publicKey(String($0)) }
    }

    static func result(
        _ document: JSONValue, _ key: PublicKey, purpose: LinkedProof.Purpose = .assertionMethod
    ) throws -> Result<VerifiedLinkedDocument, LinkedProofError> {
        var verification = LinkedProofVerification(contexts: try contexts())
        return linkedResult(&verification, document, key, purpose)
    }
}

func linkedResult(
    _ verification: inout LinkedProofVerification, _ document: JSONValue, _ key: PublicKey,
    _ purpose: LinkedProof.Purpose = .assertionMethod
) -> Result<VerifiedLinkedDocument, LinkedProofError> {
    do throws(LinkedProofError) {
        let proofs = try LinkedProof.proofs(of: document)
        return .success(try verification.verify(document, proofs[0], key: key, purpose: purpose, at: LinkedSamples.time))
    } catch {
        return .failure(error)
    }
}

extension Result where Failure == LinkedProofError {
    var reason: LinkedProofError? { if case .failure(let error) = self { error } else { nil } }
}

extension VerifiedLinkedDocument {
    var statements: LinkedStatements? { if case .statements(let statements, _) = content { statements } else { nil } }
    var coverage: LinkedCoverage? { if case .statements(_, let coverage) = content { coverage } else { nil } }
}
