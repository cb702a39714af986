import TestSupport
import Testing

@testable import Cryptography

/// X.690 sections 10 and 11: one value has one encoding.
struct DistinguishedEncodingTests {
    private static func isOne(_ text: String) -> Bool {
        let octets = Hex.bytes(text)
        return DistinguishedEncoding.isOneValue(octets.span)
    }

    @Test(arguments: [
        "0500", "0101ff", "020100", "02020080", "0201ff", "0202ff7f", "030100", "03020780", "0400", "060355040a", "0c00",
        "3000", "30030101ff", "31060201010201ff", "a003020102", "8000", "170d3236313132373232303530305a",
        "180f32303530303130313030303030305a",
        "048180000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
            + "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
    ]) func valuesOfTheShortestFormAreOne(_ text: String) { #expect(Self.isOne(text)) }

    @Test(arguments: [
        // Nothing, cut off, left over.
        "", "05", "0501", "050000", "3001", "30020101ff", "020201",
        // Lengths: indefinite, longer than need be, with a leading zero, too long.
        "3080", "30800000", "048100", "04820001ff", "048400000001ff", "0485ffffffffff", "04ff", "048380",
        // Tags above 30, constructed where nothing is, not where something is.
        "1f0100", "2100", "24030401ff", "1000", "1100", "0000",
        // Values in another form than theirs.
        "010100", "010101", "01020000", "0200", "02020001", "0202ff80", "0300", "030101", "03020781", "0302080f", "050100", "0600",
        "06018001",
        "060280",
        "0603558001", "170c3236313132373232303530305a", "170d323631313237323230353030303030", "180d3236313132373232303530305a",
        "170d32363131323732323035303078", "310602010202010130", "3106020102020101", "300602010202",
    ]) func othersAreNot(_ text: String) { #expect(!Self.isOne(text)) }

    @Test func depthIsBounded() {
        var value: [UInt8] = [0x05, 0x00]
        for _ in 0..<60 { value = [0x30, UInt8(value.count)] + value }
        let isOne = DistinguishedEncoding.isOneValue(value.span)
        #expect(!isOne)
    }

    @Test func noOctetsTrap() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<20_000 {
            let octets = random.bytes(Int.random(in: 0...40, using: &random))
            _ = DistinguishedEncoding.isOneValue(octets.span)
        }
    }
}
