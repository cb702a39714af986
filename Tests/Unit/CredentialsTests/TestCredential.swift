import Credentials
import Cryptography
import Foundation
import Trust

/// One SD-JWT under construction: every part is text, so that a test can make any of them wrong.
struct TestCredential {
    static let now: Int64 = 1_800_000_000
    static let iss = "https://issuer.example"
    static let vct = "urn:example:national-id:1"

    var key = TestKey.ed25519
    var header: [String: String] = [:]
    /// Members as name and JSON text, in order.
    var payload: [(String, String)] = []
    var disclosures: [String] = []
    var keyBinding: String = ""

    /// A good credential: two plain claims, two disclosed ones.
    init(key: TestKey = .ed25519, algorithm: String? = nil) {
        self.key = key
        header = ["alg": quoted(algorithm ?? key.algorithm), "typ": quoted("dc+sd-jwt"), "kid": quoted("key-1")]
        payload = [
            ("iss", quoted(Self.iss)), ("vct", quoted(Self.vct)), ("iat", "\(Self.now - 1000)"), ("exp", "\(Self.now + 1000)"),
            ("plain", #""yes""#), ("nested", #"{"a":[1,2.50,{"b":null}]}"#),
        ]
        disclose([#"["c2FsdA","given_name","Erika"]"#, #"["c2FsdDI","portrait","data:image/jpeg;base64,/9j/AA=="]"#])
    }

    /// Adds disclosures (JSON texts) and an `_sd` with their digests to the payload.
    mutating func disclose(_ texts: [String]) {
        let encoded = texts.map { base64URL($0) }
        disclosures += encoded
        set("_sd", list(encoded.map { digest($0) }))
    }

    mutating func set(_ name: String, _ json: String?) {
        payload.removeAll { $0.0 == name }
        if let json { payload.append((name, json)) }
    }

    var headerText: String { "{" + header.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\($0.value)" }.joined(separator: ",") + "}" }
    var payloadText: String { "{" + payload.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}" }

    func issuerJWT(der: Bool = false) -> String {
        let signed = base64URL(headerText) + "." + base64URL(payloadText)
        let algorithm = header["alg"].map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
        return signed + "." + base64URL(key.sign(Array(signed.utf8), algorithm: algorithm, der: der))
    }

    func presentation(der: Bool = false) -> String { ([issuerJWT(der: der)] + disclosures).map { $0 + "~" }.joined() }

    func text(der: Bool = false) -> String { presentation(der: der) + keyBinding }

    /// Appends a key binding JWT of `holder` and names the holder's key in `cnf`.
    mutating func bind(
        holder: TestKey, signer: TestKey? = nil, type: String = "kb+jwt", confirmation: String? = nil, hash: String? = nil,
        payload members: String? = nil
    ) {
        set("cnf", confirmation ?? #"{"jwk":\#(holder.jwk)}"#)
        let signer = signer ?? holder
        let presented = presentation()
        let header = #"{"alg":"\#(signer.algorithm)","typ":"\#(type)"}"#
        let body = members ?? #""iat":\#(Self.now),"aud":"https://gate.example","nonce":"n""#
        let signed = base64URL(header) + "." + base64URL("{\(body),\"sd_hash\":\"\(hash ?? digest(presented))\"}")
        keyBinding = signed + "." + base64URL(signer.sign(Array(signed.utf8)))
        // ECDSA signatures differ every time: keep the presentation that was hashed.
        fixed = presented
    }

    /// The exact presentation a key binding was made over.
    var fixed: String?

    var message: [UInt8] { Array((fixed.map { $0 + keyBinding } ?? text()).utf8) }
}

func quoted(_ text: String) -> String { "\"\(text)\"" }
func list(_ texts: [String]) -> String { "[" + texts.map(quoted).joined(separator: ",") + "]" }

func digest(_ text: String, _ algorithm: DigestAlgorithm = .sha256) -> String {
    base64URL(try! Digest.hash(Array(text.utf8).span, algorithm))
}

/// A trust file for the keys of the tests, member by member as JSON text.
struct TestTrust {
    var members: [String: String]

    init(keys: [(String, TestKey)] = [("key-1", .ed25519)]) {
        members = [
            "gatehouse-trust": "1", "ids": list([TestCredential.iss]), "name": quoted("Ministry of Examples"), "forms": list(["sd_jwt"]),
            "algorithms": list(["EdDSA", "ES256", "ES256K", "PS256", "RS256"]), "types": list([TestCredential.vct]),
            "claims": #"{"portrait":["portrait"]}"#,
        ]
        if !keys.isEmpty { members["keys"] = "[" + keys.map { #"{"kid":"\#($0.0)","jwk":\#($0.1.jwk)}"# }.joined(separator: ",") + "]" }
    }

    var text: String { "{" + members.map { "\(quoted($0.key)):\($0.value)" }.joined(separator: ",") + "}" }

    func store() throws(TrustError) -> TrustStore { try TrustStore(files: [("issuer.json", Array(text.utf8))]) }

    func verifier() throws -> CredentialVerifier { CredentialVerifier(trust: try store()) }
}

/// The verdict on a credential under the trust that fits its key.
func verdict(_ credential: TestCredential, trust: TestTrust? = nil, at time: Int64 = TestCredential.now) throws -> Verdict {
    try (trust ?? TestTrust(keys: [("key-1", credential.key)])).verifier().verify(credential.message, at: time)
}
