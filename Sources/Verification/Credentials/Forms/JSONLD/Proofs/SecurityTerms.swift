import JSON
import LinkedData

/// The proof terms of https://w3id.org/security/v3, as far as this verifier lets them occur in a proof.
///
/// The libraries that MOSIP's and Inji's issuers sign with put the options of every proof older than Data Integrity under that context,
/// whatever the credential's own `@context` says (credentials.md section 3.2). The published context is much larger, and
/// scopes these terms to each type; the statements made of a proof are the same.
enum SecurityTerms {
    static let vocabulary = "https://w3id.org/security#"
    static let created = "http://purl.org/dc/terms/created"
    static let dateTime = "http://www.w3.org/2001/XMLSchema#dateTime"

    /// The context as JSON; nil only if the text below were no JSON, which the tests rule out.
    static var context: JSONValue? { document?.root }

    /// The context to read options under; processed once.
    static let pinned = context.map(PinnedContext.init)

    private static let document = try? JSONDocument(parsing: Array(text.utf8))
    private static let text = """
        {
          "@version": 1.1,
          "@protected": true,
          "id": "@id",
          "type": "@type",
          "sec": {"@id": "\(vocabulary)", "@prefix": true},

          "RsaSignature2018": "sec:RsaSignature2018",
          "Ed25519Signature2018": "sec:Ed25519Signature2018",
          "Ed25519Signature2020": "sec:Ed25519Signature2020",
          "EcdsaSecp256k1Signature2019": "sec:EcdsaSecp256k1Signature2019",
          "EcdsaSecp256r1Signature2019": "sec:EcdsaSecp256r1Signature2019",
          "JsonWebSignature2020": "sec:JsonWebSignature2020",

          "created": {"@id": "\(created)", "@type": "\(dateTime)"},
          "expires": {"@id": "sec:expiration", "@type": "\(dateTime)"},
          "domain": "sec:domain",
          "challenge": "sec:challenge",
          "nonce": "sec:nonce",
          "verificationMethod": {"@id": "sec:verificationMethod", "@type": "@id"},
          "proofPurpose": {"@id": "sec:proofPurpose", "@type": "@vocab"},
          "assertionMethod": {"@id": "sec:assertionMethod", "@type": "@id", "@container": "@set"},
          "authentication": {"@id": "sec:authenticationMethod", "@type": "@id", "@container": "@set"}
        }
        """
}
