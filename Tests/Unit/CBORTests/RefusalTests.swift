import CBOR
import TestSupport
import Testing

@Suite struct RefusalTests {
    /// RFC 8949 Appendix F.1, row by row.
    static let malformed: [(CBORError.Reason, [String])] = [
        // End of input in a head
        (
            .truncated,
            [
                "18", "19", "1a", "1b", "1901", "1a0102", "1b01020304050607", "38", "58", "78", "98", "9a01ff00", "b8", "d8", "f8", "f900",
                "fa0000", "fb000000",
            ]
        ),
        // Definite-length strings with short data
        (.truncated, ["41", "61", "5affffffff00", "5bffffffffffffffff010203", "7affffffff00", "7b7fffffffffffffff010203"]),
        // Definite-length maps and arrays not closed with enough items
        (.truncated, ["81", "818181818181818181", "8200", "a1", "a20102", "a100", "a2000000"]),
        // Tag number not followed by tag content
        (.truncated, ["c0"]),
        // Indefinite-length strings not closed by a break
        (.truncated, ["5f4100", "7f6100"]),
        // Indefinite-length maps and arrays not closed by a break
        (.truncated, ["9f", "9f0102", "bf", "bf01020102", "819f", "9f8000", "9f9f9f9f9fffffffff", "9f819f819f9fffffff"]),
        // Reserved additional information
        (
            .reservedInformation,
            [
                "1c", "1d", "1e", "3c", "3d", "3e", "5c", "5d", "5e", "7c", "7d", "7e", "9c", "9d", "9e", "bc", "bd", "be", "dc", "dd",
                "de", "fc", "fd", "fe",
            ]
        ),
        // Reserved two-byte encodings of simple values
        (.invalidSimple, ["f800", "f801", "f818", "f81f"]),
        // Indefinite-length string chunks not of the correct type
        (.invalidChunk, ["5f00ff", "5f21ff", "5f6100ff", "5f80ff", "5fa0ff", "5fc000ff", "5fe0ff", "7f4100ff"]),
        // Indefinite-length string chunks not definite length
        (.invalidChunk, ["5f5f4100ffff", "7f7f6100ffff"]),
        // Break occurring on its own outside of an indefinite-length item
        (.unexpectedBreak, ["ff"]),
        // Break occurring in a definite-length array, map or a tag
        (.unexpectedBreak, ["81ff", "8200ff", "a1ff", "a1ff00", "a100ff", "a20000ff", "9f81ff", "9f829f819f9fffffffff"]),
        // Break in an indefinite-length map that would lead to an odd number of items
        (.unexpectedBreak, ["bf00ff", "bf000000ff"]),
        // Major type 0, 1, 6 with additional information 31
        (.reservedInformation, ["1f", "3f", "df"]),
    ]

    @Test func appendixF() {
        for (reason, texts) in Self.malformed {
            for text in texts {
                let answer = refusal(hex(text), .tolerant)?.reason
                // A break takes a byte too: these are seen to lack room for the items they count, before the break is met.
                #expect(answer == (text == "a1ff" || text == "a20000ff" ? .truncated : reason), "\(text): \(String(describing: answer))")
                #expect(refusal(hex(text)) != nil && refusal(hex(text), .deterministic) != nil, "\(text)")
            }
        }
        #expect(Self.malformed.reduce(0) { $0 + $1.1.count } == 94)
    }

    @Test func nothingAndMore() {
        #expect(refusal([]) == CBORError(.truncated, at: 0))
        #expect(refusal(hex("0000")) == CBORError(.trailingBytes, at: 1))
        #expect(refusal(hex("83010203ff")) == CBORError(.trailingBytes, at: 4))
        #expect(refusal(hex("8001"), .tolerant) == CBORError(.trailingBytes, at: 1))
    }

    @Test(arguments: [
        "1800", "1817", "190000", "1900ff", "1a0000ffff", "1b00000000ffffffff", "3817", "5800", "580161", "7800", "9800", "b800", "d81700",
        "a1180001", "9a0000000100",
    ])
    func longerThanNeeded(_ text: String) {
        #expect(refusal(hex(text))?.reason == .notShortest)
        #expect(refusal(hex(text), CBOROptions(form: .wellFormed)) == nil)
        #expect(refusal([0x81] + hex(text)) == CBORError(.notShortest, at: text == "a1180001" ? 2 : 1))
    }

    @Test func duplicateKeys() {
        #expect(refusal(hex("a201000100")) == CBORError(.duplicateKey, at: 3))
        #expect(refusal(hex("a2616100616100"))?.reason == .duplicateKey)
        #expect(refusal(hex("a2416100616100")) == nil, "bytes are not text")
        #expect(refusal(hex("a220000000")) == nil, "-1 is not 0")
        #expect(refusal(hex("a2010018010 0"), .tolerant)?.reason == .duplicateKey, "the same key with a longer head")
        #expect(refusal(hex("a26161007801610 0"), .tolerant)?.reason == .duplicateKey)
        #expect(refusal(hex("bf01000100ff"), .tolerant)?.reason == .duplicateKey)
        #expect(refusal(hex("82a10100a10100")) == nil)
        #expect(refusal(hex("a201a1010002a10100")) == nil)
        #expect(refusal(hex("a101a201000100"))?.reason == .duplicateKey)
    }

    @Test func duplicateKeysAmongThousands() throws {
        func map(_ keys: [Int64]) throws -> [UInt8] {
            // By hand, because the writer would refuse it too.
            var bytes: [UInt8] = [0xB9, UInt8(keys.count >> 8), UInt8(keys.count & 0xFF)]
            for key in keys { bytes += try CBORWriter.encode { $0.integer(key) } + [0] }
            return bytes
        }
        let keys = (0..<8000).map { Int64($0) * 7919 % 8009 }
        #expect(refusal(try map(keys)) == nil)
        #expect(refusal(try map(keys + [keys[4711]]))?.reason == .duplicateKey)
        #expect(refusal(try map([keys[0]] + keys))?.reason == .duplicateKey)
    }

    @Test(arguments: ["a1f400", "a1800 0", "a1a000", "a1c00000", "a1f9000000", "bf5f4100ff00ff", "a1f600"])
    func keysOfOtherTypes(_ text: String) {
        #expect(refusal(hex(text), .tolerant) == CBORError(.keyRefused, at: 1))
    }

    @Test func sortedKeys() {
        for text in ["a201000200", "a20a002000", "a218640020 00", "a2616100626161 00", "a220006161 00"] {
            #expect(refusal(hex(text), .deterministic) == nil, "\(text)")
        }
        for text in ["a202000100", "a22000 0a00", "a26262620061 6100", "a26161 002000"] {
            #expect(refusal(hex(text), .deterministic)?.reason == .unsortedKeys, "\(text)")
            #expect(refusal(hex(text)) == nil)
        }
        #expect(refusal(hex("a201000100"), .deterministic)?.reason == .duplicateKey)
    }

    /// RFC 3629 section 4: the edges of every row of its table.
    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x20], [0xC2, 0xC0], [0xE0, 0x9F, 0xBF], [0xE0, 0x80, 0x80],
            [0xE1, 0x80], [0xE1, 0x80, 0x22], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xEF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x90, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF1, 0x80, 0x80, 0xC0], [0xE1, 0xC0, 0x80],
        ] as [[UInt8]])
    func malformedUTF8(_ sequence: [UInt8]) {
        let bytes = [0x60 + UInt8(sequence.count + 2), 0x61, 0x62] + sequence
        #expect(refusal(bytes) == CBORError(.invalidUTF8, at: 3))
        #expect(refusal([0xA1] + bytes + [0x00]) == CBORError(.invalidUTF8, at: 4))
        // As bytes the same is welcome.
        #expect(refusal([0x40 + UInt8(sequence.count)] + sequence) == nil)
    }

    /// A character may not be split over chunks (RFC 8949 section 3.2.3).
    @Test func splitCharacter() {
        #expect(refusal(hex("7f61c361bcff"), .tolerant)?.reason == .invalidUTF8)
        #expect(refusal(hex("7f62c3bcff"), .tolerant) == nil)
    }

    @Test func depth() {
        for head: UInt8 in [0x81, 0xC6] {
            #expect(refusal([UInt8](repeating: head, count: 32) + [0]) == nil)
            #expect(refusal([UInt8](repeating: head, count: 33) + [0]) == CBORError(.tooDeep, at: 32))
            #expect(refusal([UInt8](repeating: head, count: 1_000_000))?.reason == .tooDeep)
            // Closing many at once is a loop.
            let deep = [UInt8](repeating: head, count: 200_000) + [0]
            #expect(refusal(deep, CBOROptions(depth: 1_000_000, items: 1_000_000)) == nil)
        }
        #expect(refusal([UInt8](repeating: 0x9F, count: 1_000_000), .tolerant)?.reason == .tooDeep)
        #expect(refusal([0x80], CBOROptions(depth: 0))?.reason == .tooDeep)
        #expect(refusal([0x00], CBOROptions(depth: 0)) == nil)
    }

    @Test func limits() {
        #expect(refusal(hex("83010203"), CBOROptions(items: 4)) == nil)
        #expect(refusal(hex("83010203"), CBOROptions(items: 3)) == CBORError(.tooManyItems, at: 3))
        #expect(refusal(hex("83010203"), CBOROptions(bytes: 3)) == CBORError(.tooLong, at: 3))
        #expect(refusal([0x99, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 65535))?.reason == .tooManyItems)
        // A length is no reason to reserve anything.
        for text in [
            "9bffffffffffffffff", "bbffffffffffffffff", "bb8000000000000000", "9b7fffffffffffffff", "5b8000000000000000",
            "7bffffffffffffffff", "9affffffff",
        ] {
            #expect(refusal(hex(text) + [UInt8](repeating: 0, count: 100))?.reason == .truncated, "\(text)")
        }
    }

    @Test func everyCutIsRefused() {
        for (text, _) in AppendixATests.accepted + AppendixATests.indefinite {
            let bytes = hex(text)
            for length in 0..<bytes.count {
                #expect(refusal(Array(bytes[..<length]), .tolerant)?.reason == .truncated, "\(text) at \(length)")
            }
            #expect(refusal(bytes + [0], .tolerant) == CBORError(.trailingBytes, at: bytes.count))
        }
    }

    @Test func noise() {
        var generator = SeededRandom(seed: 8949)
        var accepted = 0
        for _ in 0..<40_000 {
            var bytes = (0..<Int.random(in: 1..<24, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Containers and short arguments, so that noise gets somewhere.
            if Bool.random(using: &generator) { bytes = bytes.map { $0 & 0xE7 } }
            guard let document = try? CBORDocument(parsing: bytes, options: .tolerant) else { continue }
            accepted += 1
            _ = Value(document.root)
            #expect(document.root.source == bytes)
        }
        #expect(accepted > 100)
    }
}
