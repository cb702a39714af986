import Cryptography
import JSON
import LinkedData
import Testing

@testable import Credentials

/// Chains made here, under contexts that say of `proof` whatever they like: a signature that is good and binds nothing before it is none.
@Suite struct LinkedProofChainContextTests {
    private struct Chain {
        var context = Chain.terms()
        var cryptosuite = "eddsa-rdfc-2022"
        /// More members of the first proof.
        var more = ""

        static let proof = #""proof":{"@id":"sec:proof","@type":"@id","@container":"@graph"}"#
        static let value = #""proofValue":{"@id":"sec:proofValue","@type":"sec:multibase"}"#

        static func terms(_ proof: String = proof, _ value: String = value) -> String {
            let own = [proof, value, #""previousProof":{"@id":"sec:previousProof","@type":"@id"},"domain":"sec:domain""#].filter {
                !$0.isEmpty
            }
            return "{" + own.joined(separator: ",") + "," + LinkedDraft.terms.drop { $0 != "{" }.dropFirst()
        }

        private func text(_ proofs: [String]) -> String {
            let draft = LinkedDraft()
            return
                "{\"@context\":\(context),\(draft.members)\"credentialSubject\":\(draft.subject),\"proof\":[\(proofs.joined(separator: ","))]}"
        }

        /// The proof of that number, made after those in `before`.
        private func proof(_ number: Int, after before: [String]) throws -> String {
            var members = #""type":"DataIntegrityProof","cryptosuite":"\#(cryptosuite)","id":"urn:proof:\#(number)","#
            members += #""created":"2026-01-01T00:00:00Z","verificationMethod":"did:example:issuer#key","proofPurpose":"assertionMethod""#
            if !before.isEmpty { members += #","previousProof":"urn:proof:\#(number - 1)""# } else { members += more }
            let isJSON = cryptosuite.contains("jcs")
            if isJSON { members += ",\"@context\":\(context)" }
            let document = try JSONDocument(parsing: Array(text(before).utf8)).root
            let options = try JSONDocument(parsing: Array("{\(members)}".utf8)).root
            let previous = before.isEmpty ? [] : Array(document["proof"]!.elements!)
            let input = try UnsecuredDocument(document, previous: previous)
            var data = ProofHashData(digest: .sha256, processor: LinkedDataProcessor(store: ContextStore([:])))
            let message = try data.toBeSigned(
                options: isJSON ? data.canonicalJSON(options) : data.options(options, under: input.context).canonical.nquads,
                document: isJSON ? data.canonicalJSON(input) : data.document(input).canonical.nquads)
            return "{\(members),\"proofValue\":\"z\(base58(TestKey.ed25519.sign(message)))\"}"
        }

        func signed() throws -> String {
            let first = try proof(1, after: [])
            return text([first, try proof(2, after: [first])])
        }

        func result(_ text: String? = nil) throws -> Result<VerifiedProofSet, LinkedProofError> {
            let document = try JSONDocument(parsing: Array((text ?? signed()).utf8)).root
            let key = try LinkedDraft().publicKey
            var verification = LinkedProofVerification(contexts: ContextStore([:]))
            do throws(LinkedProofError) {
                return .success(try verification.verify(document, at: LinkedSamples.time) { _ in key })
            } catch {
                return .failure(error)
            }
        }
    }

    @Test(arguments: ["eddsa-rdfc-2022", "eddsa-jcs-2022"])
    func good(_ cryptosuite: String) throws {
        let chain = Chain(cryptosuite: cryptosuite)
        let signed = try chain.signed()
        let set = try chain.result(signed).get()
        #expect(set.documents.count == 2 && set.ignoredProofs == 0)
        for document in set.documents {
            switch document.content {
            case .statements(let statements, _): #expect(statements.quads.allSatisfy { $0.graph == nil })
            case .canonicalJSON(let json): #expect(json.root["proof"] == nil && json.root["credentialSubject"] != nil)
            }
        }
        // Another first proof, as good as the one the second was made after: only the time differs.
        var other = Chain(cryptosuite: cryptosuite)
        other.more = ",\"domain\":\"other\""
        let first = try proofs(try other.signed())[0], second = try proofs(signed)[1]
        #expect(try chain.result(try replacing(signed, [first, second])).reason == .signatureInvalid)
    }

    /// Signed like this, the second signature is good and says nothing about the first.
    @Test(arguments: [
        ("", Chain.value), (#""proof":null"#, Chain.value), (Chain.proof, ""), (Chain.proof, #""proofValue":null"#),
        (Chain.proof, #""proofValue":"urn:other""#),
        (#""proof":{"@id":"sec:proof","@type":"@id"}"#, Chain.value), (#""proof":"@included""#, Chain.value),
    ])
    func unbound(_ proof: String, _ value: String) throws {
        let chain = Chain(context: Chain.terms(proof, value))
        #expect(try chain.result().reason == .previousProofRefused)
    }

    /// The first signer's proof makes a statement about the subject: it is signed, twice, and stays a proof's.
    @Test func claimsInAProof() throws {
        let chain = Chain(more: #","domain":{"@id":"urn:subject","urn:face":"data:,y"}"#)
        for document in try chain.result().get().documents {
            let statements = try #require(document.statements)
            #expect(statements.values(of: .iri("urn:subject"), "urn:face") == [.literal(Literal("data:,x"))])
        }
    }

    private func proofs(_ text: String) throws -> [String] {
        try #require(try JSONDocument(parsing: Array(text.utf8)).root["proof"]?.elements).map { String(decoding: $0.source, as: UTF8.self) }
    }

    private func replacing(_ text: String, _ other: [String]) throws -> String {
        let range = try #require(try JSONDocument(parsing: Array(text.utf8)).root["proof"]).sourceRange
        var octets = Array(text.utf8)
        octets.replaceSubrange(range, with: "[\(other.joined(separator: ","))]".utf8)
        return String(decoding: octets, as: UTF8.self)
    }
}
