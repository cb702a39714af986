import CBOR
import Cryptography
import Testing

@testable import Credentials
@testable import Envelopes

@Suite struct COSESignTests {
    static let third = TestKey(.ed25519)

    /// One element of `signatures`.
    struct Part {
        var key: TestKey
        var keyID: String
        var algorithm: Int64 = -8
        var body: [UInt8] = []
        var payload: [UInt8]?
        var isSpoilt = false
        var inProtected = false
    }

    private let payload = Array("bundle".utf8)

    private func message(_ parts: [Part], protected: [UInt8] = [], tag: UInt64? = 98) throws -> [UInt8] {
        try CBORWriter.encode { writer in
            if let tag { writer.tag(tag) }
            writer.array { writer in
                writer.bytes(protected)
                writer.map { _ in }
                writer.bytes(payload)
                writer.array { writer in for part in parts { write(part, to: &writer) } }
            }
        }
    }

    private func write(_ part: Part, to writer: inout CBORWriter) {
        let header =
            (try? CBORWriter.encode { writer in
                writer.map {
                    $0.entry(1) { $0.integer(part.algorithm) }
                    if part.inProtected { $0.entry(4) { $0.bytes(Array(part.keyID.utf8)) } }
                }
            }) ?? []
        let signed =
            (try? CBORWriter.encode { writer in
                writer.array {
                    $0.text("Signature")
                    $0.bytes(part.body)
                    $0.bytes(header)
                    $0.bytes([])
                    $0.bytes(part.payload ?? payload)
                }
            }) ?? []
        var signature = part.key.sign(signed)
        if part.isSpoilt { signature[7] ^= 1 }
        writer.array {
            $0.bytes(header)
            $0.map { if !part.inProtected { $0.entry(4) { $0.bytes(Array(part.keyID.utf8)) } } }
            $0.bytes(signature)
        }
    }

    private func signers(_ list: [(String, TestKey)]) throws -> [COSESign.Signer] {
        try list.map { COSESign.Signer(keyID: Array($0.0.utf8), key: try $0.1.publicKey) }
    }

    private func answer(_ bytes: [UInt8], _ threshold: Int, _ signers: [COSESign.Signer]) throws -> Result<[Int], COSEError> {
        let item = try CBORDocument(parsing: bytes).root
        return Result { () throws(COSEError) in try COSESign(item).verify(threshold: threshold, signers: signers) }
    }

    @Test func twoOfThree() throws {
        let pinned = try signers([("a", .ed25519), ("b", .otherEd25519), ("c", Self.third)])
        let a = Part(key: .ed25519, keyID: "a"), b = Part(key: .otherEd25519, keyID: "b", inProtected: true),
            c = Part(key: Self.third, keyID: "c")
        #expect(try answer(message([a, b]), 2, pinned) == .success([0, 1]))
        #expect(try answer(message([c, a]), 2, pinned) == .success([2, 0]))
        #expect(try answer(message([a, b, c]), 3, pinned) == .success([0, 1, 2]))
        #expect(try answer(message([a, b], tag: nil), 2, pinned) == .success([0, 1]))
        #expect(try answer(message([a]), 1, pinned) == .success([0]))
        #expect(try answer(message([a]), 2, pinned) == .failure(.thresholdNotMet))
        #expect(try answer(message([a, b]), 3, pinned) == .failure(.thresholdNotMet))
        // An empty protected header may come as an empty map; the empty string is what is signed (RFC 9052 section 4.4).
        #expect(try answer(message([a, b], protected: [0xA0]), 2, pinned) == .success([0, 1]))
    }

    @Test func whatDoesNotCount() throws {
        let pinned = try signers([("a", .ed25519), ("b", .otherEd25519)])
        let a = Part(key: .ed25519, keyID: "a"), b = Part(key: .otherEd25519, keyID: "b")
        let stranger = Part(key: Self.third, keyID: "x")
        #expect(try answer(message([a, a, a]), 2, pinned) == .failure(.thresholdNotMet), "one key thrice")
        #expect(try answer(message([a, stranger]), 2, pinned) == .failure(.thresholdNotMet))
        var wrong = b
        wrong.isSpoilt = true
        #expect(try answer(message([a, wrong]), 2, pinned) == .failure(.thresholdNotMet))
        wrong = b
        wrong.keyID = "a"
        #expect(try answer(message([a, wrong]), 2, pinned) == .failure(.thresholdNotMet), "b's signature under a's name")
        wrong = Part(key: .ed25519, keyID: "b")
        #expect(try answer(message([a, wrong]), 2, pinned) == .failure(.thresholdNotMet), "a's signature under b's name")
        wrong = b
        wrong.payload = Array("another".utf8)
        #expect(try answer(message([a, wrong]), 2, pinned) == .failure(.thresholdNotMet))
        wrong = b
        wrong.body = hex("a10441aa")
        #expect(try answer(message([a, wrong]), 2, pinned) == .failure(.thresholdNotMet))
        wrong = b
        wrong.algorithm = -7
        #expect(try answer(message([a, wrong]), 2, pinned) == .failure(.thresholdNotMet), "another algorithm than signed with")
        // And none of these stands in the way of a good one.
        wrong = b
        wrong.isSpoilt = true
        #expect(try answer(message([wrong, stranger, a, b]), 2, pinned) == .success([0, 1]))
        #expect(try answer(message([a, b]), 2, []) == .failure(.thresholdNotMet))
    }

    /// The same key pinned under two names is one signer.
    @Test func sameKeyTwoNames() throws {
        let pinned = try signers([("a", .ed25519), ("b", .ed25519), ("a", .otherEd25519)])
        let parts = [Part(key: .ed25519, keyID: "a"), Part(key: .ed25519, keyID: "b")]
        #expect(try answer(message(parts), 2, pinned) == .failure(.thresholdNotMet))
        #expect(try answer(message(parts), 1, pinned) == .success([0]))
        // Two keys under one name are two signers.
        #expect(
            try answer(message([Part(key: .otherEd25519, keyID: "a"), Part(key: .ed25519, keyID: "a")]), 2, pinned) == .success([2, 0]))
    }

    /// A signature with a curve is none here, even by a pinned key.
    @Test func ed25519Only() throws {
        let pinned = try signers([("a", .p256)])
        #expect(try answer(message([Part(key: .p256, keyID: "a", algorithm: -7)]), 1, pinned) == .failure(.thresholdNotMet))
        #expect(try answer(message([Part(key: .p256, keyID: "a")]), 1, pinned) == .failure(.thresholdNotMet))
    }

    @Test func thresholdOfNothing() throws {
        let pinned = try signers([("a", .ed25519)])
        let bytes = try message([Part(key: .ed25519, keyID: "a")])
        for threshold in [0, -1, .min, 2, .max] { #expect(try answer(bytes, threshold, pinned) == .failure(.thresholdNotMet)) }
    }

    @Test func shapes() throws {
        let a = Part(key: .ed25519, keyID: "a")
        #expect(try answer(message([a], tag: 18), 1, []) == .failure(.notASignature))
        #expect(try answer(message([Part](repeating: a, count: 17)), 1, []) == .failure(.tooManySignatures))
        #expect(try answer(message([]), 1, []) == .failure(.malformed(CBORError(.missing, at: 2))))
        #expect(try answer(hex("8440a0f680"), 1, []) == .failure(.payloadDetached))
        #expect(try answer(hex("8440a040 8183 40a000"), 1, []) == .failure(.malformed(CBORError(.wrongType, at: 8))))
        #expect(try answer(hex("8440a040 40"), 1, []) == .failure(.malformed(CBORError(.wrongType, at: 4))))
        // An extension that only the signer's header asks for makes the whole object one this gate does not understand.
        #expect(try answer(hex("8440a040 8183 44a1028100 a0 40"), 1, []) == .failure(.criticalHeaderRefused))
    }
}
