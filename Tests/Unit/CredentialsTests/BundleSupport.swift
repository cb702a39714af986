import CBOR
import Cryptography
import JSON
import Testing

@testable import Credentials
@testable import Envelopes
@testable import Trust

/// Somebody who signs bundles. The seed is a number repeated: a test key, plainly.
struct TestSigner {
    let id: String
    let seed: [UInt8]

    init(_ id: String, _ number: UInt8) {
        self.id = id
        seed = [UInt8](repeating: number, count: 32)
    }

    static let alice = TestSigner("alice", 1), bob = TestSigner("bob", 2), carol = TestSigner("carol", 3),
        mallory = TestSigner("mallory", 66)

    func key() throws -> SigningKey { try SigningKey(seed: seed.span) }

    var jwk: String {
        get throws {
            let key = try key().publicKey
            return #"{"kty":"OKP","crv":"Ed25519","x":"\#(base64URL((0..<32).map { key[$0] }))"}"#
        }
    }
}

/// A bundle and its root, with every part open to change.
struct TestBundle {
    static let aad = Array("gatehouse trust bundle 1".utf8)
    static let created = TestCredential.now, notBefore = created - 100, notAfter = created + 1000

    var sequence: Int64 = 7
    var created = Self.created
    var notBefore = Self.notBefore
    var notAfter = Self.notAfter
    var clock = TrustBundle.ClockPolicy.reject
    var issuers = [("issuer.json", TestTrust().text)]
    var contexts = [("https://b.example/v1", #"{"@context":[]}"#), ("https://a.example/v1", #"{"@context":{}}"#)]
    var lists: [(String, Int64, String)] = [("https://list.example/1", Self.created - 50, "list")]

    func contents() throws -> TrustContents {
        TrustContents(
            issuers: try issuers.map { TrustContents.IssuerText(name: $0.0, bytes: try #require(TrustBundle.canonical(Array($0.1.utf8)))) },
            contexts: contexts.map { TrustContents.ContextDocument(url: $0.0, bytes: Array($0.1.utf8)) },
            lists: lists.map { PinnedStatusList(url: $0.0, fetched: $0.1, bytes: Array($0.2.utf8)) })
    }

    func bundle() throws -> TrustBundle {
        try TrustBundle(
            sequence: sequence, created: created, notBefore: notBefore, notAfter: notAfter, clock: clock, contents: contents())
    }

    /// The bundle signed by each of `signers` in turn.
    func signed(by signers: [TestSigner] = [.alice, .bob]) throws -> SignedTrustBundle {
        let first = try #require(signers.first)
        var signed = try SignedTrustBundle(signing: bundle(), as: first.id, with: first.key())
        for signer in signers.dropFirst() { signed = try signed.signed(as: signer.id, with: signer.key()) }
        return signed
    }

    /// Any octets at all, signed as a bundle is.
    static func signed(_ payload: [UInt8], by signers: [TestSigner] = [.alice, .bob], aad: [UInt8] = aad) throws -> [UInt8] {
        let first = try #require(signers.first)
        var message = try COSESign.message(payload, keyID: Array(first.id.utf8), key: first.key(), externalAAD: aad)
        for signer in signers.dropFirst() {
            message = try COSESign(CBORDocument(parsing: message).root).adding(
                keyID: Array(signer.id.utf8), key: signer.key(), externalAAD: aad)
        }
        return message
    }

    static func root(threshold: Int = 2, _ signers: [TestSigner] = [.alice, .bob, .carol]) throws -> TrustRoot {
        let list = try signers.map { #"{"kid":"\#($0.id)","jwk":\#(try $0.jwk)}"# }.joined(separator: ",")
        return try TrustRoot(name: "root.json", bytes: Array(#"{"gatehouse-root":1,"threshold":\#(threshold),"signers":[\#(list)]}"#.utf8))
    }

    /// What a gate says to a file.
    static func answer(_ octets: [UInt8], _ root: TrustRoot) -> Result<TrustBundle, TrustBundleError> {
        Result { () throws(TrustBundleError) in try SignedTrustBundle(octets).verify(root) }
    }
}
