import JSON
import LinkedData
import Testing

@Suite struct CanonicalJSONTests {
    private func canonical(_ text: String) throws -> String {
        String(decoding: try CanonicalJSON.bytes(of: try Document.parse(text)), as: UTF8.self)
    }

    /// RFC 8785 appendix B, and the borders between ECMAScript's notations.
    static let numbers: [(UInt64, String)] = [
        (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"), (0x8000_0000_0000_0001, "-5e-324"),
        (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"), (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"), (0xC340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"), (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"),
        (0x44B5_2D02_C7E1_4AF6, "1e+23"), (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
        (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"), (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"),
        (0x444B_1AE4_D6E2_EF50, "1e+21"), (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
        (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5555, "333333333.3333333"),
        (0xBECB_F647_612F_3696, "-0.0000033333333333333333"), (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
    ]

    @Test(arguments: numbers) func number(_ pattern: UInt64, _ expected: String) throws {
        let lexeme = "\(Double(bitPattern: pattern))"
        #expect(try canonical(lexeme) == expected)
    }

    @Test func texts() throws {
        #expect(try canonical(#"{ "b" : [ 1.0, 1e0, null, true ], "a": {} }"#) == #"{"a":{},"b":[1,1,null,true]}"#)
        #expect(try canonical(#""\u20ac$\u000f\nA'B\"\\\\\"\/\u007f""#) == "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\u{7F}\"")
        // RFC 8785 section 3.2.3: U+1F600 is two code units below U+FB33.
        let keys = #"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#
        #expect(try canonical(keys) == "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{FB33}\":3}")
    }

    @Test func refusals() throws {
        #expect(throws: LinkedDataError.numberOutOfRange) { try canonical("1e400") }
        #expect(throws: LinkedDataError.tooComplex) { try canonical(String(repeating: "[", count: 40) + String(repeating: "]", count: 40)) }
    }
}
