import Cryptography
import JSON

@testable import Credentials
@testable import Envelopes
@testable import Trust

/// The one issuer the gate under test believes. Its key follows from a fixed seed, so that what was found once is
/// found again; it signs nothing anywhere else.
enum Issuer {
    static let now: Int64 = 1_800_000_000
    static let id = "https://issuer.example"
    static let type = "urn:example:national-id:1"

    nonisolated(unsafe) private static var key: SigningKey = { try! SigningKey(seed: [UInt8](repeating: 1, count: 32).span) }()
    nonisolated(unsafe) private static var holder: SigningKey = { try! SigningKey(seed: [UInt8](repeating: 2, count: 32).span) }()

    static let trust: TrustStore = {
        let root = CertificateFixtures.root.split(separator: "\n").map { $0 + "\\n" }.joined()
        let file = """
            {"gatehouse-trust":1,"ids":["\(id)"],"keys":[{"kid":"k","jwk":\(jwk(key.publicKey))}],\
            "x509":{"roots":["-----BEGIN CERTIFICATE-----\\n\(root)-----END CERTIFICATE-----\\n"]},\
            "forms":["sd_jwt"],"algorithms":["EdDSA","ES256","RS256","PS256","ES256K"],"types":["\(type)"],"claims":{"portrait":["portrait"]}}
            """
        do { return try TrustStore(files: [("issuer.json", Array(file.utf8))]) } catch { fatalError("\(error)") }
    }()
    nonisolated(unsafe) static let verifier = CredentialVerifier(trust: trust)

    static func jwk(_ key: InlineArray<32, UInt8>) -> String {
        #"{"kty":"OKP","crv":"Ed25519","x":"\#(text(Base64.encodeURL((0..<32).map { key[$0] })))"}"#
    }
    static var holderKey: String { jwk(holder.publicKey) }
    static var rawKey: InlineArray<32, UInt8> { key.publicKey }
    static var publicKey: String { jwk(key.publicKey) }

    static func sign(_ message: [UInt8]) -> [UInt8] {
        do { return try key.sign(message.span) } catch { fatalError("\(error)") }
    }

    static func text(_ octets: some Sequence<UInt8>) -> String { String(decoding: Array(octets), as: UTF8.self) }
    static func digest(_ text: some Sequence<UInt8>) -> [UInt8] {
        do { return Base64.encodeURL(try Digest.hash(Array(text).span, .sha256)) } catch { fatalError("\(error)") }
    }

    /// `header.payload.signature` of two JSON texts.
    static func token(_ header: [UInt8], _ payload: [UInt8], byHolder: Bool = false) -> [UInt8] {
        let signed = Base64.encodeURL(header) + [UInt8(ascii: ".")] + Base64.encodeURL(payload)
        do {
            let signature = byHolder ? try holder.sign(signed.span) : try key.sign(signed.span)
            return signed + [UInt8(ascii: ".")] + Base64.encodeURL(signature)
        } catch {
            fatalError("\(error)")
        }
    }

    // MARK: the credentials a stranger could have recorded

    struct Signed {
        var token: [UInt8]
        var disclosures: [[UInt8]]
        /// Names and JSON texts of the claims that are always there, and of those that may be.
        var plain: [(name: String, value: [UInt8])]
        var disclosable: [(name: String, value: [UInt8])]

        var text: [UInt8] { token + [UInt8(ascii: "~")] + disclosures.flatMap { $0 + [UInt8(ascii: "~")] } }
    }

    static let header = Array(#"{"alg":"EdDSA","typ":"dc+sd-jwt","kid":"k"}"#.utf8)

    static let signed: [Signed] = [
        make([("given_name", #""Erika""#), ("portrait", #""data:image/jpeg;base64,/9j/AA==""#)]),
        make([]),
        make([("a", "[1,{}]"), ("b", "null")], confirmation: #"{"jwk":\#(holderKey)}"#),
    ]

    private static func make(_ claims: [(String, String)], confirmation: String? = nil) -> Signed {
        var members = [
            ("iss", #""\#(id)""#), ("vct", #""\#(type)""#), ("iat", "\(now - 1000)"), ("exp", "\(now + 1000)"),
            ("nested", #"{"x":[1,2.50,{"y":null}]}"#),
        ]
        if let confirmation { members.append(("cnf", confirmation)) }
        let disclosures = claims.map { Base64.encodeURL(Array(#"["c2FsdA-\#($0.0)","\#($0.0)",\#($0.1)]"#.utf8)) }
        let digests = disclosures.map { #""\#(text(digest($0)))""# }.joined(separator: ",")
        let payload = "{" + (members + [("_sd", "[\(digests)]")]).map { #""\#($0.0)":\#($0.1)"# }.joined(separator: ",") + "}"
        return Signed(
            token: token(header, Array(payload.utf8)), disclosures: disclosures,
            plain: members.map { ($0.0, Array($0.1.utf8)) }, disclosable: claims.map { ($0.0, Array($0.1.utf8)) })
    }

    static var good: [UInt8] {
        Array(#"{"vcMetadata":{"format":"vc+sd-jwt"},"verifiableCredential":{"credential":"\#(text(signed[0].text))"}}"#.utf8)
    }

    /// The third credential with its holder's key binding.
    static var bound: [UInt8] { bind(signed[2].text) }

    static func bind(_ presentation: [UInt8], hash: [UInt8]? = nil) -> [UInt8] {
        let body = #"{"iat":\#(now),"aud":"gate","nonce":"n","sd_hash":"\#(text(hash ?? digest(presentation)))"}"#
        return presentation + token(Array(#"{"alg":"EdDSA","typ":"kb+jwt"}"#.utf8), Array(body.utf8), byHolder: true)
    }
}

/// A credential that was accepted was signed: its token is one the issuer made, and no claim is anybody else's.
func requireSigned(_ credential: VerifiedCredential, _ text: [UInt8]) {
    let token = Array(text.prefix { $0 != UInt8(ascii: "~") })
    guard let signed = Issuer.signed.first(where: { $0.token == token }) else {
        return require(false, "only what the issuer signed is accepted")
    }
    require(credential.issuer == Issuer.id && credential.type == Issuer.type, "issuer and type are the trusted ones")
    let claims = credential.claims.root
    for (name, value) in signed.plain { require(claims[name]?.source == value, "\(name) is as signed") }
    for member in claims.members! {
        require(
            (signed.plain + signed.disclosable).contains { $0.name == member.name && $0.value == member.value.source },
            "\(member.name) is a signed claim")
    }
}
