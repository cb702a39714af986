import Cryptography
import Foundation
import JSON
import LinkedData
import TestSupport
import Testing

@testable import Credentials
@testable import Envelopes
@testable import Trust

/// The test vectors of W3C's Data Integrity cryptosuites, every intermediate value of them.
@Suite(.enabled(if: LinkedSamples.haveVectors, Suites.absent))
struct LinkedProofVectorTests {
    struct Vector: CustomStringConvertible, Sendable {
        let folder: URL
        let suffix: String
        let suite: LinkedProofSuite

        var description: String { "\(folder.deletingLastPathComponent().lastPathComponent)/\(folder.lastPathComponent)" }
        func file(_ name: String, _ ending: String) -> URL { folder.appending(path: name + suffix + "." + ending) }
    }

    static let vectors: [Vector] = {
        func eddsa(_ path: String, _ suffix: String, _ suite: LinkedProofSuite) -> Vector {
            Vector(folder: LinkedSamples.eddsa.appending(path: path), suffix: suffix, suite: suite)
        }
        func ecdsa(_ path: String, _ suffix: String, _ suite: LinkedProofSuite) -> Vector {
            Vector(folder: LinkedSamples.ecdsa.appending(path: path), suffix: suffix, suite: suite)
        }
        return [
            eddsa("eddsa-rdfc-2022", "DataInt", .eddsaRDFC2022), eddsa("eddsa-rdfc-2022/employ", "DataInt", .eddsaRDFC2022),
            eddsa("eddsa-jcs-2022", "JCS", .eddsaJCS2022), eddsa("Ed25519Signature2020", "EdSig", .ed25519Signature2020),
            ecdsa("ecdsa-rdfc-2019-p256", "ECDSAP256", .ecdsaRDFC2019), ecdsa("ecdsa-rdfc-2019-p256/employ", "ECDSAP256", .ecdsaRDFC2019),
            ecdsa("ecdsa-rdfc-2019-p384", "ECDSAP384", .ecdsaRDFC2019), ecdsa("ecdsa-rdfc-2019-p384/employ", "ECDSAP384", .ecdsaRDFC2019),
            ecdsa("ecdsa-jcs-2019-p256", "JCSECDSAP256", .ecdsaJCS2019), ecdsa("ecdsa-jcs-2019-p384", "JCSECDSAP384", .ecdsaJCS2019),
        ]
    }()

    @Test(arguments: Self.vectors)
    func vector(_ vector: Vector) throws {
        let document = try LinkedSamples.json(vector.file("signed", "json"))
        let proof = try #require(try LinkedProof.proofs(of: document).first)
        #expect(proof.suite == vector.suite)
        let key = try #require(LinkedSamples.key(proof.verificationMethod))
        let unsecured = try UnsecuredDocument(document)
        var hashData = ProofHashData(
            digest: vector.suite.digest(for: key), processor: LinkedDataProcessor(store: try LinkedSamples.contexts()))
        let canonical: [UInt8], options: [UInt8]
        switch vector.suite.transformation {
        case .canonicalJSON:
            canonical = try hashData.canonicalJSON(unsecured)
            options = try hashData.canonicalJSONOptions(of: proof)
        case .dataset:
            canonical = try hashData.document(unsecured).canonical.nquads
            options = try hashData.options(of: proof, of: unsecured, under: .document)
        }
        func trimmed(_ octets: [UInt8]) -> String {
            String(decoding: octets, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        #expect(trimmed(canonical) == (try LinkedSamples.text(vector.file("canonDoc", "txt"))))
        #expect(trimmed(options) == (try LinkedSamples.text(vector.file("proofCanon", "txt"))))
        #expect(Hex.text(try hashData.hash(canonical)) == (try LinkedSamples.text(vector.file("docHash", "txt"))))
        #expect(Hex.text(try hashData.hash(options)) == (try LinkedSamples.text(vector.file("proofHash", "txt"))))
        let combined = try hashData.toBeSigned(options: options, document: canonical)
        #expect(Hex.text(combined) == (try LinkedSamples.text(vector.file("combinedHash", "txt"))))
        #expect(Hex.text(Multibase.decode(proof.signature) ?? []) == (try LinkedSamples.text(vector.file("sigHex", "txt"))))
        _ = try LinkedSamples.result(document, key).get()
    }

    /// One character of the signature, of the time, of a claim: each alone is noticed.
    @Test(arguments: Self.vectors)
    func changed(_ vector: Vector) throws {
        let text = try LinkedSamples.text(vector.file("signed", "json"))
        let document = try JSONDocument(parsing: Array(text.utf8)).root
        let proof = try #require(try LinkedProof.proofs(of: document).first)
        let key = try #require(LinkedSamples.key(proof.verificationMethod))
        let value = try #require(document["proof"]?["proofValue"]?.string)
        let last = value.last == "2" ? "3" : "2"
        let forgeries = [
            text.replacing(value, with: value.dropLast() + last), text.replacing(value, with: value.dropLast()),
            text.replacing(value, with: "u" + value.dropFirst()),
            text.replacing(try #require(proof.created?.text), with: "2021-01-01T00:00:00Z"),
            text.replacing("\"validFrom\": \"2", with: "\"validFrom\": \"1"),
            text.replacing("\"credentialSubject\": {", with: "\"credentialSubject\": {\"noContextHasThis\": \"x\","),
        ]
        for forged in forgeries {
            #expect(forged != text)
            #expect(try LinkedSamples.result(try JSONDocument(parsing: Array(forged.utf8)).root, key).reason != nil)
        }
    }

    /// Each proof of a set stands alone; one of a chain does not.
    @Test func setsAndChains() throws {
        let folder = LinkedSamples.eddsa.appending(path: "proof-set-chain")
        let set = try LinkedSamples.json(folder.appending(path: "signedProofSet2.json"))
        let proofs = try LinkedProof.proofs(of: set)
        #expect(proofs.count == 2)
        var verification = LinkedProofVerification(contexts: try LinkedSamples.contexts())
        for proof in proofs {
            let key = try #require(LinkedSamples.key(proof.verificationMethod))
            _ = try verification.verify(set, proof, key: key, at: LinkedSamples.time)
        }
        let chain = try LinkedSamples.json(folder.appending(path: "signedProofChain1.json"))
        let last = try #require(try LinkedProof.proofs(of: chain).last)
        let key = try #require(LinkedSamples.key(last.verificationMethod))
        #expect(throws: LinkedProofError.previousProofRefused) { try verification.verify(chain, last, key: key, at: LinkedSamples.time) }
    }
}
