import CBOR
import TestSupport
import Testing

/// `CBOREncoding` writes what `CBORWriter` writes, but leaves the order to its caller.
@Suite struct EncodingTests {
    @Test func numbersAreShortest() throws {
        let edges: [UInt64] = [0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, .max]
        for value in edges {
            #expect(CBOREncoding.unsigned(value) == (try CBORWriter.encode { $0.unsigned(value) }))
        }
        for value in [Int64.min, -65_537, -65_536, -257, -256, -25, -24, -1, 0, 1, .max] {
            #expect(CBOREncoding.integer(value) == (try CBORWriter.encode { $0.integer(value) }))
        }
    }

    @Test func stringsAndSimpleValues() throws {
        for length in [0, 1, 23, 24, 255, 256, 70_000] {
            let octets = [UInt8](repeating: 7, count: length), text = String(repeating: "ü", count: length)
            #expect(CBOREncoding.bytes(octets) == (try CBORWriter.encode { $0.bytes(octets) }))
            #expect(CBOREncoding.text(text) == (try CBORWriter.encode { $0.text(text) }))
        }
        #expect(CBOREncoding.bool(true) == [0xF5] && CBOREncoding.bool(false) == [0xF4] && CBOREncoding.null == [0xF6])
    }

    @Test func pairsKeepTheirOrder() throws {
        let octets = CBOREncoding.map([
            (CBOREncoding.text("b"), CBOREncoding.array([CBOREncoding.unsigned(1), CBOREncoding.null])),
            (CBOREncoding.text("a"), CBOREncoding.embedded(CBOREncoding.unsigned(500))),
        ])
        #expect(octets == Hex.bytes("A2 6162 8201F6 6161 D8184319 01F4"))
        let root = try CBORDocument(parsing: octets).root
        #expect(root["a"]?.content(of: CBOREncoding.embeddedTag)?.bytes == [0x19, 0x01, 0xF4])
    }

    @Test func containersOfEveryLength() throws {
        for count in [0, 23, 24, 256] {
            let items = [[UInt8]](repeating: [0x01], count: count)
            #expect(try CBORDocument(parsing: CBOREncoding.array(items)).root.elements?.count == count)
            let pairs = (0..<count).map { (key: CBOREncoding.unsigned(UInt64($0)), value: [UInt8(0xF5)]) }
            #expect(try CBORDocument(parsing: CBOREncoding.map(pairs)).root.pairs?.count == count)
        }
    }
}
