import Cryptography
import Foundation
import JSON
import LinkedData
import Testing

@testable import Credentials

/// Proof sets and chains: W3C's vectors, and every way to take one apart.
@Suite(.enabled(if: LinkedSamples.haveVectors, Suites.absent))
struct LinkedProofChainTests {
    private static let folder = LinkedSamples.eddsa.appending(path: "proof-set-chain")
    private static let ids = [
        "26329423-bec9-4b2e-88cb-a7c7d9dc4544", "8cc9022b-6b14-4cf3-8571-74972c5feb54", "d94f792a-c546-4d06-b38a-da070ab56c23",
    ]

    private func text(_ file: String) throws -> String { try LinkedSamples.text(Self.folder.appending(path: file)) }

    /// The document of the longest chain with other proofs: their JSON text, in order.
    private func document(_ proofs: [String]) throws -> String {
        let chain = try JSONDocument(parsing: Array(try text("signedProofChain2.json").utf8)).root
        var writer = JSONWriter()
        writer.object { writer in
            for member in chain.members! where member.name != "proof" {
                writer.name(copying: member.key)
                writer.copy(member.value)
            }
        }
        return writer.text.dropLast() + ",\"proof\":[" + proofs.joined(separator: ",") + "]}"
    }

    /// The four proofs of the longest chain: two, one after both, one after that.
    private func proofs() throws -> [String] {
        let names = ["proofSetConfigSigned1", "proofSetConfigSigned2", "proofChainConfigSigned1", "proofChainConfigSigned2"]
        return try names.map { try text("\($0).json") }
    }

    private func result(
        _ text: String, known: (LinkedProof) -> Bool = { _ in true }
    ) throws -> Result<VerifiedProofSet, LinkedProofError> {
        var verification = LinkedProofVerification(contexts: try LinkedSamples.contexts())
        let document = try JSONDocument(parsing: Array(text.utf8)).root
        do throws(LinkedProofError) {
            return .success(
                try verification.verify(document, at: LinkedSamples.time) { known($0) ? LinkedSamples.key($0.verificationMethod) : nil })
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [("signedProofSet1", 1), ("signedProofSet2", 2), ("signedProofChain1", 3), ("signedProofChain2", 4)])
    func vector(_ name: String, _ count: Int) throws {
        let set = try result(try text("\(name).json")).get()
        #expect(set.documents.count == count && set.ignoredProofs == 0)
        for document in set.documents {
            let statements = try #require(document.statements)
            #expect(statements.credential == .iri("urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33"))
            #expect(statements.subjects == [.iri("did:example:abcdefgh")])
            #expect(document.coverage?.uncovered == [])
            // A proof's graph is no part of what is read.
            #expect(!statements.quads.contains { $0.graph != nil })
        }
    }

    /// The vectors' intermediate documents are exactly what a proof in the chain is made over.
    @Test(arguments: [("proofChainTempDoc1", [0, 1]), ("proofChainTempDoc2", [2])])
    func inputDocument(_ name: String, _ before: [Int]) throws {
        let expected = try CanonicalJSON.bytes(of: try JSONDocument(parsing: Array(try text("\(name).json").utf8)).root)
        let chain = try JSONDocument(parsing: Array(try text("signedProofChain2.json").utf8)).root
        let all = try LinkedProof.proofs(of: chain)
        var data = ProofHashData(digest: .sha256, processor: LinkedDataProcessor(store: ContextStore([:])))
        let input = try #require(try ProofChain.document(chain, after: before.map { all[$0] }, &data))
        #expect(try data.canonicalJSON(input) == expected)
    }

    @Test func orderOfProofsIsNothing() throws {
        let proofs = try proofs()
        #expect(try result(try document(proofs.reversed())).get().documents.count == 4)
        #expect(try result(try document([2, 0, 3, 1].map { proofs[$0] })).get().documents.count == 4)
    }

    @Test func ignoredProofs() throws {
        let proofs = try proofs(), whole = try document(proofs)
        func isFrom(_ numbers: [Int]) throws -> (LinkedProof) -> Bool {
            let methods = try numbers.map {
                try #require(try JSONDocument(parsing: Array(proofs[$0].utf8)).root["verificationMethod"]?.string)
            }
            return { methods.contains($0.verificationMethod) }
        }
        let first = try result(whole, known: try isFrom([0])).get()
        #expect(first.documents.count == 1 && first.ignoredProofs == 3)
        #expect(try result(whole, known: try isFrom([0, 1, 2])).get().ignoredProofs == 1)
        #expect(try result(whole, known: { _ in false }).reason == .keyUnknown)
        // What a known signer built on must be known too.
        for numbers in [[2], [3], [0, 2], [1, 2], [2, 3], [0, 1, 3], [0, 3]] {
            #expect(try result(whole, known: try isFrom(numbers)).reason == .previousProofRefused, "\(numbers)")
        }
        // A kind of proof that is unknown here changes nothing, and stands for nothing.
        let foreign = #"{"type":"DataIntegrityProof","cryptosuite":"bbs-2023","id":"urn:foreign","proofValue":"u0"}"#
        #expect(try result(try document(proofs + [foreign])).get().ignoredProofs == 1)
        #expect(try result(try document([foreign])).reason == .cryptosuiteRefused)
        #expect(try result(try document([#"{"type":"Unknown"}"#])).reason == .typeRefused)
        for malformed in ["null", "[]", "1", "{}", #"{"type":"DataIntegrityProof","cryptosuite":"eddsa-rdfc-2022","proofValue":"z2"}"#] {
            #expect(try result(try document(proofs + [malformed])).reason != nil, "\(malformed)")
        }
    }

    @Test func missingLinks() throws {
        let proofs = try proofs()
        for kept in [[2], [3], [0, 2], [1, 2], [2, 3], [0, 1, 3]] {
            #expect(try result(try document(kept.map { proofs[$0] })).reason == .previousProofRefused, "\(kept)")
        }
        for kept in [[0], [1], [0, 1], [0, 1, 2]] {
            #expect(try result(try document(kept.map { proofs[$0] })).get().documents.count == kept.count)
        }
        #expect(try result(try document([])).reason == .proofMissing)
        #expect(try result(try document(Array(repeating: proofs[0], count: 9))).reason == .tooComplex)
    }

    @Test func changedLinks() throws {
        let proofs = try proofs()
        func changed(_ number: Int, _ from: String, _ to: String) throws -> LinkedProofError? {
            var other = proofs
            other[number] = proofs[number].replacing(from, with: to)
            #expect(other[number] != proofs[number])
            return try result(try document(other)).reason
        }
        let previous = "\"previousProof\": [\n    \"urn:uuid:\(Self.ids[0])\",\n    \"urn:uuid:\(Self.ids[1])\"\n  ]"
        // Without its link, with half of it, with another's: each is another document and other options.
        #expect(try changed(2, previous + ",", "") == .signatureInvalid)
        #expect(try changed(2, previous, "\"previousProof\": \"urn:uuid:\(Self.ids[0])\"") == .signatureInvalid)
        #expect(try changed(3, Self.ids[2], Self.ids[0]) == .signatureInvalid)
        // Order within the list makes no statement.
        #expect(try changed(2, previous, "\"previousProof\": [\"urn:uuid:\(Self.ids[1])\",\"urn:uuid:\(Self.ids[0])\"]") == nil)
        for (value, reason) in [
            ("[]", LinkedProofError.proofMalformed), ("null", .proofMalformed), ("\"\"", .proofMalformed), ("7", .proofMalformed),
            ("{}", .proofMalformed),
            ("[null]", .proofMalformed), ("[[]]", .proofMalformed), ("[\"urn:a\",\"urn:a\"]", .proofMalformed),
            ("\"urn:a\"", .previousProofRefused),
            ("[\"urn:uuid:\(Self.ids[0])\",\"urn:a\"]", .previousProofRefused), ("\"urn:uuid:\(Self.ids[2])\"", .previousProofRefused),
        ] {
            #expect(try changed(2, previous, "\"previousProof\": \(value)") == reason, "\(value)")
        }
        // A proof's own name is signed.
        #expect(try changed(0, "\"id\": \"urn:uuid:\(Self.ids[0])\",", "") != nil)
        #expect(try changed(0, Self.ids[0], "00000000-0000-0000-0000-000000000000") == .signatureInvalid)
        #expect(try changed(0, "\"id\": \"urn:uuid:\(Self.ids[0])\"", "\"id\": \"\"") == .proofMalformed)
        #expect(try changed(0, "\"id\": \"urn:uuid:\(Self.ids[0])\"", "\"id\": {}") == .proofMalformed)
        #expect(try changed(1, Self.ids[1], Self.ids[0]) == .previousProofRefused, "one name for two proofs")
        // A previous signature that does not verify.
        #expect(try changed(0, "z66vWy", "z66vWz") == .signatureInvalid)
    }

    @Test func circles() throws {
        var proofs = try proofs()
        proofs[0] = proofs[0].replacing("\"proofValue\"", with: "\"previousProof\": \"urn:uuid:\(Self.ids[2])\", \"proofValue\"")
        #expect(try result(try document(proofs)).reason == .previousProofRefused)
        #expect(try result(try document([proofs[0].replacing(Self.ids[2], with: Self.ids[0])])).reason == .previousProofRefused)
    }

    /// A name used twice leaves open which proof is meant, even when the second is one that would be ignored.
    @Test func repeatedNames() throws {
        let proofs = try proofs()
        #expect(try result(try document([proofs[0], proofs[0]])).reason == .previousProofRefused)
        let decoy = #"{"type":"Unknown","id":"urn:uuid:\#(Self.ids[0])"}"#
        #expect(try result(try document(proofs + [decoy])).reason == .previousProofRefused)
    }

    /// A changed claim under each proof of a chain.
    @Test func changedClaim() throws {
        let whole = try document(try proofs())
        for (from, to) in [
            ("The School of Examples", "Another School"), ("did:example:abcdefgh", "did:example:mallory"),
            ("2023-01-01T00:00:00Z", "2022-01-01T00:00:00Z"),
        ] {
            let forged = whole.replacing(from, with: to)
            #expect(forged != whole)
            #expect(try result(forged).reason == .signatureInvalid)
        }
        let added = whole.replacing("\"credentialSubject\":{", with: "\"credentialSubject\":{\"noContextHasThis\":1,")
        #expect(try added != whole && result(added).reason != nil)
    }
}
