import CBOR
import Testing

/// The contents of byte strings, in one piece and in chunks.
struct CBORContentsTests {
    private func contents(_ octets: [UInt8]) throws -> [UInt8]? {
        try CBORDocument(parsing: octets, options: .tolerant).root.withContents { octets in octets.indices.map { octets[$0] } }
    }

    @Test func contentsAreThoseOfBytes() throws {
        for octets: [UInt8] in [[0x40], [0x43, 1, 2, 3], [0x58, 1, 9], [0x5F, 0xFF], [0x5F, 0x41, 1, 0x40, 0x42, 2, 3, 0xFF]] {
            #expect(try contents(octets) == CBORDocument(parsing: octets, options: .tolerant).root.bytes)
        }
    }

    @Test func otherTypesHaveNone() throws {
        for octets: [UInt8] in [[0x00], [0x61, 0x61], [0x80], [0xF6], [0xC0, 0x41, 1]] { #expect(try contents(octets) == nil) }
    }

    @Test func embeddedItemsAreTheSameEitherWay() throws {
        for octets: [UInt8] in [[0x41, 0x07], [0x5F, 0x41, 0x81, 0x41, 0x07, 0xFF]] {
            let item = try CBORDocument(parsing: octets, options: .tolerant).root
            #expect(try item.embeddedInPlace().root.source == item.embedded().root.source)
        }
        let text = try CBORDocument(parsing: [0x61, 0x61]).root
        #expect(throws: CBORError(.wrongType, at: 0)) { try text.embeddedInPlace() }
        let short = try CBORDocument(parsing: [0x41, 0x81]).root
        #expect(throws: CBORError(.truncated, at: 1)) { try short.embeddedInPlace() }
    }
}
