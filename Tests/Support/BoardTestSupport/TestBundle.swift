import Cryptography
import Foundation
import Trust

/// Bundles to install, signed with test keys whose seeds are numbers.
package struct TestBundle {
    package static let now: Int64 = 1_800_000_000

    package var sequence: Int64 = 1
    package var created = now - 10
    package var notBefore = now - 1000
    package var notAfter = now + 1000
    package var type = "urn:example:1"
    package var hasIssuer = true

    package init() {}

    private static func key(_ number: UInt8) throws -> SigningKey { try SigningKey(seed: [UInt8](repeating: number, count: 32).span) }

    private static func x(_ number: UInt8) throws -> String {
        let octets = try key(number).publicKey
        return Data((0..<32).map { octets[$0] }).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    package func bundle() throws -> TrustBundle {
        let entry =
            #"{"algorithms":["EdDSA"],"forms":["sd_jwt"],"gatehouse-trust":1,"ids":["https://issuer.example"],"#
            + #""keys":[{"jwk":{"crv":"Ed25519","kty":"OKP","x":"\#(try Self.x(9))"},"kid":"k"}],"types":["\#(type)"]}"#
        let issuer = TrustContents.IssuerText(name: "issuer.json", bytes: Array(entry.utf8))
        return try TrustBundle(
            sequence: sequence, created: created, notBefore: notBefore, notAfter: notAfter, clock: .reject,
            contents: TrustContents(issuers: hasIssuer ? [issuer] : []))
    }

    package func signed(by signers: [UInt8] = [1, 2]) throws -> [UInt8] {
        var signed: SignedTrustBundle?
        for number in signers {
            let key = try Self.key(number)
            signed =
                try signed?.signed(as: "signer \(number)", with: key)
                ?? SignedTrustBundle(signing: bundle(), as: "signer \(number)", with: key)
        }
        return signed?.octets ?? []
    }

    /// A bundle that differs from others of its sequence in what `type` says.
    package static func number(_ sequence: Int64, type: String = "urn:example:1") -> TestBundle {
        var test = TestBundle()
        test.sequence = sequence
        test.type = type
        return test
    }

    package static func root(_ signers: [UInt8] = [1, 2, 3], threshold: Int = 2) throws -> TrustRoot {
        let list = try signers.map { #"{"kid":"signer \#($0)","jwk":{"kty":"OKP","crv":"Ed25519","x":"\#(try x($0))"}}"# }.joined(
            separator: ",")
        return try TrustRoot(name: "root.json", bytes: Array(#"{"gatehouse-root":1,"threshold":\#(threshold),"signers":[\#(list)]}"#.utf8))
    }
}
