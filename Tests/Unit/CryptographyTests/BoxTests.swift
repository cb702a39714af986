import TestSupport
import Testing

@testable import Cryptography

/// NaCl's boxes. The numbers are those of envelope a01 of the suite `aries`, made with PyNaCl; the first AEAD is RFC 8439 section 2.8.2.
struct BoxTests {
    private static let gateSeed = Hex.bytes("da07d67bfd4ed93829a4225e7889d77e7fae11d961aa002cf723e01d73eebdec")
    private static let gateScalar = Hex.bytes("0054150a98d81b75f723a38e61a9b3cae3535691581c6d7783a753659d64107e")
    private static let gatePoint = Hex.bytes("9c79c9ea2c113aaa99fb94f821c3defbc00b9d3f519722e59b700ef81f35d651")
    private static let ephemeral = Hex.bytes("e98eb978971ef5f5cb4645ae48dc95305dddca8e55b6ddb8ae1cea2bfb52da0c")

    private static func pair(_ scalar: [UInt8]) throws -> BoxKeyPair { try BoxKeyPair(Secret(copying: scalar.span)) }

    private static func array(_ secret: borrowing Secret) -> [UInt8] { secret.withBytes { bytes in bytes.indices.map { bytes[$0] } } }

    private static func array<let count: Int>(_ octets: InlineArray<count, UInt8>) -> [UInt8] { octets.indices.map { octets[$0] } }

    @Test func anEd25519PairBecomesAnX25519Pair() throws {
        let seed = try Secret(copying: Self.gateSeed.span)
        let pair = try BoxKeyPair(ed25519Seed: seed)
        #expect(Self.array(pair.publicKey.octets) == Self.gatePoint)
        let isSame = pair.hasSecret(Self.gateScalar.span)
        #expect(isSame)
        let signing = try SigningKey(seed: seed)
        let key = signing.publicKey
        let mapped = try Self.array(BoxPublicKey(ed25519: key.span).octets)
        #expect(mapped == Self.gatePoint)
    }

    @Test func theNonceOfASealedBoxFollowsFromBothKeys() throws {
        let ephemeral = try Self.pair(Self.ephemeral), gate = try Self.pair(Self.gateScalar)
        #expect(Self.array(ephemeral.publicKey.octets) == Hex.bytes("31142f2030e9b1c9762c1958cdebe73519d7551dc217874f79c39c99f31d3330"))
        let nonce = try SealedBox.nonce(ephemeral: ephemeral.publicKey, recipient: gate.publicKey)
        #expect(Self.array(nonce) == Hex.bytes("d32e800c7643405c50b16ab4e7076ef6376f8a27f4426fd0"))
        let shared = Hex.bytes("551ed78aa8fa04eae34831f13e14824352b4b1ec20bf7db3a9fbc96ae3fd0bec")
        let there = try BoxAgreement(ephemeral, with: gate.publicKey), here = try BoxAgreement(gate, with: ephemeral.publicKey)
        let areSame = there.hasKey(shared.span) && here.hasKey(shared.span)
        #expect(areSame)
    }

    @Test func sealedBoxesOpenForTheirRecipientAlone() throws {
        let gate = try Self.pair(Self.gateScalar), message = Array("message".utf8)
        let box = try SealedBox.seal(message.span, for: gate.publicKey, ephemeral: Self.pair(Self.ephemeral))
        #expect(box.count == message.count + SealedBox.overhead)
        let opened = try Self.array(SealedBox.open(box.span, by: gate))
        #expect(opened == message)
        #expect(throws: CryptographyError.authenticationFailed) {
            let other = try Self.pair([UInt8](repeating: 9, count: 32))
            _ = try SealedBox.open(box.span, by: other)
        }
        for index in box.indices {
            var changed = box
            changed[index] ^= 1
            #expect(throws: CryptographyError.self, "\(index)") { _ = try SealedBox.open(changed.span, by: gate) }
        }
        for length in 0..<box.count {
            let cut = Array(box.prefix(length))
            #expect(throws: CryptographyError.self, "\(length)") { _ = try SealedBox.open(cut.span, by: gate) }
        }
    }

    @Test func boxesOpenUnderTheirNonceAlone() throws {
        let one = try Self.pair(Self.gateScalar), other = try Self.pair(Self.ephemeral)
        let message = [UInt8](repeating: 7, count: 32), nonce = [UInt8](repeating: 5, count: 24), wrong = [UInt8](repeating: 6, count: 24)
        let there = try BoxAgreement(one, with: other.publicKey), here = try BoxAgreement(other, with: one.publicKey)
        let box = try there.seal(message.span, nonce: nonce.span)
        let opened = try Self.array(here.open(box.span, nonce: nonce.span))
        #expect(opened == message)
        #expect(throws: CryptographyError.authenticationFailed) { _ = try here.open(box.span, nonce: wrong.span) }
        let short = Array(nonce.dropLast()), empty: [UInt8] = []
        #expect(throws: CryptographyError.wrongLength) { _ = try here.open(box.span, nonce: short.span) }
        #expect(throws: CryptographyError.wrongLength) { _ = try here.seal(message.span, nonce: short.span) }
        #expect(throws: CryptographyError.wrongLength) { _ = try here.open(empty.span, nonce: nonce.span) }
    }

    @Test func pointsOfLowOrderAreNoKeys() throws {
        let gate = try Self.pair(Self.gateScalar)
        #expect(throws: CryptographyError.lowOrderPoint) { _ = try BoxAgreement(gate, with: BoxPublicKey(InlineArray(repeating: 0))) }
        for first in [0, 1] as [UInt8] {
            let point = [first] + [UInt8](repeating: 0, count: 31)
            #expect(throws: CryptographyError.malformedKey) { _ = try BoxPublicKey(ed25519: point.span) }
        }
        let short = [UInt8](repeating: 9, count: 31)
        #expect(throws: CryptographyError.wrongLength) { _ = try BoxPublicKey(ed25519: short.span) }
        #expect(throws: CryptographyError.wrongLength) { _ = try Self.pair(short) }
    }

    @Test func theExampleOfTheRFCIsSealedAndOpened() throws {
        let octets = (0x80...0x9F).map { UInt8($0) }
        let key = try Secret(copying: octets.span)
        let nonce = Hex.bytes("070000004041424344454647"), additional = Hex.bytes("50515253c0c1c2c3c4c5c6c7")
        let advice = "If I could offer you only one tip for the future, sunscreen would be it."
        let plain = Array("Ladies and Gentlemen of the class of '99: \(advice)".utf8)
        var message = plain
        let tag = try message.withUnsafeMutableBytes { try ChaChaPoly.seal($0, key: key, nonce: nonce.span, additional: additional.span) }
        #expect(Self.array(tag) == Hex.bytes("1ae10b594f09e26a7e902ecbd0600691"))
        #expect(message.starts(with: Hex.bytes("d31a8d34648e60db7b86afbc53ef7ec2")))
        let sealed = message
        try message.withUnsafeMutableBytes {
            try ChaChaPoly.open($0, tag: tag.span, key: key, nonce: nonce.span, additional: additional.span)
        }
        #expect(message == plain)
        message = sealed
        let wrong = Array(nonce.reversed())
        #expect(throws: CryptographyError.authenticationFailed) {
            try message.withUnsafeMutableBytes {
                try ChaChaPoly.open($0, tag: tag.span, key: key, nonce: wrong.span, additional: additional.span)
            }
        }
        // Nothing that was not authenticated is left.
        #expect(message.allSatisfy { $0 == 0 })
    }
}
