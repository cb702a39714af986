import Cryptography
import Envelopes
import JSON

@testable import Credentials
@testable import LinkedData
@testable import Trust

/// Contexts of our own that a stranger's document may name, and credentials a stranger could have recorded.
enum Linked {
    static let vocabulary = "https://www.w3.org/2018/credentials#"
    static let first = "https://www.w3.org/2018/credentials/v1"
    static let second = "https://issuer.example/context"
    static let method = "https://issuer.example#k"

    static let texts: [(url: String, text: String)] = [
        (
            first,
            """
            {"@context":{"@version":1.1,"@protected":true,"id":"@id","type":"@type","VerifiableCredential":{"@id":"\(vocabulary)VerifiableCredential","@context":{\
            "@version":1.1,"@protected":true,"id":"@id","type":"@type","credentialSubject":{"@id":"\(vocabulary)credentialSubject","@type":"@id"},\
            "issuer":{"@id":"\(vocabulary)issuer","@type":"@id"},"issuanceDate":{"@id":"\(vocabulary)issuanceDate","@type":"http://www.w3.org/2001/XMLSchema#dateTime"},\
            "expirationDate":{"@id":"\(vocabulary)expirationDate","@type":"http://www.w3.org/2001/XMLSchema#dateTime"},\
            "credentialStatus":{"@id":"\(vocabulary)credentialStatus","@type":"@id"}}}}}
            """
        ),
        (
            second,
            """
            {"@context":[{"@version":1.1,"ex":"https://issuer.example/v#","Visitor":"ex:Visitor","face":"ex:face","names":{"@id":"ex:names","@container":"@list"},\
            "labels":{"@id":"ex:labels","@container":"@language"},"data":{"@id":"ex:data","@type":"@json"},"parts":{"@id":"ex:parts","@container":["@graph","@id"]},\
            "home":{"@id":"ex:home","@context":{"street":"ex:street"}},"by":{"@reverse":"ex:made"},"n":"@nest","weight":{"@id":"ex:weight"}}]}
            """
        ),
    ]
    static let contexts = ContextStore(Dictionary(uniqueKeysWithValues: texts.map { ($0.url, Array($0.text.utf8)) }))

    static let trust: TrustStore = {
        let issuer = """
            {"gatehouse-trust":1,"ids":["\(Issuer.id)"],"keys":[{"kid":"\(method)","jwk":\(Issuer.publicKey)}],"forms":["ldp_vc","cwt"],\
            "algorithms":["EdDSA"],"suites":["Ed25519Signature2020","eddsa-jcs-2022"],"types":["https://issuer.example/v#Visitor","Visitor","claim-169"],\
            "claims":{"portrait":[["https://issuer.example/v#face"],["face"],["16"],["62"]]}}
            """
        let contents = TrustContents(
            issuers: [.init(name: "issuer.json", bytes: Array(issuer.utf8))],
            contexts: texts.map { .init(url: $0.url, bytes: Array($0.text.utf8)) })
        do { return try TrustStore(contents) } catch { fatalError("\(error)") }
    }()
    nonisolated(unsafe) static let verifier = CredentialVerifier(trust: trust)

    static let documents = [
        """
        {"@context":["\(first)","\(second)"],"id":"urn:uuid:1","type":["VerifiableCredential","Visitor"],"issuer":"\(Issuer.id)","issuanceDate":"2026-01-01T00:00:00Z",\
        "expirationDate":"2030-01-01T00:00:00Z","credentialSubject":{"id":"urn:visitor","face":"data:image/jpeg;base64,/9j/AA==","names":["a","b"],"weight":70.5,\
        "labels":{"en":"x","fr":["y","z"]},"home":{"street":"1"},"data":{"b":[1,2],"a":null}}}
        """,
        """
        {"@context":["\(first)","\(second)",{"nick":"ex:nick"}],"type":["VerifiableCredential","Visitor"],"issuer":"\(Issuer.id)","issuanceDate":"2026-01-01T00:00:00Z",\
        "credentialSubject":{"nick":["n",{"home":{}},{"home":{}}],"by":{"id":"urn:maker"},"n":{"weight":1},"parts":{"urn:part":{"weight":2}}}}
        """,
    ]
    /// Each with its proof, and the claims that were signed.
    static let signed: [(text: [UInt8], claims: JSONValue)] = documents.map { text in
        let text = secured(Array(text.utf8)) ?? []
        guard let credential = verifier.verify(text, at: Issuer.now).credential else {
            fatalError("\(verifier.verify(text, at: Issuer.now).reasons)")
        }
        return (text, credential.claims.root)
    }

    /// The document with the issuer's proof over it; nil for what cannot be signed.
    static func secured(_ text: [UInt8]) -> [UInt8]? {
        guard let document = try? JSONDocument(parsing: text).root, document.kind == .object, document["proof"] == nil,
            let unsecured = try? UnsecuredDocument(document)
        else { return nil }
        var proof = """
            {"type":"Ed25519Signature2020","created":"2026-01-01T00:00:00Z","verificationMethod":"\(method)","proofPurpose":"assertionMethod","proofValue":"z1"}
            """
        guard let bare = try? LinkedProof(JSONDocument(parsing: Array(proof.utf8)).root) else { return nil }
        var hashData = ProofHashData(digest: .sha256, processor: LinkedDataProcessor(store: contexts))
        guard let canonical = try? hashData.document(unsecured).canonical.nquads,
            let options = try? hashData.options(of: bare, of: unsecured, under: .securityV3),
            let message = try? hashData.toBeSigned(options: options, document: canonical)
        else { return nil }
        proof = proof.replacingLast("z1", with: "z" + Base58.encode(Issuer.sign(message)))
        return Array(text.dropLast(text.reversed().prefix { $0 != UInt8(ascii: "}") }.count + 1))
            + Array((document.members?.count == 0 ? "" : ",").utf8)
            + Array("\"proof\":\(proof)}".utf8)
    }
}

private extension String {
    func replacingLast(_ text: String, with other: String) -> String {
        guard hasSuffix(text + "\"}") else { return self }
        return String(dropLast(text.count + 2)) + other + "\"}"
    }
}

/// A JSON-LD document as a stranger can write it: the dataset has one canonical form, which can be read back, and a warm cache changes
/// nothing.
func fuzzLinkedData(_ octets: UnsafeBufferPointer<UInt8>) {
    guard let document = try? JSONDocument(parsing: octets.span).root else { return }
    if let canonical = try? CanonicalJSON.bytes(of: document) {
        guard let again = try? JSONDocument(parsing: canonical, limits: JSONLimits(depth: 64)).root else {
            return require(false, "canonical JSON is JSON")
        }
        require((try? CanonicalJSON.bytes(of: again)) == canonical, "canonical JSON is its own canonical form")
    }
    var processor = LinkedDataProcessor(store: Linked.contexts)
    let cold = form(&processor, document)
    let warm = form(&processor, document)
    require(cold == warm, "a cache changes nothing")
    guard case .success(let text) = cold else { return }
    requireLines(text)
    guard let dataset = try? NQuadsParser.dataset(text) else { return require(false, "canonical N-Quads can be read") }
    guard let again = try? Canonicalization.canonicalize(dataset) else { return require(false, "a canonical dataset can be canonicalized") }
    require(again.nquads == text, "a canonical form is its own canonical form")
}

private func form(_ processor: inout LinkedDataProcessor, _ document: JSONValue) -> Result<[UInt8], LinkedDataError> {
    do throws(LinkedDataError) {
        let (dataset, journal) = try processor.dataset(of: document)
        require(dataset.quads.count == dataset.origins.count, "every statement has an origin")
        for dropped in journal.dropped { require(dropped.pointer.isEmpty || dropped.pointer.first == "/", "a pointer is one") }
        return .success(try Canonicalization.canonicalize(dataset).nquads)
    } catch {
        return .failure(error)
    }
}

/// Lines in order, none twice, each a statement, and nothing a terminal or a line reader would trip over.
private func requireLines(_ text: [UInt8]) {
    require(text.isEmpty || text.last == 0x0A, "the last line ends")
    let lines = text.split(separator: 0x0A)
    for (one, other) in zip(lines, lines.dropFirst()) {
        require(one.lexicographicallyPrecedes(other), "lines are in order, and none is twice there")
    }
    for line in lines {
        require(line.suffix(2).elementsEqual(" .".utf8), "a line ends as a statement")
        require(line.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "control characters are escaped")
    }
}

/// `B`: a document the issuer signs, so that what lies behind the signature is reached with any content. Otherwise a message of a
/// stranger's.
func fuzzLinkedCredential(_ octets: UnsafeBufferPointer<UInt8>) {
    if octets.first == UInt8(ascii: "B") {
        guard let text = Linked.secured(Array(octets.dropFirst())), let document = try? JSONDocument(parsing: text).root else { return }
        guard let credential = Linked.verifier.verify(text, at: Issuer.now).credential else { return }
        require(credential.issuer == Issuer.id && credential.type == "https://issuer.example/v#Visitor", "issuer and type are trusted")
        if let expires = credential.validity.expires { require(Issuer.now < expires, "nothing expired is accepted") }
        require(credential.status.status == nil, "nothing revocable is accepted without its list")
        for member in credential.uncovered { require(!member.pointer.hasPrefix("/credentialSubject"), "every claim is signed") }
        require(document["proof"] != nil, "a proof was there")
        return
    }
    let message = Array(octets)
    guard let credential = Linked.verifier.verify(message, at: Issuer.now).credential, credential.form == .ldpVC else { return }
    let claims = normalized(credential.claims.root)
    require(Linked.signed.contains { normalized($0.claims) == claims }, "no claim was changed")
}

/// A value with the elements of arrays in order: outside a list their order is not signed.
private func normalized(_ value: JSONValue, isList: Bool = false) -> String {
    if let members = value.members {
        return "{" + members.map { "\($0.name):\(normalized($0.value, isList: $0.name == "@list"))" }.sorted().joined(separator: ",") + "}"
    }
    if let elements = value.elements {
        let texts = elements.map { normalized($0) }
        return "[" + (isList ? texts : texts.sorted()).joined(separator: ",") + "]"
    }
    return String(decoding: value.source, as: UTF8.self)
}

let linkedDataSeeds: [[UInt8]] =
    Linked.documents.map { Array($0.utf8) }
    + [
        #"{"@context":{"@vocab":"urn:v:","a":{"@container":"@list"},"b":{"@type":"@json"},"c":{"@container":["@graph","@index"]},"d":{"@reverse":"urn:d"}},"@graph":[{"a":[[1],[2.5e30,true]],"b":{"x":[null]},"c":{"i":{"e":1}},"d":{"@id":"urn:o"}}]}"#,
        #"{"@context":[{"@version":1.1,"@protected":true,"t":{"@id":"urn:t","@context":{"@propagate":false,"u":"urn:u"}}},null],"@id":"_:b","@included":[{"@id":"_:b"}],"urn:p":[{"@id":"_:a"},{"@value":"x","@language":"en-a"},{"@list":[]}],"urn:q":{"@id":"_:a","urn:p":{"@id":"_:b"}}}"#,
        #"[{"@id":"http://a/../b?c#d","@type":["urn:x","_:t"],"urn:e":-0.0},{"urn:k":{"@set":[{"@value":1e21},{"@value":"\u0001\u007f\ud83d\ude00"}]}}]"#,
    ].map { Array($0.utf8) }

let linkedCredentialSeeds: [[UInt8]] = Linked.signed.map(\.text) + Linked.documents.map { Array(("B" + $0).utf8) }
