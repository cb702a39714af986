import Cryptography
import Envelopes
import JSON
import LinkedData
import Trust

/// Credentials in forms that none of the published samples has, made for the run with a test key and put together here: nothing is shared
/// with the gate but the canonical forms and base58.
struct MadeDocuments {
    private static let id = "did:web:made.example", method = id + "#key-1"
    private static let v1 = "https://www.w3.org/2018/credentials/v1", v2 = "https://www.w3.org/ns/credentials/v2"
    private static let examples = "https://www.w3.org/ns/credentials/examples/v2", jws = "https://w3id.org/security/suites/jws-2020/v1"
    /// 2025-12-01.
    private static let time: Seconds = 1_764_547_200

    let contexts: ContextStore
    private static let seed = [UInt8](repeating: 0x6D, count: 32)
    private let issuer: IssuerText

    init(_ contexts: [TrustContents.ContextDocument], types: [String]) throws {
        self.contexts = ContextStore(Dictionary(uniqueKeysWithValues: contexts.map { ($0.url, $0.bytes) }))
        let seed = Self.seed
        let key = try SigningKey(seed: seed.span)
        var issuer = IssuerText(id: Self.id, types: types)
        let publicKey = key.publicKey, octets = (0..<32).map { publicKey[$0] }
        issuer.addKey(Self.method, "multibase", .string("z" + Base58.encode([0xED, 0x01] + octets)))
        issuer.requires = "fullName"
        self.issuer = issuer
    }

    func sources() throws -> [SampleSource] {
        try [
            source("made: language tags in lower case", languageTags()),
            source("made: JSON, no context in the proof", json(hasContext: false, appended: [])),
            source("made: JSON, contexts appended", json(hasContext: true, appended: [Self.examples, Self.jws])),
            source("made: a context in the proof, created without a zone", detached()),
        ]
    }

    private func source(_ name: String, _ document: Tree) -> SampleSource {
        SampleSource(
            name: name, message: document.octets, time: Self.time, issuer: issuer, contexts: [Self.v1, Self.v2, Self.examples, Self.jws])
    }

    private func document(_ contexts: [String], from name: String, subject: String) -> Tree {
        .json(
            #"{"@context":[\#(contexts.map { "\"\($0)\"" }.joined(separator: ","))],"id":"urn:example:1","type":["VerifiableCredential"],"issuer":"\#(Self.id)","#
                + #""\#(name)":"2025-01-01T00:00:00Z","credentialSubject":\#(subject)}"#)
    }

    private func options(_ type: String, _ more: String, created: String = "2025-01-01T00:00:00Z") -> Tree {
        .json(
            #"{"type":"\#(type)",\#(more)"created":"\#(created)","verificationMethod":"\#(Self.method)","proofPurpose":"assertionMethod"}"#)
    }

    // MARK: Forms

    private func languageTags() throws -> Tree {
        var document = document(
            [Self.v2, Self.examples], from: "validFrom",
            subject: #"""
                {"id":"did:example:ann","alumniOf":{"@value":"The School","@language":"en-GB"},"motto":[{"@value":"Go","@language":"en-US"},{"@value":"Vai","@language":"pt-BR"}]}
                """#)
        var options = options("DataIntegrityProof", #""cryptosuite":"eddsa-rdfc-2022","#)
        let hashData = try hash(options, under: document["@context"]) + hash(document, under: nil)
        options["proofValue"] = .string(try multibase(hashData))
        document["proof"] = options
        return document
    }

    private func json(hasContext: Bool, appended: [String]) throws -> Tree {
        var document = document(
            [Self.v2], from: "validFrom", subject: #"{"id":"did:example:ann","alumniOf":"The School","motto":["Go","Vai"]}"#)
        var options = options("DataIntegrityProof", #""cryptosuite":"eddsa-jcs-2022","#)
        if hasContext { options["@context"] = document["@context"] }
        let first = try canonical(options), second = try canonical(document)
        let optionsHash = try Digest.hash(first.span, .sha256), documentHash = try Digest.hash(second.span, .sha256)
        let hashData = optionsHash + documentHash
        options["proofValue"] = .string(try multibase(hashData))
        document["@context"] = .array((document["@context"]?.elements ?? []) + appended.map(Tree.string))
        document["proof"] = options
        return document
    }

    private func detached() throws -> Tree {
        var document = document(
            [Self.v1, Self.examples], from: "issuanceDate", subject: #"{"id":"did:example:ann","alumniOf":"The School"}"#)
        var options = options("JsonWebSignature2020", "", created: "2025-01-01T00:00:00")
        // The suite's own context says the same of a proof as security/v3, but for `type`, which it takes from the data model.
        let hashData = try hash(options, under: .array([.string(Self.v1), .string(Self.jws)])) + hash(document, under: nil)
        let header = String(decoding: Base64URL.encode(#"{"alg":"EdDSA","b64":false,"crit":["b64"]}"#), as: UTF8.self)
        let signature = try sign(Array("\(header).".utf8) + hashData)
        options["jws"] = .string("\(header)..\(String(decoding: Base64URL.encode(signature), as: UTF8.self))")
        options["@context"] = .string(Self.jws)
        document["proof"] = options
        return document
    }

    // MARK: Signing

    private func hash(_ tree: Tree, under context: Tree?) throws -> [UInt8] {
        var tree = tree
        if let context { tree["@context"] = context }
        var processor = LinkedDataProcessor(store: contexts)
        let dataset = try processor.dataset(of: try JSONDocument(parsing: tree.octets).root).dataset.with(.lowerCase)
        return try Canonicalization.canonicalize(dataset).hash(.sha256)
    }

    private func canonical(_ tree: Tree) throws -> [UInt8] { try CanonicalJSON.bytes(of: try JSONDocument(parsing: tree.octets).root) }

    private func sign(_ message: [UInt8]) throws -> [UInt8] {
        let seed = Self.seed
        let key = try SigningKey(seed: seed.span)
        return try key.sign(message.span)
    }

    private func multibase(_ hashData: [UInt8]) throws -> String {
        "z" + Base58.encode(try sign(hashData))
    }
}
