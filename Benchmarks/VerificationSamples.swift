import Cryptography
import Envelopes
import Glibc
import JSON
import LinkedData
import TestSupport

/// A signed JSON-LD credential as it is received, and what its verifier has beforehand.
struct VerificationSample {
    let name: String
    /// Where the document lies; nil for one that was made here.
    let path: String?
    let octets: [UInt8]
    let key: PublicKey
    let contexts: ContextStore

    /// Credentials of MOSIP's verifier, where the conformance data is present.
    static func published() -> [VerificationSample] {
        let folder = samples + "vc-verifier/ldp_vc/"
        return [
            ("PS256SignedMosipVC.json", "public_key/idaPublicKey.json"),
            ("Ed25519Signature2020SignedSunbirdVC.json", "public_key/didMosipKey.json"),
            ("mosipUnrevokedVC.json", "mockDid.json"),
        ].compactMap { file, keyFile in
            guard let octets = read(folder + file), let keys = read(folder + keyFile), let contexts = publishedContexts(),
                let method = (try? JSONDocument(parsing: octets))?.root["proof"]?["verificationMethod"]?.string,
                let key = key(method, in: keys)
            else { return nil }
            return VerificationSample(name: file, path: folder + file, octets: octets, key: key, contexts: contexts)
        }
    }

    private static let root = Repository.suites + "/credentials/"

    private static var samples: String { root + "samples/" }

    private static func publishedContexts() -> ContextStore? {
        var documents: [String: [UInt8]] = [:]
        for (url, file) in [
            ("https://www.w3.org/2018/credentials/v1", "w3c-credentials-v1.jsonld"),
            ("https://www.w3.org/ns/credentials/v2", "w3c-credentials-v2.jsonld"),
            ("https://w3id.org/security/suites/jws-2020/v1", "suites-jws-2020.jsonld"),
            ("https://w3id.org/security/suites/ed25519-2020/v1", "suites-ed25519-2020.jsonld"),
            ("https://api.collab.mosip.net/.well-known/mosip-ida-context.json", "mosip-ida-context.json"),
            ("https://mosip.github.io/inji-config/contexts/mock-identity-context.json", "mock-identity-context.json"),
            ("https://holashchand.github.io/test_project/insurance-context.json", "insurance-context.json"),
            ("https://www.w3.org/ns/odrl.jsonld", "odrl-context.json"),
        ] {
            guard let octets = read(root + "contexts/" + file) else { return nil }
            documents[url] = octets
        }
        return ContextStore(documents)
    }

    /// The key with exactly that id in a published key or DID document.
    private static func key(_ method: String, in file: [UInt8]) -> PublicKey? {
        guard let document = (try? JSONDocument(parsing: file))?.root else { return nil }
        let entries = [document] + (document["verificationMethod"]?.elements.map(Array.init) ?? [])
        guard let entry = entries.first(where: { $0["id"]?.isString(method) == true && $0["type"] != nil }) else { return nil }
        if let text = entry["publicKeyMultibase"]?.string { return Multikey.publicKey(text) }
        if let value = entry["publicKeyJwk"] { return JSONWebKey(value)?.key }
        let pem = entry["publicKeyPem"]?.stringBytes ?? []
        return try? PublicKey(pem: pem.span)
    }

    private static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var octets: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return octets }
            octets.append(contentsOf: buffer[..<count])
        }
    }
}

// MARK: Documents made here

extension VerificationSample {
    private static let vocabulary = """
        {"@context": {"@version": 1.1, "id": "@id", "type": "@type", "cred": "https://www.w3.org/2018/credentials#", "sec": "https://w3id.org/security#",
        "xsd": "http://www.w3.org/2001/XMLSchema#", "VerifiableCredential": "cred:VerifiableCredential", "issuer": {"@id": "cred:issuer", "@type": "@id"},
        "issuanceDate": {"@id": "cred:issuanceDate", "@type": "xsd:dateTime"}, "credentialSubject": {"@id": "cred:credentialSubject", "@type": "@id"},
        "DataIntegrityProof": "sec:DataIntegrityProof", "cryptosuite": "sec:cryptosuite", "created": {"@id": "http://purl.org/dc/terms/created",
        "@type": "xsd:dateTime"}, "verificationMethod": {"@id": "sec:verificationMethod", "@type": "@id"}, "proofPurpose": {"@id": "sec:proofPurpose",
        "@type": "@vocab"}, "assertionMethod": "sec:assertionMethod"}}
        """
    private static let claims = """
        {"@context": {"@version": 1.1, "@vocab": "https://claims.example/terms#", "language": "@language", "value": "@value"}}
        """

    /// Credentials of the published ones' shapes, signed with a key made now.
    static func made() throws -> [VerificationSample] {
        var seed = try Random.bytes(32)
        let signer = try SigningKey(seed: seed.span)
        seed = []
        let octets = (0..<32).map { signer.publicKey[$0] }
        let key = try PublicKey(ed25519: octets.span)
        let contexts = ContextStore([
            "https://credentials.example/v1": Array(vocabulary.utf8), "https://claims.example/v1": Array(claims.utf8),
        ])
        // In steps, each with its type: in one expression they are too much for the type checker of Swift 6.2.
        let arabic = "\u{645}\u{642}\u{64A}\u{645}"
        let names = (0..<4).map {
            #""name\#($0)": [{"language": "eng", "value": "Resident \#($0)"}, {"language": "ara", "value": "\#(arabic)"}]"#
        }
        let letters: [Character] = Array("ABCDEFGH/+01")
        let image = String((0..<350_000).map { letters[$0 * 7 % 12] })
        let photo = #""face": "data:image/jpeg;base64,\#(image)""#
        let shapes: [(name: String, members: [String])] = [("made: small", names), ("made: 350 kB portrait", names + [photo])]
        return try shapes.map { name, members -> VerificationSample in
            let head = #""@context": ["https://credentials.example/v1", "https://claims.example/v1"]"#
            let body = """
                \(head), "id": "https://credentials.example/1", "type": ["VerifiableCredential"], "issuer": "did:web:issuer.example",
                "issuanceDate": "2026-01-01T00:00:00Z", "credentialSubject": {"id": "did:example:holder", \(members.joined(separator: ", "))}
                """
            let options = """
                "type": "DataIntegrityProof", "cryptosuite": "eddsa-rdfc-2022", "created": "2026-01-01T00:00:00Z",
                "verificationMethod": "did:web:issuer.example#key", "proofPurpose": "assertionMethod"
                """
            let hashes = try hash("{\(head), \(options)}", contexts) + hash("{\(body)}", contexts)
            let signature = "z" + Base58.encode(try signer.sign(hashes.span))
            let text = #"{\#(body), "proof": {\#(options), "proofValue": "\#(signature)"}}"#
            return VerificationSample(name: name, path: nil, octets: Array(text.utf8), key: key, contexts: contexts)
        }
    }

    private static func hash(_ text: String, _ contexts: ContextStore) throws -> [UInt8] {
        var processor = LinkedDataProcessor(store: contexts)
        let dataset = try processor.dataset(of: try JSONDocument(parsing: Array(text.utf8)).root).dataset
        let lines = try Canonicalization.canonicalize(dataset).nquads
        return try Digest.hash(lines.span, .sha256)
    }
}
