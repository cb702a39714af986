import Envelopes

/// The encodings a wallet can hand over, named as OpenID4VCI and Inji name them.
public enum CredentialForm: String, Hashable, Sendable, CaseIterable {
    /// `<issuer JWT>~<disclosure>~...~[<key binding JWT>]`, RFC 9901.
    case sdJWT = "sd_jwt"
    /// A JSON-LD object with an embedded proof.
    case ldpVC = "ldp_vc"
    /// A compact JWS without disclosures.
    case jwtVC = "jwt_vc"
    /// A COSE_Sign1 with CBOR web token claims, as octets or as hex text.
    case cwt = "cwt"
    /// An ISO 18013-5 IssuerSigned structure, as octets or as base64url text.
    case mdoc = "mso_mdoc"
    /// A presentation of AnonCreds. It is never recognised among credentials: it answers a request of its own.
    case anoncreds = "anoncreds"
    /// Claims over a Trusted Key wallet's key, likewise.
    case trustedKey = "trustedkey"
    /// None of these.
    case unknown
}

/// The type that every JSON-LD credential has: it says nothing but that this is one.
package enum BareType {
    package static let name = "VerifiableCredential"
    package static let iri = "https://www.w3.org/2018/credentials#" + name

    package static func isBare(_ type: String) -> Bool { type.isExactly(name) || type.isExactly(iri) }
}

/// The data model a JSON-LD credential follows, which its first context says.
package enum DataModelVersion: String, Hashable, Sendable, CaseIterable {
    case v1 = "https://www.w3.org/2018/credentials/v1"
    case v2 = "https://www.w3.org/ns/credentials/v2"
}
