import Foundation
import JSON

/// A trust file for the issuer of a sample, made of what is published beside the sample.
struct IssuerText {
    var id: String
    /// JSON texts of the entry's `keys`.
    var keys: [String] = []
    /// PEM as JSON texts.
    var roots: [String] = []
    /// Animo's signers have certificates for mdocs, and sign SD-JWTs with them.
    var extendedKeyUsages = ["1.0.18013.5.1.2"]
    /// What the issuer calls the gate.
    var audiences: [String] = []
    var form = "ldp_vc"
    var types: [String] = []
    /// The role that makes a credential one for the gate, where the type does not.
    var requires: String?
    /// The path of one step by which this issuer names the portrait.
    var portraits: [String] = []

    private static let suites = [
        "RsaSignature2018", "Ed25519Signature2018", "Ed25519Signature2020", "EcdsaSecp256k1Signature2019", "EcdsaSecp256r1Signature2019",
        "JsonWebSignature2020", "eddsa-rdfc-2022", "ecdsa-rdfc-2019", "eddsa-jcs-2022", "ecdsa-jcs-2019",
    ]
    /// Where the samples have what a gate has a use for. No role leads to one claim by two ways in any of them.
    private static let claims = [
        "fullName": [
            ["https://schema.org/name"], ["https://api.collab.mosip.net/mosip#fullName"], ["https://mosip.github.io/mosip#fullName"], ["4"],
            ["https://www.w3.org/ns/credentials/examples#alumniOf"], ["alumniOf"], ["fullName"], ["credentialSubject", "fullName"],
        ],
        "familyName": [["https://schema.org/familyName"], ["family_name"]],
        "givenName": [["https://schema.org/givenName"], ["given_name"]],
        "birthDate": [
            ["https://schema.org/birthDate"], ["https://api.collab.mosip.net/mosip#dateOfBirth"],
            ["https://mosip.github.io/mosip#dateOfBirth"],
            ["birthdate"], ["birth_date"], ["dateOfBirth"],
        ],
        "documentNumber": [["https://mosip.github.io/mosip#UIN"], ["UIN"], ["document_number"], ["farmerID"]],
    ]

    /// - Parameter ids: what the issuer is called; its own id where nil.
    func octets(ids: [String]? = nil) -> [UInt8] {
        var file: [String: Any] = [
            "gatehouse-trust": 1, "ids": ids ?? [id], "name": id, "forms": [form],
            "algorithms": ["ES256", "ES384", "ES256K", "EdDSA", "PS256", "RS256"], "types": types, "suites": Self.suites,
            "status": ["unknown": "accept", "softAge": 100_000, "hardAge": 1_000_000],
        ]
        var claims: [String: Any] = Self.claims
        claims["portrait"] = (portraits + ["https://api.collab.mosip.net/mosip#face", "https://schema.org/image", "16", "portrait"]).map {
            [$0]
        }
        file["claims"] = claims
        func json(_ text: String) -> Any { (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) ?? "" }
        if let requires { file["requires"] = [requires] }
        if !keys.isEmpty { file["keys"] = keys.map(json) }
        if !audiences.isEmpty { file["audiences"] = audiences }
        if !roots.isEmpty { file["x509"] = ["roots": roots, "extendedKeyUsages": extendedKeyUsages] }
        return [UInt8]((try? JSONSerialization.data(withJSONObject: file, options: .sortedKeys)) ?? Data())
    }

    /// Takes over the public keys of a DID document or a key document.
    mutating func addKeys(of document: JSONValue) {
        for entry in document["verificationMethod"]?.elements.map(Array.init) ?? [document] {
            guard let method = entry["id"]?.string else { continue }
            if let text = entry["publicKeyMultibase"]?.string { addKey(method, "multibase", .string(text)) }
            if let pem = entry["publicKeyPem"] { addKey(method, "pem", Tree(pem)) }
            if let jwk = entry["publicKeyJwk"] { addKey(method, jwk) }
        }
    }

    mutating func addKey(_ id: String, _ jwk: JSONValue) {
        let names = ["kty", "crv", "x", "y", "n", "e"]
        addKey(id, "jwk", .object(names.compactMap { name in jwk[name].map { Tree.Member(name, Tree($0)) } }))
    }

    mutating func addKey(_ id: String, _ kind: String, _ key: Tree) {
        keys.append(Tree.object([Tree.Member("kid", .string(id)), Tree.Member(kind, key)]).text)
    }
}
