import CBOR
import Cryptography
import Foundation
import JSON
import LinkedData

@testable import Credentials
@testable import Trust

/// One JSON-LD credential under construction, with an issuer's keys: every part is text, so that a test can make any of them wrong.
struct TestLinkedCredential {
    static let issuer = TestCredential.iss
    static let method = issuer + "#key-1"
    static let vocabulary = "https://issuer.example/vocabulary#"
    static let type = vocabulary + "NationalID"
    static let v1 = "https://www.w3.org/2018/credentials/v1", v2 = "https://www.w3.org/ns/credentials/v2"

    var suite: LinkedProofSuite
    var key = TestKey.ed25519
    var method = Self.method
    var context: String
    /// Pinned beside the small ones, by URL.
    var pinned: [String: String] = [:]
    /// Members of the credential and of its proof, as name and JSON text, in order.
    var members: [(String, String)]
    var proof: [(String, String)]
    /// How the signer has language tags.
    var languages = LanguageTags.asWritten
    /// Whether a proof over JSON says which context it was made under.
    var hasProofContext = true
    /// Of a detached JWS.
    var header = #"{"alg":"PS256","b64":false,"crit":["b64"]}"#

    /// A good credential: of the first data model for the suites before Data Integrity, of the second for the others.
    init(_ suite: LinkedProofSuite = .eddsaRDFC2022, key: TestKey = .ed25519) {
        self.suite = suite
        self.key = key
        let isFirst = !suite.isDataIntegrity
        context = "[\"\(isFirst ? Self.v1 : Self.v2)\"]"
        members = [
            ("id", quoted("urn:example:credential")), ("type", list(["VerifiableCredential", "NationalID"])),
            ("issuer", quoted(Self.issuer)),
            (isFirst ? "issuanceDate" : "validFrom", Self.date(-1000)), (isFirst ? "expirationDate" : "validUntil", Self.date(1000)),
            ("credentialSubject", #"{"id":"urn:example:ann","fullName":"Ann","face":"data:,x"}"#),
        ]
        proof =
            [("type", quoted(suite.typeName))] + (suite.cryptosuiteName.map { [("cryptosuite", quoted($0))] } ?? []) + [
                ("created", Self.date(-1000)), ("proofPurpose", quoted("assertionMethod")),
            ]
    }

    /// Seconds from `TestCredential.now` as an RFC 3339 time in quotes.
    static func date(_ seconds: Int64) -> String {
        quoted(Date(timeIntervalSince1970: TimeInterval(TestCredential.now + seconds)).formatted(.iso8601))
    }

    mutating func set(_ name: String, _ json: String?) {
        members.removeAll { $0.0 == name }
        if let json { members.append((name, json)) }
    }

    // MARK: Signing

    func text(proof: String? = nil) -> String {
        let all = [("@context", context)] + members + (proof.map { [("proof", $0)] } ?? [])
        return "{" + all.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    private func proofText(_ signature: String) -> String {
        let name = suite.notation == .detachedJWS ? "jws" : "proofValue"
        var all = proof + [("verificationMethod", quoted(method)), (name, quoted(signature))]
        if suite.transformation == .canonicalJSON, hasProofContext { all.append(("@context", context)) }
        return "{" + all.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    /// The proof over the credential as it is now.
    func signedProof() throws -> String {
        let document = try JSONDocument(parsing: Array(text(proof: proofText("z2")).utf8)).root
        let proof = try LinkedProof.proofs(of: document)[0], unsecured = try UnsecuredDocument(document)
        var data = ProofHashData(
            digest: suite.digest(for: try key.publicKey),
            processor: LinkedDataProcessor(store: ContextStore(Self.contexts.merging(pinned.mapValues { Array($0.utf8) }) { $1 })))
        let signed: [UInt8]
        if suite.transformation == .canonicalJSON {
            signed = try data.toBeSigned(
                options: data.canonicalJSONOptions(of: proof), document: data.canonicalJSON(unsecured))
        } else {
            let context: ProofHashData.OptionsContext = suite.isDataIntegrity ? .document : .securityV3
            let graph = try data.statements(unsecured).graph
            signed = try data.toBeSigned(
                options: data.options(of: proof, of: unsecured, under: context, languages),
                document: data.canonical(graph, languages).nquads)
        }
        guard suite.notation == .detachedJWS else { return proofText("z" + base58(key.sign(signed))) }
        let algorithm = try JSONDocument(parsing: Array(header.utf8)).root["alg"]?.string
        return proofText(base64URL(header) + ".." + base64URL(key.sign(Array("\(base64URL(header)).".utf8) + signed, algorithm: algorithm)))
    }

    func signed() throws -> [UInt8] { Array(text(proof: try signedProof()).utf8) }

    // MARK: Contexts

    /// Small ones of our own at the URLs everybody uses.
    static let contexts: [String: [UInt8]] = [
        v1: Array(context(status: "https://w3id.org/vc/status-list#", dates: ["issuanceDate", "expirationDate"]).utf8),
        v2: Array(context(status: "https://www.w3.org/ns/credentials/status#", dates: ["validFrom", "validUntil"]).utf8),
    ]

    static var contextDocuments: [TrustContents.ContextDocument] {
        contexts.map { TrustContents.ContextDocument(url: $0.key, bytes: $0.value) }
    }

    private static func context(status: String, dates: [String]) -> String {
        func terms(_ names: [String], _ prefix: String) -> String { names.map { #","\#($0)":"\#(prefix)\#($0)""# }.joined() }
        let instants = (dates + ["created", "expires"]).map { name in
            let iri = name == "created" ? "http://purl.org/dc/terms/created" : name == "expires" ? "sec:expiration" : "cred:" + name
            return #","\#(name)":{"@id":"\#(iri)","@type":"http://www.w3.org/2001/XMLSchema#dateTime"}"#
        }.joined()
        let links = [
            ("issuer", "cred:"), ("credentialSubject", "cred:"), ("credentialStatus", "cred:"), ("verificationMethod", "sec:"),
            ("statusListCredential", "st:"),
        ]
        .map { #","\#($0.0)":{"@id":"\#($0.1)\#($0.0)","@type":"@id"}"# }.joined()
        return
            #"{"@context":{"id":"@id","type":"@type","cred":"https://www.w3.org/2018/credentials#","sec":"https://w3id.org/security#","st":"\#(status)""#
            + terms(["VerifiableCredential"], "cred:")
            + terms(["DataIntegrityProof", "Ed25519Signature2020", "cryptosuite", "assertionMethod"], "sec:")
            + terms(
                [
                    "BitstringStatusListCredential", "BitstringStatusListEntry", "BitstringStatusList", "StatusList2021Credential",
                    "StatusList2021Entry", "StatusList2021",
                    "statusPurpose", "statusListIndex", "statusSize", "encodedList", "ttl",
                ], "st:")
            + terms(["NationalID", "fullName", "face", "part"], vocabulary)
            + instants + links + #","proofPurpose":{"@id":"sec:proofPurpose","@type":"@vocab"}}}"#
    }
}

/// base58btc, written the long way.
func base58(_ octets: [UInt8]) -> String {
    let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
    var number = octets, digits: [Character] = []
    while number.contains(where: { $0 != 0 }) {
        var rest = 0
        for index in number.indices {
            let value = rest << 8 | Int(number[index])
            number[index] = UInt8(value / 58)
            rest = value % 58
        }
        digits.append(alphabet[rest])
    }
    return String(repeating: "1", count: octets.prefix { $0 == 0 }.count) + String(digits.reversed())
}

/// A trust store for credentials of every form by one issuer, and another issuer beside it.
struct TestIssuers {
    static let other = "https://other.example"

    var first = TestTrust()
    var second: TestTrust? = TestTrust()
    var lists: [PinnedStatusList] = []
    var contexts = TestLinkedCredential.contextDocuments

    init(keys: [(String, TestKey)] = [(TestLinkedCredential.method, .ed25519)], status: String? = nil) {
        first = Self.entry(TestLinkedCredential.issuer, keys)
        second = Self.entry(Self.other, [(Self.other + "#key-1", .otherEd25519)])
        if let status { first.members["status"] = status }
    }

    private static func entry(_ id: String, _ keys: [(String, TestKey)]) -> TestTrust {
        var trust = TestTrust(keys: keys)
        trust.members["ids"] = list([id])
        trust.members["forms"] = list(["sd_jwt", "ldp_vc", "cwt"])
        trust.members["algorithms"] = list(["EdDSA", "ES256", "ES384"])
        trust.members["suites"] = list(LinkedProofSuite.allCases.map(\.name))
        trust.members["types"] = list([TestCredential.vct, TestLinkedCredential.type, "NationalID", "claim-169"])
        trust.members["claims"] =
            #"{"fullName":[["\#(TestLinkedCredential.vocabulary)fullName"],["fullName"],["plain"],["4"]],"portrait":["16"]}"#
        return trust
    }

    func store() throws -> TrustStore {
        try TrustStore(
            TrustContents(
                issuers: [("a.json", first), ("b.json", second)].compactMap { name, trust in
                    trust.map { TrustContents.IssuerText(name: name, bytes: Array($0.text.utf8)) }
                },
                contexts: contexts, lists: lists))
    }

    func verifier() throws -> CredentialVerifier { CredentialVerifier(trust: try store()) }
}
