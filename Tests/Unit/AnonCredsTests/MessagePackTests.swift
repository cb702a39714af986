import TestSupport
import Testing

@testable import AnonCreds

/// MessagePack and base64url of the W3C form (anoncreds.md section 7).
struct MessagePackTests {
    private static func value(_ hex: String) throws(PresentationReason) -> MessagePackValue {
        try MessagePackValue(parsing: Hex.bytes(hex))
    }

    @Test func valuesAreRead() throws {
        #expect(try Self.value("07").integer == 7)
        #expect(try Self.value("ff").integer == -1)
        #expect(try Self.value("d1 ff 00").integer == -256)
        #expect(try Self.value("d2 80 00 00 00").integer == -1 << 31)
        #expect(try Self.value("ce 00 00 00 12").integer == 18)
        #expect(try Self.value("c0").isNothing)
        #expect(try Self.value("a2 68 69").text == "hi")
        #expect(try Self.value("d9 02 68 69").text == "hi")
        #expect(try Self.value("93 01 cc ff 7f").octets == [1, 255, 127])
        #expect(try Self.value("dc 00 02 00 cc 80").octets == [0, 128])
        #expect(try Self.value("90").items?.count == 0)
        #expect(try Self.value("92 01 a1 61").items?.count == 2)
        #expect(try Self.value("81 a1 61 05").member("a")?.integer == 5)
    }

    @Test(arguments: [
        "", "00 00", "92 01", "dc 00 02 01", "dc ff ff", "dd ff ff ff ff", "de ff ff", "df ff ff ff ff", "a2 68", "d9 ff 68",
        "db ff ff ff ff",
        "a1 ff", "82 a1 61 05 a1 61 06", "81 01 02", "c1", "c4 01 00", "ca 00 00 00 00", "cf ff ff ff ff ff ff ff ff", "cc", "d3 00",
        "c7 00 00",
    ])
    func otherOctetsAreMalformed(_ hex: String) {
        #expect(throws: PresentationReason.presentationMalformed) { try Self.value(hex) }
    }

    @Test func depthIsBounded() throws {
        let eight = [UInt8](repeating: 0x91, count: 8) + [0xC0], nine = [0x91] + eight
        #expect(throws: Never.self) { try MessagePackValue(parsing: eight) }
        #expect(throws: PresentationReason.presentationMalformed) { try MessagePackValue(parsing: nine) }
        #expect(throws: PresentationReason.presentationMalformed) {
            try MessagePackValue(parsing: [UInt8](repeating: 0x91, count: 200_000))
        }
        #expect(throws: PresentationReason.presentationMalformed) {
            try MessagePackValue(parsing: [UInt8](repeating: 0xC0, count: Limits.messagePack + 1))
        }
    }

    @Test func onlyArraysOfOctetsAreIntegers() throws {
        #expect(try Self.value("93 00 00 05").number(signed: false) == ProofNumber(5))
        #expect(try Self.value("90").number(signed: false) == .zero)
        for hex in ["05", "92 01 cd 01 00", "92 01 ff", "a1 61", "c0"] {
            #expect(throws: PresentationReason.presentationMalformed) { try Self.value(hex).number(signed: false) }
        }
        let long = [0xDC, 0x01, 0x91] + [UInt8](repeating: 1, count: 401)
        #expect(throws: PresentationReason.presentationMalformed) { try MessagePackValue(parsing: long).number(signed: false) }
    }

    @Test func octetsAtRandomNeverTrap() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<5000 { _ = try? MessagePackValue(parsing: random.bytes(Int(random.next() % 64))) }
    }

    @Test func base64IsStrict() {
        func octets(_ text: String) -> [UInt8]? { Base64URL.octets(Array(text.utf8)[...]) }
        #expect(octets("") == [])
        #expect(octets("AA") == [0])
        #expect(octets("AAE") == [0, 1])
        #expect(octets("_-8A") == [0xFF, 0xEF, 0])
        for text in ["A", "AAAAA", "AB", "AAF", "AA==", "+/8A", "AA ", "A\u{0}", "é"] { #expect(octets(text) == nil, "\(text)") }
    }
}
