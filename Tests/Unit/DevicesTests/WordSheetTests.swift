import BoardTestSupport
import Foundation
import TestSupport
import Testing

@testable import Devices

/// A sheet in two sizes: each message's picture is all covered, 10 wide and a line high; each character 4 wide.
struct SheetMaker {
    var language = "xx"
    var messages: [(name: String, text: String)] = Sign.Kind.allCases.map { ($0.rawValue, "word of \($0.rawValue)") }
    var heights = [8, 20]
    var characters = Array("-abcdefghijklmnopqrstuvwxyz".utf8)
    var isRightToLeft = false
    /// Octets of a picture's stream, where they are to be other ones.
    var stream: ([UInt8]) throws -> [UInt8] = { deflated($0, windowBits: 15) }

    func octets() throws -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        var head = Array("GHWORDS2".utf8) + Array(language.utf8) + [UInt8](repeating: 0, count: 8 - language.utf8.count)
        head += [isRightToLeft ? 1 : 0, UInt8(heights.count)] + little(messages.count, 2) + little(characters.count, 2) + [0, 0]
        for height in heights { head += little(height, 2) + little(height * 3 / 4, 2) }
        for message in messages { head += little(message.name.utf8.count, 1) + Array(message.name.utf8) }
        for message in messages { head += little(message.text.utf8.count, 2) + Array(message.text.utf8) }
        head += characters
        let sizes =
            heights.flatMap { height in messages.map { _ in (10, height) } }
            + heights.flatMap { height in characters.map { _ in (4, height) } }
        var index: [UInt8] = [], data: [UInt8] = []
        for (width, height) in sizes {
            let packed = try stream([UInt8](repeating: 255, count: width * height))
            index += little(width, 2) + little(height, 2) + little(head.count + 12 * sizes.count + data.count, 4) + little(packed.count, 4)
            data += packed
        }
        return Self.sealed(head + index + data)
    }

    /// With its checksum behind it.
    static func sealed(_ octets: [UInt8]) -> [UInt8] {
        let sum = WordSheet.checksum(octets[...])
        return octets + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }

    func sheet() throws -> WordSheet { try WordSheet(parsing: try octets()) }
}

@Suite struct WordSheetTests {
    @Test func aSheetHasItsWordsAndPictures() throws {
        let sheet = try SheetMaker().sheet()
        #expect(sheet.language == "xx" && sheet.lineHeights == [8, 20])
        #expect(sheet.text(of: .accepted) == "word of accepted")
        let picture = try #require(sheet.picture(of: .accepted, size: 1))
        #expect(picture.width == 10 && picture.height == 20 && picture.octets == [UInt8](repeating: 255, count: 200))
        #expect(sheet.measure(code: "not-there", size: 0) == (36, 8))
        // What the sheet has no character for is left out.
        #expect(sheet.measure(code: "a_b\u{1B}", size: 0) == (8, 8))
        #expect(sheet.picture(of: .accepted, size: 2) == nil)
    }

    @Test func aMessageThatASheetLacksHasNoWords() throws {
        let sheet = try SheetMaker(messages: [("scan", "x")]).sheet()
        #expect(sheet.text(of: .scan) == "x" && sheet.text(of: .accepted) == nil && sheet.picture(of: .accepted, size: 0) == nil)
    }

    /// Whatever is missing at the end is found when the sheet is read, or the picture is none.
    @Test func everyCutOfASheetIsRefused() throws {
        let octets = try SheetMaker(messages: [("scan", "x"), ("look", "y")], characters: [0x61]).octets()
        for count in 0..<octets.count {
            #expect(throws: WordSheetError.self) { try WordSheet(parsing: Array(octets[..<count])) }
            if count < octets.count - 4 {
                #expect(throws: WordSheetError.self) { try WordSheet(parsing: SheetMaker.sealed(Array(octets[..<count]))) }
            }
        }
    }

    /// Every octet turned into every of a few others: it is refused, or gives pictures of the size it says.
    @Test func noChangedOctetMakesAPictureOfAnotherSize() throws {
        let octets = try SheetMaker(messages: [("scan", "x"), ("look", "y")], characters: [0x61]).octets()
        for place in octets.indices {
            for value in [0, 1, 0x7F, 0xFF, octets[place] ^ 0x10] {
                var changed = octets
                changed[place] = value
                #expect(value == octets[place] || (try? WordSheet(parsing: changed)) == nil, "octet \(place)")
                // Somebody who also makes the sum fit.
                changed = SheetMaker.sealed(Array(changed.dropLast(4)))
                guard let sheet = try? WordSheet(parsing: changed) else { continue }
                for size in sheet.lineHeights.indices {
                    guard let picture = sheet.picture(of: .scan, size: size) else { continue }
                    #expect(picture.octets.count == picture.width * picture.height)
                }
                _ = sheet.pictures(of: "a", size: 0)
            }
        }
    }

    @Test func aStreamOfAnotherLengthIsNoPicture() throws {
        for count in [0, 79, 81, 100_000] {
            let sheet = try SheetMaker(stream: { _ in deflated([UInt8](repeating: 1, count: count), windowBits: 15) }).sheet()
            #expect(sheet.picture(of: .scan, size: 0) == nil)
        }
    }

    /// They go to a terminal as they are.
    @Test(arguments: ["\u{1B}[2J", "a\rb", "\u{9B}m", "a\tb", "\u{7F}"]) func wordsThatMoveACursorAreNone(text: String) throws {
        #expect(throws: WordSheetError.self) { try SheetMaker(messages: [("scan", text)]).sheet() }
        #expect(try SheetMaker(messages: [("scan", "two\nlines")]).sheet().text(of: .scan) == "two\nlines")
    }

    /// One language less is no reason to be silent.
    @Test func aSheetThatIsMissingOrDamagedCostsNoOtherLanguage() throws {
        let stage = Stage()
        func write(_ tag: String, _ octets: [UInt8]) throws { try Data(octets).write(to: URL(fileURLWithPath: stage.path("\(tag).sheet"))) }
        try write("fr", SheetMaker(language: "fr").octets())
        try write("ar", Array(SheetMaker(language: "ar").octets().dropLast()))
        let folder = WordFolder(stage.folder)
        let found = folder.found(["fr", "ar", "de", "../x"])
        #expect(found.sheets.map(\.language) == ["fr"] && found.errors.count == 3)
        #expect(found.errors.last == .badTag("../x"))
        // Nobody asked for French, and it is better than nothing; English better still.
        #expect(folder.found(["ar"]).sheets.map(\.language) == ["fr"])
        try write("en", SheetMaker(language: "en").octets())
        let instead = folder.found(["ar"])
        #expect(instead.sheets.map(\.language) == ["en"] && instead.errors.count == 1)
        #expect(WordFolder(stage.path("nothing")).found(["en"]).sheets.isEmpty)
    }

    /// Whoever renews the sheets of a gate at work changes nothing for it.
    @Test func aSheetIsReadOnceAndWhole() throws {
        let stage = Stage(), path = stage.path("fr.sheet")
        try Data(SheetMaker(language: "fr").octets()).write(to: URL(fileURLWithPath: path))
        let sheet = try #require(WordFolder(stage.folder).found(["fr"]).sheets.first)
        truncate(path, 100)
        #expect(sheet.picture(of: .accepted, size: 1)?.octets.count == 200)
        #expect(WordFolder(stage.folder).found(["fr"]).sheets.isEmpty)
        // Neither waited for nor read.
        unlink(path)
        mkfifo(path, 0o600)
        #expect(WordFolder(stage.folder).found(["fr"]).errors.count == 1)
    }

    @Test func aFolderGivesTheLanguagesThatAreAskedFor() throws {
        let stage = Stage()
        for tag in ["fr", "ar"] { try Data(SheetMaker(language: tag).octets()).write(to: URL(fileURLWithPath: stage.path("\(tag).sheet"))) }
        try Data("x".utf8).write(to: URL(fileURLWithPath: stage.path("notes.txt")))
        let folder = WordFolder(stage.folder)
        #expect(folder.languages == ["ar", "fr"])
        #expect(try folder.sheets(["fr", "ar"]).map(\.language) == ["fr", "ar"])
        #expect(throws: WordFolderError.sheet("de", .unreadable(errno: ENOENT))) { try folder.sheets(["de"]) }
        for tag in ["", "x", "../fr", "f/r", "-fr", "waytoolong"] {
            #expect(throws: WordFolderError.badTag(tag)) { try folder.sheets([tag]) }
        }
        try Data(SheetMaker(language: "fr").octets()).write(to: URL(fileURLWithPath: stage.path("pt.sheet")))
        #expect(throws: WordFolderError.otherLanguage("pt", "fr")) { try folder.sheets(["pt"]) }
    }
}

/// The template that translators begin with says what the program says without a sheet, of each message and of no other.
@Test func theTemplateHasTheProgramsOwnWords() throws {
    let template = try String(contentsOfFile: Repository.root + "/tools/words/words.pot", encoding: .utf8)
    var found: [String: String] = [:]
    for entry in template.components(separatedBy: "\n\n").dropFirst() {
        var name = "", text = "", isText = false
        for line in entry.split(separator: "\n") {
            let quoted = line.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first.map(String.init) ?? ""
            if line.hasPrefix("msgctxt") { name = quoted }
            if line.hasPrefix("msgid") { isText = true }
            if line.hasPrefix("msgstr") { isText = false }
            if isText { text += quoted.replacingOccurrences(of: "\\n", with: "\n") }
        }
        found[name] = text
    }
    #expect(found == Dictionary(uniqueKeysWithValues: Sign.Kind.allCases.map { ($0.rawValue, $0.english) }))
}
