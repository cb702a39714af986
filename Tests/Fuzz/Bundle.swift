import Cryptography

@testable import Credentials
@testable import Envelopes
@testable import Trust

/// What an installer is given on a stick, and what it keeps on the disk. The first octet chooses the reader.
func fuzzBundle(_ octets: UnsafeBufferPointer<UInt8>) {
    guard let first = octets.first else { return }
    let rest = Array(octets.dropFirst())
    switch first {
    case 0:
        guard let signed = try? SignedTrustBundle(rest) else { return }
        _ = try? signed.unverified()
        let standings = try? signed.signatures(BundleMaker.root)
        guard let bundle = try? signed.verify(BundleMaker.root) else { return }
        require(standings?.contains { $0.standing == .valid } == true, "what is believed has a valid signature")
        require((try? bundle.encoded()) == BundleMaker.payload, "what is believed is what was signed")
    case 1:
        guard let bundle = try? TrustBundle(decoding: rest) else { return }
        require((try? bundle.encoded()) == rest, "a bundle has one encoding")
    case 2:
        guard let mark = HighWater(decoding: rest) else { return }
        require(mark.encoded == rest, "a mark has one encoding")
    case 3:
        _ = try? TrustRoot(name: "root.json", bytes: rest)
    case 5:
        guard let signed = try? SignedOrder(rest) else { return }
        _ = try? signed.unverified()
        guard let order = try? signed.verify(BundleMaker.root) else { return }
        require(order.encoded == BundleMaker.order.encoded, "an order that is followed is what was signed")
    case 6:
        guard let order = try? Order(decoding: rest) else { return }
        require(order.encoded == rest, "an order has one encoding")
    case 7:
        guard let numbers = OrderNumbers(decoding: rest) else { return }
        require(numbers.encoded == rest, "a record of numbers has one encoding")
    case 8:
        _ = try? AnonCredsFile(AnonCredsContents.File(name: "town.json", bytes: rest))
    case 9:
        _ = try? TrustedIssuer(TrustContents.IssuerText(name: "issuer.json", bytes: rest))
    case 10:
        guard let list = try? TrustedKeyContents.AddressList(url: "u", fetched: 0, text: rest, file: "list.txt") else { return }
        require(list.addresses.count == 20 * list.count && list.firstUnordered == nil, "addresses are whole and in their order")
    default:
        _ = try? BundleSettings(rest)
    }
}

let bundleSeeds: [[UInt8]] = [
    [0] + BundleMaker.signed, [1] + BundleMaker.payload, [2] + BundleMaker.mark, [3] + Array(BundleMaker.rootText.utf8),
    [5] + BundleMaker.signedOrder, [6] + BundleMaker.order.encoded, [7] + BundleMaker.numbers,
    [8]
        + Array(
            #"{"gatehouse-anoncreds":1,"schemas":[{"id":"s","issuerId":"i","name":"n","version":"1","attrNames":["a"]}],"definitions":[{"id":"d","schemaId":"s","issuerId":"i","tag":"t","primary":{"n":"15","s":"4","z":"4","rctxt":"4","r":{"a":"4","master_secret":"4"}}}],"registries":[],"lists":[]}"#
                .utf8),
    [9]
        + Array(
            #"{"gatehouse-trust":1,"ids":["i"],"forms":["anoncreds"],"types":["s"],"anoncreds":{"file":"f","sha256":"00","expires":["a","YYYYMMDD"]},"status":{"grace":1}}"#
                .utf8),
    [9]
        + Array(
            #"{"gatehouse-trust":1,"ids":["i"],"forms":["trustedkey"],"types":["s"],"x509":{"roots":[]},"trustedkey":{"clientId":"c","wallet":"https://w","objects":["2.5.4.3"],"revoked":"u"}}"#
                .utf8),
    [10] + Array("0x0000000000000000000000000000000000000000\n0x0000000000000000000000000000000000000001\n".utf8),
    [4]
        + Array(
            #"{"gatehouse-bundle":1,"sequence":7,"notBefore":"2026-01-01T00:00:00Z","notAfter":"2027-01-01T00:00:00Z","clock":"reject"}"#
                .utf8),
]

/// A bundle that its root believes. The key's seed is a number.
private enum BundleMaker {
    static let seed = [UInt8](repeating: 7, count: 32)
    static let rootText: String = {
        let key = made { try SigningKey(seed: seed.span).publicKey }
        return
            #"{"gatehouse-root":1,"threshold":1,"signers":[{"kid":"a","jwk":{"kty":"OKP","crv":"Ed25519","x":"\#(Issuer.text(Base64.encodeURL((0..<32).map { key[$0] })))"}}]}"#
    }()
    static let root = made { try TrustRoot(name: "root.json", bytes: Array(rootText.utf8)) }
    static let bundle = made {
        try TrustBundle(
            sequence: 1, created: 1, notBefore: 0, notAfter: 100, clock: .reject,
            contents: TrustContents(
                issuers: [TrustContents.IssuerText(name: "a", bytes: Array("{}".utf8))],
                contexts: [TrustContents.ContextDocument(url: "u", bytes: Array("{}".utf8))],
                lists: [PinnedStatusList(url: "l", fetched: 1, bytes: [1])]))
    }
    static let payload = made { try bundle.encoded() }
    static let signed = made { try SignedTrustBundle(signing: bundle, as: "a", with: SigningKey(seed: seed.span)).octets }
    static let order = made {
        try Order(kind: .time, number: 1, gates: .these(["a", "b"]), created: 1, notAfter: 100, content: Array(#"{"turnBack":true}"#.utf8))
    }
    static let signedOrder = made { try SignedOrder(signing: order, as: "a", with: SigningKey(seed: seed.span)).octets }
    static let numbers: [UInt8] = {
        var numbers = OrderNumbers()
        numbers.raise(.time, to: 7)
        numbers.raise(.site, to: 2)
        return numbers.encoded ?? []
    }()
    static let mark: [UInt8] = made {
        var mark = HighWater()
        try mark.raise(to: bundle)
        return mark.encoded ?? []
    }

    private static func made<Value>(_ make: () throws -> Value) -> Value {
        do {
            return try make()
        } catch {
            fatalError("\(error)")
        }
    }
}
