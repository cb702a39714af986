import JSON
import Testing

func parse(_ text: String, _ limits: JSONLimits = .standard) throws(JSONError) -> JSONValue {
    try JSONDocument(parsing: Array(text.utf8), limits: limits).root
}

@Suite struct AcceptanceTests {
    @Test func scalars() throws {
        #expect(try parse("null").isNull)
        #expect(try parse(" true ").bool == true)
        #expect(try parse("false").bool == false)
        #expect(try parse("\"\"").string == "")
        #expect(try parse("\t\r\n 42").int64 == 42)
    }

    @Test func wrongKindIsNil() throws {
        let value = try parse("[1]")
        #expect(value.string == nil && value.stringBytes == nil && value.number == nil && value.bool == nil && value.members == nil)
        #expect(value["a"] == nil)
        #expect(try parse("1").elements == nil)
    }

    @Test func membersKeepTheirOrder() throws {
        let value = try parse(#"{"b":1,"a":{"c":[1,[2,{"d":3}],4]},"":5}"#)
        #expect(value.members?.map(\.name) == ["b", "a", ""])
        #expect(value.members?.count == 3)
        #expect(value["a"]?["c"]?.elements?.map(\.kind) == [.number, .array, .number])
        #expect(value.value(at: ["a", "c"])?.kind == .array)
        #expect(value.value(at: ["a", "x", "c"]) == nil)
        #expect(value[""]?.int64 == 5)
    }

    @Test func sourceIsExact() throws {
        let text = #" {"a" : [ 1.0 , "x" ] , "b":{ } } "#
        let value = try parse(text)
        #expect(String(decoding: try #require(value["a"]).source, as: UTF8.self) == #"[ 1.0 , "x" ]"#)
        #expect(String(decoding: try #require(value["b"]).source, as: UTF8.self) == "{ }")
        let range = try #require(value["b"]).sourceRange
        #expect(Array(text.utf8)[range] == Array("{ }".utf8)[...])
        let count = try #require(value["a"]).withSource { $0.count }
        #expect(count == 13)
    }

    @Test(
        arguments: [
            ("0", 0, 0.0), ("-0", 0, -0.0), ("123456", 123_456, 123456), ("-9223372036854775808", Int64.min, -9223372036854775808),
            ("9223372036854775808", nil, 9223372036854775808), ("400.3", nil, 400.3), ("4.0030E2", nil, 400.3), ("1e3", nil, 1000),
            ("1E+3", nil, 1000),
            ("1e-3", nil, 0.001), ("1e999", nil, nil), ("0.0", nil, 0), ("10", 10, 10),
        ] as [(String, Int64?, Double?)])
    func numbersKeepTheirLexeme(_ lexeme: String, _ integer: Int64?, _ double: Double?) throws {
        let number = try #require(try parse("[\(lexeme)]").elements?.first { _ in true }?.number)
        #expect(number.lexeme == lexeme)
        #expect(number.int64 == integer)
        #expect(number.double == double)
    }

    @Test(arguments: [
        (#""a\/\\\"b\b\f\n\r\t""#, "a/\\\"b\u{8}\u{c}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "A\u{e9}\u{20ac}"),
        (#""\ud83d\uDE00""#, "\u{1f600}"),
        (#""\u0000""#, "\0"), ("\"\u{7f}\u{10ffff}\u{ffff}\"", "\u{7f}\u{10ffff}\u{ffff}"), (#""e\u0301""#, "e\u{301}"),
    ])
    func stringsUnescape(_ text: String, _ expected: String) throws {
        let value = try parse(text)
        #expect(value.string.map { Array($0.utf8) } == Array(expected.utf8))
        #expect(value.stringBytes == Array(expected.utf8))
        #expect(value.isString(expected))
    }

    @Test func comparisonDoesNotNormalise() throws {
        #expect(try parse("\"\u{e9}\"").isString("e\u{301}") == false)
        #expect(try parse(#"{"\u0061":1}"#)["a"]?.int64 == 1)
    }

    @Test func everyStringLengthAroundTheWordSize() throws {
        for length in 0..<40 {
            for stop in 0..<length {
                var text = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                #expect(try JSONDocument(parsing: [0x22] + text + [0x22]).root.stringBytes == text)
                text[stop] = 0x1F
                #expect(throws: JSONError(.controlCharacter, at: stop + 1)) { try JSONDocument(parsing: [0x22] + text + [0x22]) }
                text[stop] = 0x80
                #expect(throws: JSONError(.invalidUTF8, at: stop + 1)) { try JSONDocument(parsing: [0x22] + text + [0x22]) }
            }
        }
    }
}
