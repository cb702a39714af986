import CBOR
import TestSupport
import Testing

@testable import Credentials

/// The photo of claim 169, in each of the places and ways that issuers write it.
@Suite struct CodePhotoTests {
    private let tokens = CodeTokenTests()
    private static let photo: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]

    private func portrait(_ paths: String = #"["16"]"#, _ identity: (inout CBORMapWriter) -> Void) throws -> String? {
        try #require(try tokens.verdict(try tokens.card(identity)) { $0.first.members["claims"] = #"{"portrait":\#(paths)}"# }.credential)
            .portrait
    }

    @Test("label 16: octets as base64url, hexadecimal text as a data URI of the format it names")
    func photos() throws {
        #expect(try portrait { $0.entry(16) { $0.bytes(Self.photo) } }.map { unBase64URL($0) } == Self.photo)
        for (format, type) in [(1, "image/jpeg"), (2, "image/jp2"), (3, "image/avif"), (4, "image/webp"), (5, "application/octet-stream")] {
            let text = try portrait { map in
                map.entry(16) { $0.text(Hex.text(Self.photo).uppercased()) }
                map.entry(17) { $0.integer(Int64(format)) }
            }
            #expect(text == "data:\(type);base64,/9j/4AECAw==")
        }
        for text in ["data:image/png;base64,AAAA", "FFD", "zz", ""] {
            #expect(try portrait { $0.entry(16) { $0.text(text) } } == text, "no hexadecimal: as it was signed")
        }
        #expect(try portrait(#"["photo"]"#) { $0.entry(16) { $0.text("ffd8ff") } } == "data:application/octet-stream;base64,/9j/")
        #expect(try portrait { $0.entry(4) { $0.text("Ann") } } == nil)
    }

    @Test("label 62: the picture of a face in the place of 16, and no template")
    func faces() throws {
        func face(_ format: Int64?, _ subformat: Int64?) -> (inout CBORMapWriter) -> Void {
            { map in
                map.entry(0) { $0.bytes(Self.photo) }
                if let format { map.entry(1) { $0.integer(format) } }
                if let subformat { map.entry(2) { $0.integer(subformat) } }
            }
        }
        let path = #"[["16"],["face"]]"#
        for (subformat, type) in [(0, "png"), (1, "jpeg"), (2, "jp2"), (3, "avif"), (4, "webp")] {
            let expected = "data:image/\(type);base64,/9j/4AECAw=="
            #expect(try portrait(path) { $0.entry(62) { $0.map { face(0, Int64(subformat))(&$0) } } } == expected)
            #expect(try portrait(#"["62"]"#) { $0.entry(62) { $0.array { $0.map { face(0, Int64(subformat))(&$0) } } } } == expected)
        }
        #expect(
            try portrait(path) { $0.entry(62) { $0.map { face(nil, nil)(&$0) } } } == "data:application/octet-stream;base64,/9j/4AECAw==")
        for (format, subformat): (Int64, Int64) in [(1, 1), (3, 0), (0, 5), (0, 6), (0, 100), (2, 0)] {
            #expect(try portrait(path) { $0.entry(62) { $0.map { face(format, subformat)(&$0) } } } == nil)
        }
        // The first picture among them; label 16 first, where the entry says so.
        let both = try portrait(path) { map in
            map.entry(62) {
                $0.array {
                    $0.map { face(1, 100)(&$0) }
                    $0.map { face(0, 4)(&$0) }
                }
            }
        }
        #expect(both == "data:image/webp;base64,/9j/4AECAw==")
        let old = try portrait(path) { map in
            map.entry(16) { $0.bytes([9]) }
            map.entry(62) { $0.map { face(0, 4)(&$0) } }
        }
        #expect(old == "CQ")
        for odd: (inout CBORWriter) -> Void in [
            { $0.text("x") }, { $0.array { $0.text("x") } }, { $0.map { _ in } }, { $0.array { _ in } },
        ] {
            #expect(try portrait(path) { $0.entry(62) { odd(&$0) } } == nil)
        }
    }

    @Test("label 62 as Inji writes it: a text, hexadecimal or what a portrait may be")
    func faceTexts() throws {
        func portrait(_ data: String, _ format: Int64 = 0) throws -> String? {
            try self.portrait(#"["face"]"#) { map in
                map.entry(62) { writer in
                    writer.map { map in
                        map.entry(0) { $0.text(data) }
                        map.entry(1) { $0.integer(format) }
                        map.entry(2) { $0.integer(4) }
                    }
                }
            }
        }
        #expect(try portrait("FFD8ffe0010203") == "data:image/webp;base64,/9j/4AECAw==")
        for text in ["data:image/webp;base64,UklGRg==", "UklGRg==", "FFD"] { #expect(try portrait(text) == text, "as it was signed") }
        #expect(try portrait("") == nil && portrait("ffd8ff", 1) == nil)
    }

    @Test("labels as decimal text, of a photo and of a face too; both ways of one are refused")
    func textLabels() throws {
        let path = #"[["16"],["62"]]"#
        let photo = try portrait(path) { map in
            map.entry("16") { $0.text("ffd8ff") }
            map.entry("17") { $0.integer(4) }
        }
        #expect(photo == "data:image/webp;base64,/9j/")
        let face = try portrait(path) { map in
            map.entry("62") { writer in
                writer.map { map in
                    map.entry("0") { $0.text("ffd8ff") }
                    map.entry("1") { $0.integer(0) }
                    map.entry("2") { $0.integer(1) }
                }
            }
        }
        #expect(face == "data:image/jpeg;base64,/9j/")
        for label: Int64 in [4, 16, 62] {
            let twice = try tokens.card { map in
                map.entry(label) { $0.bytes([1]) }
                map.entry("\(label)") { $0.bytes([2]) }
            }
            #expect(try tokens.verdict(twice).reasons == [.payloadMalformed], "\(label)")
        }
    }
}
