import Cryptography
import Foundation
import JSON
import LinkedData
import Testing

@testable import Credentials

/// The credentials of MOSIP's and Inji's verifiers that a public key is known for, with the verdicts of the samples' README.
@Suite(.enabled(if: LinkedSamples.arePresent, Suites.absent))
struct LinkedProofSampleTests {
    private struct Sample: CustomStringConvertible {
        let file: String
        let key: String
        let context: ProofHashData.OptionsContext
        let isTypeSigned: Bool
        var folder = LinkedSamples.mosip.appending(path: "ldp_vc")

        init(_ file: String, _ key: String, isTypeSigned: Bool = true, context: ProofHashData.OptionsContext = .securityV3) {
            self.file = file
            self.key = key
            self.isTypeSigned = isTypeSigned
            self.context = context
        }

        var description: String { file }
        func bytes() throws -> [UInt8] { try LinkedSamples.bytes(folder.appending(path: file)) }
        func document() throws -> JSONValue { try JSONDocument(parsing: try bytes()).root }

        func publicKey() throws -> PublicKey {
            let method = try #require(try document()["proof"]?["verificationMethod"]?.string)
            return try #require(try LinkedSamples.key(method, in: folder.appending(path: key)))
        }
    }

    private static let good: [Sample] = {
        var es256 = Sample("ES256SignedVC.json", "didEcr1Key.json")
        es256.folder = LinkedSamples.inji.appending(path: "ldp_vc")
        return [
            Sample("PS256SignedMosipVC.json", "public_key/idaPublicKey.json", isTypeSigned: false),
            Sample("mosipUnrevokedVC.json", "mockDid.json"),
            Sample("mosipRevokedVC.json", "mockDid.json"),
            Sample("mosipUnrevokedStatusList.json", "mockDid.json"),
            Sample("mosipRevokedStatusList.json", "mockDid.json"),
            Sample("Ed25519Signature2020SignedSunbirdVC.json", "public_key/didMosipKey.json"),
            Sample("Ed25519Signature2018SignedVC-did.json", "public_key/didEdPublicKey.json"),
            Sample("Ed25519Signature2018SignedVC-https.json", "public_key/httpsMockKey2.json", isTypeSigned: false),
            Sample("ES256KSignedMockVC.json", "public_key/didEcKey.json"),
            es256,
        ]
    }()

    @Test(arguments: Self.good)
    private func goodSample(_ sample: Sample) throws {
        let verified = try LinkedSamples.result(try sample.document(), try sample.publicKey()).get()
        #expect(verified.optionsContext == sample.context)
        #expect(verified.coverage?.isTypeSigned == sample.isTypeSigned, "\(String(describing: verified.coverage))")
        #expect(verified.statements?.subjects.count == 1)
    }

    /// A term that no context defines leaves every signature intact; only coverage sees it.
    @Test(arguments: Self.good)
    private func unsignedTermIsRefused(_ sample: Sample) throws {
        let text = String(decoding: try sample.bytes(), as: UTF8.self)
        let name = try Regex(#""credentialSubject"\s*:\s*\{"#)
        for addition in [#""noContextHasThis":"x","#, #""another":{"deep":[1]},"#] {
            let forged = text.replacing(name, maxReplacements: 1) { "\(text[$0.range])\(addition)" }
            #expect(forged != text)
            let result = try LinkedSamples.result(try JSONDocument(parsing: Array(forged.utf8)).root, try sample.publicKey())
            #expect(result.reason == .claimsUncovered)
        }
    }

    /// Every claim of the subject, changed alone, is a different document.
    @Test(arguments: Self.good)
    private func changedClaimIsRefused(_ sample: Sample) throws {
        let bytes = try sample.bytes(), key = try sample.publicKey()
        let document = try JSONDocument(parsing: bytes).root
        var verification = LinkedProofVerification(contexts: try LinkedSamples.contexts())
        func leaves(_ value: JSONValue) -> [JSONValue] {
            if let elements = value.elements { return elements.flatMap(leaves) }
            if let members = value.members { return members.flatMap { leaves($0.value) } }
            return [value]
        }
        let found = leaves(try #require(document["credentialSubject"]))
        #expect(found.count > 2)
        for leaf in found {
            var forged = bytes
            forged.replaceSubrange(leaf.sourceRange, with: #""urn:forged""#.utf8)
            let result = linkedResult(&verification, try JSONDocument(parsing: forged).root, key)
            #expect(result.reason != nil, "\(sample) \(leaf.sourceRange)")
        }
    }

    @Test func tampered() throws {
        let sample = Sample("tamperedVC.json", "public_key/idaPublicKey.json")
        #expect(try LinkedSamples.result(try sample.document(), try sample.publicKey()).reason == .signatureInvalid)
    }

    /// The signature is good and signs not one claim.
    @Test func nothingCovered() throws {
        let sample = Sample("RS256SignedMosipVC.json", "public_key/httpsMockKey.json")
        let document = try sample.document(), key = try sample.publicKey()
        #expect(try LinkedSamples.result(document, key).reason == .claimsUncovered)
        let proof = try #require(try LinkedProof.proofs(of: document).first)
        let unsecured = try UnsecuredDocument(document)
        var hashData = ProofHashData(digest: .sha256, processor: LinkedDataProcessor(store: try LinkedSamples.contexts()))
        let options = try hashData.options(of: proof, of: unsecured, under: .securityV3)
        let message = try hashData.toBeSigned(options: options, document: try hashData.document(unsecured).canonical.nquads)
        #expect(try ProofSignature(proof, for: key).isSigned(by: key, over: message))
    }

    @Test func payloadInTheMiddle() throws {
        let file = LinkedSamples.mosip.appending(path: "vp/Ed25519Signature2018SignedVP-didKey.json")
        let document = try LinkedSamples.json(file)
        let proof = try #require(try LinkedProof.proofs(of: document).first)
        let key = try #require(LinkedSamples.key(proof.verificationMethod))
        #expect(try LinkedSamples.result(document, key, purpose: .authentication).reason == .payloadNotDetached)
        #expect(try LinkedSamples.result(document, key).reason == .purposeRefused)
    }

    @Test func otherSpoiledOnes() throws {
        for (file, key, reason) in [
            ("InvalidDidUrlSunbirdVC.json", "public_key/didMosipKey.json", LinkedProofError.signatureInvalid),
            ("invalidVC.json", "public_key/idaPublicKey.json", .documentMalformed),
        ] {
            let sample = Sample(file, key)
            let document = try sample.document()
            // A key of the right kind: what is wrong is not that none is found.
            let keys = try LinkedSamples.json(sample.folder.appending(path: key))
            let method = try #require(keys["verificationMethod"]?.elements.map(Array.init)?.first?["id"]?.string ?? keys["id"]?.string)
            let publicKey = try #require(try LinkedSamples.key(method, in: sample.folder.appending(path: key)))
            #expect(try LinkedSamples.result(document, publicKey).reason == reason, "\(file)")
        }
    }

    /// A presentation: its own proof is good for what it is, and is no credential's; the credential in it is verified alone.
    @Test func presentation() throws {
        let document = try LinkedSamples.json(LinkedSamples.mosip.appending(path: "vp/JsonWebSignature2020SignedVP-didJws.json"))
        let proof = try #require(try LinkedProof.proofs(of: document).first)
        let method = try #require(proof.verificationMethod.split(separator: "#").first?.split(separator: ":").last)
        let written = try JSONDocument(parsing: unBase64URL(method)).root
        let x = try #require(written["x"]?.string)
        let key = try PublicKey(ed25519: unBase64URL(x).span)
        let unsecured = try UnsecuredDocument(document)
        var hashData = ProofHashData(digest: .sha256, processor: LinkedDataProcessor(store: try LinkedSamples.contexts()))
        let canonical = try hashData.document(unsecured).canonical.nquads
        let verified = try ProofHashData.OptionsContext.allCases.filter { context in
            let message = try hashData.toBeSigned(
                options: try hashData.options(of: proof, of: unsecured, under: context), document: canonical)
            return try ProofSignature(proof, for: key).isSigned(by: key, over: message)
        }
        #expect(!verified.isEmpty)
        #expect(try LinkedSamples.result(document, key, purpose: .authentication).reason == .documentMalformed)

        let inner = try #require(document["verifiableCredential"]?.elements.map(Array.init)?.first)
        let innerMethod = try #require(inner["proof"]?["verificationMethod"]?.string)
        let issuer = try #require(
            try LinkedSamples.key(innerMethod, in: LinkedSamples.mosip.appending(path: "ldp_vc/public_key/didMosipKey.json")))
        #expect(try LinkedSamples.result(inner, issuer).get().optionsContext == .securityV3)
    }

    /// The proof terms written here against those of the published context, on every proof of the samples.
    @Test(arguments: Self.good)
    private func securityTerms(_ sample: Sample) throws {
        let url = "https://w3id.org/security/v3"
        let bytes = try LinkedSamples.bytes(LinkedSamples.folder.appending(path: "contexts/security-v3-unstable.jsonld"))
        var processor = LinkedDataProcessor(store: ContextStore([url: bytes]))
        let document = try sample.document()
        let proof = try #require(try LinkedProof.proofs(of: document).first)
        let published = try JSONDocument(parsing: Array("\"\(url)\"".utf8))
        let theirs = try processor.dataset(of: try UnsecuredDocument.options(of: proof.value, under: published.root).root)
        let ours = try processor.dataset(of: try UnsecuredDocument.options(of: proof.value, under: SecurityTerms.context).root)
        #expect(try Canonicalization.canonicalize(theirs.dataset).nquads == Canonicalization.canonicalize(ours.dataset).nquads)
        #expect(theirs.journal.isEmpty && ours.journal.isEmpty && ours.dataset.quads.count >= 4)
    }
}
