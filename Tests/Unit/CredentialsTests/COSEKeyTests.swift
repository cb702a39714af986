import CBOR
import Cryptography
import Testing

@testable import Credentials
@testable import Envelopes

@Suite struct COSEKeyTests {
    private func key(_ body: (inout CBORMapWriter) -> Void) throws -> Result<COSEKey, COSEError> {
        let item = try CBORDocument(parsing: CBORWriter.encode { $0.map(body) }).root
        return Result { () throws(COSEError) in try COSEKey(item) }
    }

    private func refusal(_ result: Result<COSEKey, COSEError>) -> COSEError? {
        if case .failure(let error) = result { error } else { nil }
    }

    private func curve(_ map: inout CBORMapWriter, _ number: Int64, _ x: [UInt8], _ y: [UInt8]) {
        map.entry(1) { $0.integer(2) }
        map.entry(-1) { $0.integer(number) }
        map.entry(-2) { $0.bytes(x) }
        map.entry(-3) { $0.bytes(y) }
    }

    @Test func curves() throws {
        for (test, number) in [(TestKey.p256, Int64(1)), (.p384, 2)] {
            let x = try test.component("x"), y = try test.component("y")
            #expect(try key { curve(&$0, number, x, y) }.get().key == test.publicKey)
            let compressed = try key { map in
                map.entry(1) { $0.integer(2) }
                map.entry(-1) { $0.integer(number) }
                map.entry(-2) { $0.bytes(x) }
                map.entry(-3) { $0.bool((y.last ?? 0) & 1 == 1) }
            }
            #expect(try compressed.get().key == test.publicKey)
            #expect(refusal(try key { curve(&$0, 3 - number, x, y) }) == .keyRefused, "the other curve")
            #expect(refusal(try key { curve(&$0, 8, x, y) }) == .keyRefused, "secp256k1")
            #expect(refusal(try key { curve(&$0, number, y, x) }) == .keyRefused, "not on the curve")
            #expect(refusal(try key { curve(&$0, number, Array(x.dropLast()), y) }) == .keyRefused)
            #expect(refusal(try key { curve(&$0, number, x, []) }) == .keyRefused)
        }
    }

    @Test func edwards() throws {
        let x = try TestKey.ed25519.component("x")
        func okp(_ curve: Int64 = 6, _ x: [UInt8], _ more: (inout CBORMapWriter) -> Void = { _ in }) throws -> Result<COSEKey, COSEError> {
            try key { map in
                map.entry(1) { $0.integer(1) }
                map.entry(-1) { $0.integer(curve) }
                map.entry(-2) { $0.bytes(x) }
                more(&map)
            }
        }
        let plain = try okp(6, x).get()
        #expect(try plain.key == TestKey.ed25519.publicKey && plain.algorithm == nil && plain.keyID == nil)
        let full = try okp(6, x) { map in
            map.entry(2) { $0.bytes([7]) }
            map.entry(3) { $0.integer(-8) }
            map.entry(4) { $0.array { $0.integer(2) } }
        }.get()
        #expect(full.keyID == [7] && full.algorithm == .edDSA)
        #expect(refusal(try okp(4, x)) == .keyRefused, "X25519")
        #expect(refusal(try okp(6, x + [0])) == .keyRefused)
        #expect(refusal(try okp(6, [UInt8](repeating: 0, count: 32))) == .keyRefused, "a point of small order")
        #expect(refusal(try okp(6, x) { $0.entry(3) { $0.integer(-7) } }) == .keyRefused)
        #expect(refusal(try okp(6, x) { $0.entry(3) { $0.text("EdDSA") } }) == .keyRefused)
        #expect(refusal(try okp(6, x) { $0.entry(4) { $0.array { $0.integer(1) } } }) == .keyRefused, "only to sign")
        #expect(refusal(try okp(6, x) { $0.entry(2) { $0.text("7") } }) == .keyRefused)
        #expect(refusal(try okp(6, x) { $0.entry(-4) { $0.bytes(x) } }) == .secretKey)
    }

    @Test func otherTypes() throws {
        #expect(refusal(try key { _ in }) == .keyRefused)
        #expect(
            refusal(
                try key {
                    $0.entry(1) { $0.integer(4) }
                    $0.entry(-1) { $0.bytes([1]) }
                }) == .keyRefused)
        let array = try CBORDocument(parsing: hex("80")).root
        #expect(throws: COSEError.malformed(CBORError(.wrongType, at: 0))) { try COSEKey(array) }
    }
}
