import Foundation
import Testing
import VisionProtocol

@testable import Faces

@Suite("Portrait")
struct PortraitTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0xFB, 0xFF, 0xFE, 1, 2]
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0xFF, 0xEF, 0xBE]

    private func octets(_ claim: String) -> [UInt8]? {
        do throws(PortraitError) {
            return try Portrait(claim: claim).withOctets { Array($0) }
        } catch {
            return nil
        }
    }

    private func error(_ claim: String) -> PortraitError? {
        do throws(PortraitError) {
            _ = try Portrait(claim: claim)
            return nil
        } catch {
            return error
        }
    }

    private func url(_ text: String) -> String { text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_") }
    private func unpadded(_ text: String) -> String { text.replacingOccurrences(of: "=", with: "") }

    @Test("base64 of any length, in either alphabet, padded or not", arguments: 0..<10)
    func alphabets(extra: Int) throws {
        let octets = Self.jpeg + (0..<extra).map { UInt8(0xF8 + $0 % 8) }
        let text = Data(octets).base64EncodedString()
        for claim in [text, unpadded(text), url(text), unpadded(url(text))] {
            #expect(self.octets(claim) == octets)
            #expect(self.octets("data:image/jpeg;base64," + claim) == octets)
        }
        let lines = Data(octets).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
        #expect(self.octets(lines + "\r\n") == octets)
        #expect(try Portrait(claim: text).format == .jpeg && Portrait(claim: text).count == octets.count)
    }

    @Test("the first octets decide, not what a data URI says")
    func magic() throws {
        let jpeg = Data(Self.jpeg).base64EncodedString(), png = Data(Self.png).base64EncodedString()
        for prefix in ["data:image/png;base64,", "data:;base64,", "DATA:image/jp2;charset=utf-8;BASE64,", "data:text/html;base64,", ""] {
            #expect(try Portrait(claim: prefix + jpeg).format == .jpeg)
            #expect(try Portrait(claim: prefix + png).format == .png)
        }
    }

    private func box(_ brands: String...) -> [UInt8] {
        let content = Array(brands[0].utf8) + [0, 0, 0, 0] + brands.dropFirst().flatMap { Array($0.utf8) }
        return [0, 0, 0, UInt8(content.count + 8)] + Array("ftyp".utf8) + content
    }

    @Test("WebP, JPEG 2000 and AVIF are known by their first octets, whatever a data URI says")
    func portraitFormats() throws {
        let kinds: [(PictureFormat, [UInt8])] = [
            (.webp, Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8)),
            (.jp2, [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]), (.jp2, [0xFF, 0x4F, 0xFF, 0x51, 0, 0x2F]),
            (.avif, box("avif", "mif1")), (.avif, box("mif1", "miaf", "avif")),
        ]
        for (format, octets) in kinds {
            let text = Data(octets).base64EncodedString()
            for prefix in ["", "data:image/webp;base64,", "data:image/jp2;base64,", "data:image/avif;base64,", "data:image/jpeg;base64,"] {
                let portrait = try Portrait(claim: prefix + text)
                #expect(portrait.format == format && portrait.count == octets.count)
            }
        }
    }

    @Test("what is in no format that is taken is refused by name")
    func unsupported() {
        let kinds: [(PortraitError.Kind, [UInt8])] = [
            (.jpegXL, [0xFF, 0x0A, 1]), (.jpegXL, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20]),
            (.avifSequence, box("avis", "avif")), (.heic, box("heic")), (.heic, box("heix")), (.heic, box("mif1")),
            (.heic, box("hevc")),
            (.gif, Array("GIF89a".utf8)), (.bmp, Array("BM1234".utf8)), (.tiff, [0x49, 0x49, 0x2A, 0, 8]), (.tiff, [0x4D, 0x4D, 0, 0x2A]),
            (.pdf, Array("%PDF-1.7".utf8)), (.faceRecord, [0x46, 0x41, 0x43, 0, 0x30, 0x31, 0x30, 0]),
            (.faceRecord, [0x65, 0x82, 0x40, 0]),
            (.xml, Array("<svg/>".utf8)), (.xml, [0xEF, 0xBB, 0xBF] + Array("<?xml".utf8)), (.unknown, [1, 2, 3, 4]), (.unknown, [0xFF]),
            (.unknown, [0xFF, 0xD8]), (.unknown, [0xFF, 0xD8, 0]), (.unknown, Array(Self.png.prefix(7))), (.unknown, box("qt  ")),
            (.unknown, [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0, 0, 0, 0]), (.unknown, [0xFF, 0x4F]),
            (.unknown, Array("RIFF1234WAVE".utf8)),
            (.heic, Array(box("mif1", "avif").prefix(19))), (.heic, [0, 0, 0, 16] + box("mif1", "avif").dropFirst(4)),
        ]
        for (kind, octets) in kinds {
            #expect(error(Data(octets).base64EncodedString()) == .unsupported(kind), "\(octets)")
            #expect(error("data:image/jpeg;base64," + Data(octets).base64EncodedString()) == .unsupported(kind))
        }
        #expect(Set(kinds.map(\.0)) == Set(PortraitError.Kind.allCases))
    }

    @Test(
        "what is no base64 is refused",
        arguments: [
            "", "=", "==", "====", "\n", "/9j/4AAE+//+AQI==", "/9j/4AAE+//+AQ=", "/9j/4AAE+//+AQ===", "/9j/4AAE+//+A", "/9j/=AAE",
            "/9j/4A==AAAA", "/9j_",
            "/9j/4AAE-//-AQI=", "/9j/ 4AA", " /9j/", "/9j/4AAE*", "/9j/4A======", "/9j/4AAE\u{0}", "/9j/4é==", "/9j/4AAE+//+AQJ=",
            "/9j/4AAE+//+AQJ", "/9j/4AAE+//+AR",
            "https://example.org/photo.jpg", "data:", "data:image/jpeg", "data:,x", "data:image/jpeg,/9j/4AAE", "data:image/jpeg;base64",
            "data:image/jpeg;base64;x,/9j/", "data:image/jpeg;base64,", "data:image/jpeg;base64,data:image/jpeg;base64,/9j/",
            "data;base64,/9j/",
            "data:image/jpeg;base64,%2F9j%2F4AAE",
        ])
    func notBase64(claim: String) {
        #expect(error(claim) == .notBase64)
    }

    @Test("a data URI whose type has no end is refused, without looking for it in all the text")
    func longPrefix() {
        let text = Data(Self.jpeg).base64EncodedString()
        #expect(error("data:" + String(repeating: "x", count: 243) + ";base64," + text) == nil)
        #expect(error("data:" + String(repeating: "x", count: 244) + ";base64," + text) == .notBase64)
        #expect(error("data:" + String(repeating: "x", count: 2_000_000)) == .notBase64)
    }

    @Test("two mebibytes are taken, an octet more is not")
    func size() {
        let most = Self.jpeg + [UInt8](repeating: 7, count: Portrait.longest - Self.jpeg.count)
        let lined = Data(most).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
        #expect(octets(Data(most).base64EncodedString())?.count == Portrait.longest)
        #expect(octets(lined)?.count == Portrait.longest)
        for more in [1, 2, 3, 100, 1_000_000] {
            #expect(error(Data(most + [UInt8](repeating: 7, count: more)).base64EncodedString()) == .tooLarge, "\(more) more")
        }
    }

    @Test("each error has the reason a visit ends with")
    func reasons() {
        #expect(PortraitError.tooLarge.reason == .portraitTooLarge)
        #expect(PortraitError.notBase64.reason == .portraitUnreadable)
        #expect(PortraitError.unsupported(.heic).reason == .unsupportedPortrait)
    }
}
