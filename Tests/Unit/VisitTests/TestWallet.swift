import Cryptography
import Foundation
import TestSupport

/// The wallet's cryptography, written from the wallet's side (tuvali.md section 5), and a credential for it to hold.
final class TestWallet {
    let agreement: KeyAgreement
    let nonce: [UInt8] = (0..<12).map { _ in .random(in: 0...255) }

    init() throws { agreement = try KeyAgreement() }

    var publicKey: [UInt8] {
        let key = agreement.publicKey
        return array(key.span)
    }
    var identify: [UInt8] { nonce + publicKey }

    /// `plaintext` for the verifier whose public key is `key`.
    func seal(_ plaintext: [UInt8], for key: [UInt8]) throws -> [UInt8] {
        let secret = try agreement.agree(with: key.span)
        var derivation = try KeyDerivation()
        let salt = Array("SHA-256".utf8)
        let info = Array("SKVerifier".utf8)
        let channel = try derivation.derive(32, from: secret, salt: salt.span, info: info.span)
        let octets = channel.withBytes { array($0) }
        var cipher = try AuthenticatedCipher()
        let nonce = nonce
        var message = plaintext + [UInt8](repeating: 0, count: 16)
        try message.withUnsafeMutableBytes { try cipher.seal($0, key: octets.span, nonce: nonce.span) }
        return message
    }

    static func gzip(_ payload: [UInt8]) -> [UInt8] { deflated(payload, windowBits: 31, level: 9) }
}

/// An issuer whose key is made when the tests run, and SD-JWTs signed with it.
enum TestIssuer {
    static let now: Int64 = 1_800_000_000
    static let seed: [UInt8] = (0..<32).map { _ in .random(in: 0...255) }
    static let strangersSeed: [UInt8] = (0..<32).map { _ in .random(in: 0...255) }

    /// A trust file that believes the issuer's key.
    static func trust() throws -> [UInt8] {
        let key = try SigningKey(seed: seed.span)
        let x = base64URL(array(key.publicKey.span))
        return Array(
            """
            {"gatehouse-trust":1,"ids":["https://issuer.example"],"name":"Ministry of Examples","forms":["sd_jwt"],
            "algorithms":["EdDSA"],"types":["urn:example:id"],"keys":[{"kid":"key-1","jwk":{"kty":"OKP","crv":"Ed25519",
            "x":"\(x)"}}],"claims":{"portrait":["portrait"]}}
            """.utf8)
    }

    static func credential(
        expires: Int64 = now + 1000, seed: [UInt8] = seed, name: String = "Asha", portrait: String? = nil, portraitJSON: String? = nil
    ) throws -> String {
        let key = try SigningKey(seed: seed.span)
        let header = #"{"alg":"EdDSA","typ":"dc+sd-jwt","kid":"key-1"}"#
        let photo = (portraitJSON ?? portrait.map { "\"\($0)\"" }).map { ",\"portrait\":\($0)" } ?? ""
        let body =
            #"{"iss":"https://issuer.example","vct":"urn:example:id","iat":\#(now - 1000),"exp":\#(expires),"name":"\#(name)"\#(photo)}"#
        let signed = base64URL(Array(header.utf8)) + "." + base64URL(Array(body.utf8))
        let octets = Array(signed.utf8)
        return signed + "." + base64URL(try key.sign(octets.span)) + "~"
    }

    /// As Inji Wallet wraps it.
    static func wrapped(_ credential: String) -> [UInt8] {
        Array(#"{"vcMetadata":{"format":"vc+sd-jwt"},"verifiableCredential":{"credential":"\#(credential)"}}"#.utf8)
    }

    static func payload() throws -> [UInt8] { wrapped(try credential()) }

    static let linkedData = Array(
        """
        {"vcMetadata":{"format":"ldp_vc"},"verifiableCredential":{"credential":{"@context":["https://www.w3.org/2018/credentials/v1"],
        "type":["VerifiableCredential"],"issuer":"https://issuer.example","credentialSubject":{"name":"Asha"},
        "proof":{"type":"Ed25519Signature2020","proofValue":"z1"}}}}
        """.utf8)

    private static func base64URL(_ octets: [UInt8]) -> String {
        Data(octets).base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}

func array(_ span: borrowing Span<UInt8>) -> [UInt8] { (0..<span.count).map { span[$0] } }
