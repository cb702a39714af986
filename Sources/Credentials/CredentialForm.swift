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
    /// None of these.
    case unknown
}
