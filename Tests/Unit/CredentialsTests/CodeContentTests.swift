import CBOR
import TestSupport
import Testing

@testable import Credentials
@testable import Trust

extension CodeContent {
    init(_ text: [UInt8], prefix: String = "") { self.init(reading: text.span, prefix: Array(prefix.utf8)) }
    init(_ text: String, prefix: String = "") { self.init(Array(text.utf8), prefix: prefix) }

    var credential: ReceivedCredential? { if case .credential(let received) = self { received } else { nil } }
    var ignored: IgnoredCode? { if case .ignored(let reason) = self { reason } else { nil } }
    var refusal: RejectReason? { if case .refused(let reason) = self { reason } else { nil } }
    var isEngagement: Bool { if case .engagement = self { true } else { false } }
}

/// The closed list of pixelpass.md section 4.1, and what lies beside each entry.
@Suite struct CodeContentTests {
    private static let document = #"{"@context":["https://www.w3.org/ns/credentials/v2"],"proof":{},"n":1}"#
    private static let prefix = "GATE:"

    @Test func engagement() {
        for text in ["mdoc:owBjMS4w", "MDOC:owBjMS4w", "mDoC:x", "mdoc:"] { #expect(CodeContent(text).isEngagement) }
        for text in ["mdoc", "mdoc;x", " mdoc:x", "xmdoc:"] { #expect(CodeContent(text).ignored == .nothing) }
    }

    @Test("somebody else's")
    func foreign() {
        for text in [
            "https://example.org/visit", "HTTPS://EXAMPLE.ORG/1", "http://x", "OPENID4VP://AUTHORIZE?X=1", "openid4vp://x", "haip://x",
            "shc:/5676", "openid-credential-offer://x", "NZCP:/1/2KC", "WIFI:S:guests;;", "PK\u{3}\u{4}zip",
        ] { #expect(CodeContent(text).ignored == .foreign, "\(text)") }
        for text in ["http", "openid4v", "shc", "", " ", "Tomorrow at eight", "BEGIN:VCARD", "tel:+1555", "\u{0}", "123456"] {
            #expect(CodeContent(text).ignored == .nothing, "\(text)")
        }
    }

    @Test("refused by name, and not what only looks like it")
    func healthCertificate() {
        let inner = String(decoding: pixelPass([0xD2, 0x84, 0x40, 0xA0, 0x40, 0x40]), as: UTF8.self)
        #expect(CodeContent("HC1:" + inner).refusal == .unsupportedCode(.healthCertificate))
        #expect(CodeContent("HC1:").refusal?.code == "unsupported-code" && CodeContent("HC1:").refusal?.detail == "HC1")
        #expect(CodeContent("hc1:" + inner).ignored == .nothing && CodeContent("HC2:" + inner).ignored == .nothing)
        #expect(CodeContent(inner).credential?.form == .cwt)
    }

    // MARK: PixelPass

    @Test("pixelpass.md section 2: \"hello\" is a text, and no credential")
    func published() { #expect(CodeContent("NCFKVPV0QSIP600GP5L0").ignored == .nothing) }

    @Test func documents() throws {
        let octets = Array(Self.document.utf8)
        for level: Int32 in [0, 1, 6, 9] {
            let received = try #require(CodeContent(base45(deflated(octets, windowBits: 15, level: level))).credential)
            #expect(received.form == .ldpVC && received.bytes == octets && received.isFromCode)
        }
        // A window as small as zlib makes them.
        #expect(CodeContent(base45(deflated(octets, windowBits: 9))).credential?.bytes == octets)
        let text = pixelPass(octets)
        #expect(CodeContent(Self.prefix + String(decoding: text, as: UTF8.self), prefix: Self.prefix).credential?.bytes == octets)
        #expect(CodeContent(text, prefix: Self.prefix).credential?.bytes == octets, "the same without the prefix")
        #expect(CodeContent(Self.prefix + String(decoding: text, as: UTF8.self)).ignored == .nothing, "a prefix nobody configured")
        #expect(CodeContent(Self.prefix, prefix: Self.prefix).ignored == .nothing)
        #expect(CodeContent(Self.prefix + "HELLO", prefix: Self.prefix).ignored == .nothing)
        #expect(CodeContent(Self.prefix + "NCF", prefix: Self.prefix).ignored == .damaged)
        // A prefix that is the beginning of the text itself.
        for length in 1...4 {
            let beginning = String(decoding: Array(text.prefix(length)), as: UTF8.self)
            #expect(CodeContent(text, prefix: beginning).credential?.bytes == octets, "\(beginning)")
        }
        // The prefix of an address, before addresses are somebody else's.
        let address = "https://cards.example/#"
        #expect(CodeContent(address + String(decoding: text, as: UTF8.self), prefix: address).credential?.bytes == octets)
        #expect(CodeContent(address + String(decoding: text, as: UTF8.self)).ignored == .foreign)
        #expect(CodeContent(address + "about", prefix: address).ignored == .foreign)
        #expect(CodeContent("https://cards.example/", prefix: address).ignored == .foreign)
    }

    @Test("gzip, raw deflate, a dictionary, a wrong checksum, octets behind, too much: damaged, or none at all")
    func compression() {
        let octets = Array(Self.document.utf8), good = deflated(octets, windowBits: 15)
        func ignored(_ compressed: [UInt8]) -> IgnoredCode? { CodeContent(base45(compressed)).ignored }
        #expect(ignored(deflated(octets, windowBits: 31)) == .nothing && ignored(deflated(octets, windowBits: -15)) == .nothing)
        #expect(ignored(deflated(octets, windowBits: 15, dictionary: octets)) == .damaged)
        #expect(ignored(good + [0]) == .damaged && ignored(good + good) == .damaged)
        for place in good.indices.suffix(4) {
            var changed = good
            changed[place] ^= 1
            #expect(ignored(changed) == .damaged, "Adler-32")
        }
        for length in 2..<good.count { #expect(ignored(Array(good.prefix(length))) == .damaged) }
        for length in 0..<2 { #expect(ignored(Array(good.prefix(length))) == .nothing) }
        // RFC 1950 section 2.2: a window of 64 KiB, another method, a check that does not fit.
        for head: [UInt8] in [[0x88, 0x1C], [0x79, 0x9C], [0x78, 0x9D]] { #expect(ignored(head + good.dropFirst(2)) == .nothing) }
        var text = base45(good)
        text.append(UInt8(ascii: "0"))
        #expect(CodeContent(text).ignored == .damaged)
    }

    @Test("64 KiB may come out, and not an octet more")
    func cap() {
        func text(_ count: Int) -> [UInt8] {
            let head = #"{"@context":[],"proof":{},"a":""#, tail = #""}"#
            return pixelPass(
                Array(head.utf8) + [UInt8](repeating: 0x61, count: count - head.utf8.count - tail.utf8.count) + Array(tail.utf8))
        }
        #expect(CodeContent(text(PixelPass.longest)).credential?.bytes.count == PixelPass.longest)
        #expect(CodeContent(text(PixelPass.longest + 1)).ignored == .damaged)
        #expect(CodeContent(pixelPass([UInt8](repeating: 0, count: 4 << 20))).ignored == .damaged)
    }

    @Test("longer than a code can be")
    func longest() {
        let head = #"{"@context":[],"proof":"#, tail = "}"
        func text(_ count: Int) -> String { head + String(repeating: " ", count: count - head.utf8.count - 3) + "{}" + tail }
        #expect(CodeContent(text(CodeContent.longest)).credential?.form == .ldpVC)
        #expect(CodeContent(text(CodeContent.longest + 1)).ignored == .nothing)
    }

    // MARK: CBOR

    private func content(_ cbor: String) -> CodeContent { CodeContent(pixelPass(hex(cbor))) }

    /// `{"@context":[],"proof":{},"n":VALUE}`.
    private func value(_ cbor: String) -> String? {
        content("a3 68 40636f6e74657874 80 65 70726f6f66 a0 61 6e".replacing(" ", with: "") + cbor).credential.map {
            String(decoding: $0.bytes, as: UTF8.self).replacing(#"{"@context":[],"proof":{},"n":"#, with: "").dropLast().description
        }
    }

    @Test(
        "numbers by value: whole ones with every digit, whatever they were written as",
        arguments: [
            ("05", "5"), ("24", "-5"), ("fb4014000000000000", "5"), ("fbc014000000000000", "-5"), ("fa40a00000", "5"), ("f94500", "5"),
            ("fb8000000000000000", "0"), ("00", "0"), ("fb3ff8000000000000", "1.5"), ("f93e00", "1.5"), ("fb3fb999999999999a", "0.1"),
            ("1bffffffffffffffff", "18446744073709551615"), ("3bffffffffffffffff", "-18446744073709551616"),
            ("3b7fffffffffffffff", "-9223372036854775808"), ("1b0020000000000001", "9007199254740993"),
            ("fb43e56a95319d63e2", "12345678901234569216"), ("fb444b1ae4d6e2ef50", "1e+21"),
            ("fb444b1ae4d6e2ef4f", "999999999999999868928"),
            ("fb0000000000000001", "5e-324"), ("f5", "true"), ("f4", "false"), ("f6", "null"), ("63e282ac", "\"€\""),
            ("63225c0a", #""\"\\\n""#), ("820102", "[1,2]"), ("a0", "{}"),
        ])
    func numbers(_ cbor: String, _ json: String) { #expect(value(cbor) == json) }

    @Test(
        "what JSON cannot have been",
        arguments: [
            "f7", "f97e00", "f97c00", "fb7ff8000000000000", "fbfff0000000000000", "40", "4101", "c001", "d81841f6", "c24105", "e0",
            "a10102", "a1f66161", "a2616101616102", "9f01ff", "bf616101ff", "7f6161ff", "5f4101ff", "62c328", "1805", "6161f6", "",
        ])
    func noJSON(_ cbor: String) { #expect(value("f6") != nil && value(cbor) == nil, "\(cbor)") }

    @Test("CBOR 32 deep is read, one more is not")
    func depth() {
        func nested(_ depth: Int) -> String { String(repeating: "81", count: depth - 1) + "80" }
        #expect(value(nested(31)) != nil && value(nested(32)) == nil)
    }

    @Test("COSE before text and JSON: by its tag, or an array of four that begins with octets")
    func tokens() {
        for cbor in [
            "d28440a04040", "d83dd28440a04040", "d08340a040", "d83dd08340a040", "8440a04040",
            "845841" + String(repeating: "00", count: 65) + "a04040",
        ] {
            #expect(content(cbor).credential?.form == .cwt && content(cbor).credential?.bytes == hex(cbor), "\(cbor)")
        }
        for cbor in [
            "8340a040", "8460a04040", "8540a0404040", "84a0404040", "d18440a04040", "d8628440a04040", "d28440a0404000", "d28440a040", "d2",
        ] {
            #expect(content(cbor).credential == nil, "\(cbor)")
        }
        // D2 84 is a Cyrillic letter as well: a text all the same.
        #expect(content("d284").ignored == .nothing && content("d2c3").ignored == .damaged)
    }

    // MARK: Text

    @Test(arguments: [true, false]) func texts(isWrapped: Bool) {
        func content(_ text: String) -> CodeContent { isWrapped ? CodeContent(pixelPass(Array(text.utf8))) : CodeContent(text) }
        let wrapper = #"{"vcMetadata":{},"verifiableCredential":{"credential":\#(Self.document)}}"#
        for (text, form): (String, CredentialForm) in [
            ("eyJh.eyJh.YWJj~", .sdJWT), ("eyJh.eyJh.YWJj~ZA~", .sdJWT), ("eyJh.eyJh.YWJj", .jwtVC), ("D83DD28440A04040", .cwt),
            ("d28440a04040", .cwt), ("d83dd08340a040", .cwt), (Self.document, .ldpVC), (wrapper, .ldpVC),
            (#"{"verifiableCredential":"eyJh.eyJh.YWJj~"}"#, .sdJWT),
        ] {
            #expect(content(text).credential?.form == form && content(text).credential?.isFromCode == true, "\(text)")
        }
        for text in [
            "a.b.c~", "eyJh", "eyJh.eyJh", "eyJh~", "eyJh.eyJh.YW Jj", "\"eyJh.eyJh.YWJj~\"", "{}", "{", #"{"a":1}"#, "[1]", "d28440a0404",
            "2D1234AB", "2D0000", "2D3F00AA11", "d83d8440a04040", "d183", "00", "a26a6e616d65537061636573", "ompuYW1lU3BhY2Vz", "0oRAoEBA",
            #"{"verifiableCredential":"x"}"#, #"{"proof":{},"proof":{}}"#,
            "hello",
            "mdoc:x", "HC1:x", "https://x",
        ] where isWrapped || !["mdoc:x", "HC1:x", "https://x"].contains(text) {
            #expect(content(text).ignored == .nothing, "\(text)")
        }
        #expect(CodeContent(pixelPass(pixelPass(Array(Self.document.utf8)))).ignored == .nothing, "once is enough")
    }

    @Test("octets of a byte mode that are no text are nothing")
    func octets() {
        #expect(CodeContent(hex("d28440a04040")).ignored == .nothing)
        // Digits of anything: labels, serial numbers.
        for number in ["D20017", "d2345678", "d83dd2ff", "d83dd01234"] { #expect(CodeContent(number).ignored == .nothing, "\(number)") }
        #expect(CodeContent([0xFF, 0xFE]).ignored == .nothing)
        #expect(CodeContent([0x7B, 0xFF, 0x7D]).ignored == .nothing)
        #expect(CodeContent([]).ignored == .nothing)
    }
}
