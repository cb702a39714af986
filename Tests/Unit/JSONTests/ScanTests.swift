import JSON
import Testing

@Suite struct ScanTests {
    private func scan(_ text: String, _ names: String..., limits: JSONLimits = .standard) throws -> [String?] {
        let bytes = Array(text.utf8)
        return try JSONScan.members(names, of: bytes.span, limits: limits).map { range in
            range.map { String(decoding: bytes[$0], as: UTF8.self) }
        }
    }

    @Test func findsOnlyWhatIsNamed() throws {
        let text = #"{"privateKey":"secret","vc":{"credential":{"a":[1]}},"list":[{"vc":1}],"m":"x","OTP":{"vc":{"deep":true}}}"#
        #expect(try scan(text, "vc", "m", "absent") == [#"{"credential":{"a":[1]}}"#, #""x""#, nil])
        #expect(try scan(#"{"\u0076c":1}"#, "vc") == ["1"])
        #expect(try scan("{}", "vc") == [nil])
        #expect(try scan(#" { "a" : [ ] } "#, "a") == ["[ ]"])
    }

    @Test(arguments: [
        (#"{"vc":1,"vc":2}"#, JSONError.Reason.duplicateName), (#"{"x":{"y":1,"y":2},"vc":1}"#, .duplicateName),
        (#"{"x":[1,],"vc":1}"#, .unexpectedByte),
        (#"{"x":1,"y":2,"\u0078":{},"vc":1}"#, .duplicateName), ("[1]", .notAnObject), ("1", .notAnObject), (#"{"vc":1}}"#, .trailingBytes),
        (#"{"vc":"#, .truncated),
    ])
    func skippedValuesAreStillChecked(_ text: String, _ reason: JSONError.Reason) {
        #expect(performing: { try scan(text, "vc") }, throws: { ($0 as? JSONError)?.reason == reason })
    }

    @Test func limitsCountSkippedValues() {
        #expect(throws: JSONError(.tooManyNodes, at: 10)) { try scan(#"{"a":[1,2,3],"vc":1}"#, "vc", limits: JSONLimits(nodes: 5)) }
    }
}

@Suite struct WriterTests {
    @Test func shapes() throws {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("a", 1)
            writer.name("b")
            writer.array { writer in
                writer.bool(true)
                writer.null()
                writer.array { _ in }
                writer.object { _ in }
                writer.double(0.5)
                writer.double(.infinity)
            }
            writer.member("c", "d")
        }
        #expect(writer.text == #"{"a":1,"b":[true,null,[],{},0.5,null],"c":"d"}"#)
    }

    @Test func erasing() {
        var writer = JSONWriter(reserving: 100)
        writer.array { $0.string("secret") }
        writer.erase()
        writer.array { $0.integer(1) }
        #expect(writer.text == "[1]")
    }

    @Test func escapes() throws {
        for value in (0..<0x300).compactMap(Unicode.Scalar.init) {
            let text = "a\(Character(value))b\u{1f600}"
            var writer = JSONWriter()
            writer.string(text)
            #expect(try JSONDocument(parsing: writer.bytes).root.string.map { Array($0.utf8) } == Array(text.utf8))
        }
        var writer = JSONWriter()
        writer.string("\"\\\u{1}\u{7f}\n\r\t/")
        #expect(writer.text == #""\"\\\u0001\u007f\n\r\t/""#)
    }

    @Test func copiesAreExact() throws {
        let value = try JSONDocument(parsing: Array(#"{"k\u0065y": 4.0030E2 }"#.utf8)).root
        var writer = JSONWriter()
        writer.object { writer in
            for member in value.members! {
                writer.name(copying: member.key)
                writer.copy(member.value)
            }
        }
        #expect(writer.text == #"{"k\u0065y":4.0030E2}"#)
    }
}
