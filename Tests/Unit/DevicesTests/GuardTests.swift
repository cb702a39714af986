import BoardTestSupport
import Foundation
import Linux
import TestSupport
import Testing

@testable import Devices

private let uri = "OPENID4VP://connect?name=GATE&key=8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"

private func painter(_ width: Int, _ height: Int, sheets: [WordSheet], hasCode: Bool = true) throws -> SignPainter {
    var painter = SignPainter(width: width, height: height, sheets: sheets)
    if hasCode {
        let shown = Array(uri.utf8).withUnsafeBytes { octets in
            Result { try painter.show(octets) }
        }
        try shown.get()
    }
    return painter
}

/// Pixels of the mark in a part of the picture.
private func marks(_ painter: borrowing SignPainter, _ area: Rectangle, _ ink: Ink) -> Int {
    let width = painter.width
    let mark = ink.octet(255)
    return painter.withOctets { octets -> Int in
        var count = 0
        for y in area.y..<area.bottom {
            for x in area.x..<area.right where octets[y * width + x] == mark { count += 1 }
        }
        return count
    }
}

/// What stands on the screen for the guard: the code of a reject, and the last verdicts.
@Suite struct GuardTests {
    private let modules = 49

    @Test func everyLetterOfACodeHasItsOwnPoints() {
        let pictures = CodeFont.characters.map { CodeFont.picture(of: $0, scale: 1).octets }
        #expect(Set(pictures).count == pictures.count)
        #expect(CodeFont.characters.count == 42, "letters, digits, and % - . / : and the space")
        for (octet, picture) in zip(CodeFont.characters, pictures) { #expect(picture.contains(255) == (octet != 0x20)) }
        // What is in no code leaves a box, and not a shorter code.
        #expect(CodeFont.picture(of: 0x1B, scale: 1) == CodeFont.picture(of: 0xFF, scale: 1))
        #expect(CodeFont.picture(of: 0x61, scale: 3).width == 18 && CodeFont.picture(of: 0x61, scale: 0).width == 6)
    }

    /// Neither a missing sheet, nor one without letters, nor one whose pictures are damaged costs the code.
    @Test(arguments: 0..<4) func theCodeNeedsNoSheet(which: Int) throws {
        let sheets =
            switch which {
            case 0: [WordSheet]()
            case 1: [try SheetMaker(characters: []).sheet()]
            case 2: [try SheetMaker(characters: Array("expird".utf8).filter { $0 != 0x78 }).sheet()]
            default: [try SheetMaker(stream: { _ in [0x78, 0x9C] }).sheet()]
            }
        for kind in [Sign.Kind.rejected, .closed, .fault] {
            var painter = try painter(320, 240, sheets: sheets)
            let layout = SignLayout(width: 320, height: 240, hasCode: true, modules: modules)
            painter.tell(Sign(kind, code: "expired"))
            let first = painter.withOctets { $0.hashValue }
            #expect(marks(painter, layout.detail, kind.ink) > 50, "\(kind)")
            painter.tell(Sign(kind, code: "expires"))
            let second = painter.withOctets { $0.hashValue }
            #expect(first != second, "every letter is drawn")
        }
    }

    /// Where the first language's sheet has no letters, another one's are taken.
    @Test func aCodeIsWrittenBySomeSheetThatCan() throws {
        let without = try SheetMaker(characters: []).sheet(), with = try SheetMaker().sheet()
        guard case .sheet(let sheet, 1)? = Lettering.sizes(for: ["expired"], sheets: [without, with], height: 50).first else {
            Issue.record("no sheet")
            return
        }
        #expect(sheet.canWrite("expired") && !sheet.canWrite("Expired"))
    }

    @Test func aDamagedPictureGivesWayToASmallerOne() throws {
        var count = 0
        let kinds = Sign.Kind.allCases.count
        let sheet = try SheetMaker(stream: { octets in
            count += 1
            // All messages of the larger size.
            return (kinds + 1...2 * kinds).contains(count) ? [1, 2, 3] : deflated(octets, windowBits: 15)
        }).sheet()
        var painter = try painter(320, 240, sheets: [sheet])
        painter.tell(Sign(.scan))
        let layout = SignLayout(width: 320, height: 240, hasCode: true, modules: modules)
        #expect(marks(painter, layout.words.union(layout.detail), .paper) == 80)
    }

    /// The code that comes beside a verdict draws its own place only.
    @Test func aCodeThatComesDrawsNothingElse() throws {
        var painter = try painter(800, 480, sheets: [try SheetMaker().sheet()])
        painter.tell(Sign(.rejected, code: "expired"))
        _ = painter.takeDirty()
        let octets = Array(uri.replacing("8520", with: "9999").utf8)
        try octets.withUnsafeBytes { octets in Result { try painter.show(octets) } }.get()
        let area = SignLayout(width: 800, height: 480, hasCode: true, modules: modules).code
        #expect(painter.takeDirty() == area)
        painter.clearCode()
        #expect(painter.takeDirty() == area)
    }

    @Test func anUprightScreenIsTheSameOnBothSides() throws {
        var painter = try painter(240, 320, sheets: [])
        painter.tell(Sign(.accepted))
        painter.withOctets { octets in
            for y in 0..<320 { #expect(octets[y * 240] == octets[y * 240 + 239], "row \(y)") }
        }
    }

    /// The bar of an Arabic screen fills from the right.
    @Test func aBarFillsTheWayTheLanguageIsRead() throws {
        let area = SignLayout(width: 320, height: 240, hasCode: true, modules: modules).detail
        for isRightToLeft in [false, true] {
            var painter = try painter(320, 240, sheets: [try SheetMaker(isRightToLeft: isRightToLeft).sheet()])
            painter.tell(Sign(.receiving, percent: 40))
            let half = Rectangle(x: area.x, y: area.y, width: area.width / 2, height: area.height)
            let other = Rectangle(x: half.right, y: area.y, width: area.width / 2, height: area.height)
            #expect((marks(painter, half, .paper) > marks(painter, other, .paper)) != isRightToLeft)
        }
    }

    // MARK: the last verdicts

    private var ten: [VerdictLine] {
        (0..<10).map { (number: UInt64) -> VerdictLine in
            let isAccepted = number % 2 == 0
            return VerdictLine(isAccepted: isAccepted, code: isAccepted ? nil : "several-faces", seconds: number * 700)
        }
    }

    @Test(arguments: [(240, 240), (320, 240), (480, 320), (800, 480), (1280, 720), (1920, 1080), (240, 320), (480, 800), (1080, 1920)])
    func theLastVerdictsStandBesideTheCode(width: Int, height: Int) throws {
        for sheets in [[], [try SheetMaker(heights: [6, 8, 11, 20, 40]).sheet()]] {
            var painter = try painter(width, height, sheets: sheets)
            painter.tell(Sign(.scan))
            let before = painter.withOctets { $0 }
            let layout = SignLayout(width: width, height: height, hasCode: true, modules: modules)
            painter.list(ten)
            let after = painter.withOctets { $0 }
            for y in 0..<layout.code.bottom {
                for x in 0..<layout.code.right where before[y * width + x] != after[y * width + x] {
                    Issue.record("the code's pixel \(x),\(y) of \(width)x\(height)")
                    return
                }
            }
            let list = try #require(VerdictList(ten, in: [layout.beside, layout.below], sheets: sheets))
            #expect(list.entries.count == 10 || min(width, height) < 320, "\(width)x\(height): \(list.entries.count)")
            #expect(list.entries.count >= 5)
            for entry in list.entries {
                #expect(layout.beside.intersection(entry.mark) == entry.mark || layout.below.intersection(entry.mark) == entry.mark)
            }
            // It goes as it came.
            painter.tell(Sign(.scan))
            let isAsBefore = painter.withOctets { $0 == before }
            #expect(isAsBefore)
        }
    }

    @Test func aCodeThatComesLeavesTheListWhereItIs() throws {
        var painter = try painter(320, 240, sheets: [], hasCode: false)
        painter.tell(Sign(.fault, code: "controller"))
        painter.list(ten)
        #expect(marks(painter, Rectangle(width: 320, height: 240), .reject) > 0)
        try Array(uri.utf8).withUnsafeBytes { octets in Result { try painter.show(octets) } }.get()
        #expect(marks(painter, Rectangle(width: 320, height: 240), .reject) > 0, "the screen is divided otherwise, and has it still")
    }

    @Test func thereMayBeNoneOrNoRoom() throws {
        var painter = try painter(320, 240, sheets: [])
        painter.list([])
        let layout = SignLayout(width: 320, height: 240, hasCode: true, modules: modules)
        #expect(marks(painter, layout.words, .paper) > 0, "a nought")
        for (width, height) in [(1, 1), (3, 200), (200, 3), (20, 20)] {
            var painter = SignPainter(width: width, height: height, sheets: [])
            painter.list(ten)
            painter.list([])
        }
        #expect(VerdictList(ten, in: [], sheets: []) == nil)
    }

    @Test func theTimeSinceIsToldInOneUnit() {
        func age(_ seconds: UInt64) -> String { VerdictLine(isAccepted: true, seconds: seconds).age }
        #expect([0, 59, 60, 3599, 3600, 172_799, 172_800].map(age) == ["0 s", "59 s", "1 min", "59 min", "1 h", "47 h", "2 d"])
        #expect(age(.max).hasSuffix(" d"))
    }

    // MARK: the same on a terminal

    /// Sixty rows of 120 characters, of which a reader takes what it likes.
    private final class Terminal {
        private let pipe = TestPipe()
        let words: Words
        let screen: TerminalScreen

        init(isTerminal: Bool = true, columns: Int = 120) {
            words = Words(descriptor: pipe.writing)
            screen = TerminalScreen(words, isTerminal: isTerminal, size: { (60, columns) })
        }

        func read() -> String {
            words.flush()
            return String(decoding: drain(pipe.reading), as: UTF8.self)
        }
    }

    @Test func aSignThatWasOwedComesWhenSomebodyReads() throws {
        let terminal = Terminal()
        try terminal.screen.show(uri)
        _ = terminal.read()
        while !terminal.words.areWaiting { terminal.words.write(String(repeating: "x", count: 4096)) }
        try terminal.screen.tell(Sign(.rejected, code: "expired"), language: 0)
        while terminal.words.areWaiting { _ = terminal.read() }
        try terminal.screen.check()
        #expect(terminal.read().contains("✗ Not accepted (expired)"))
        try terminal.screen.check()
        #expect(terminal.read().isEmpty, "once")
    }

    /// A long line would go on in the rows where words scroll.
    @Test func aSignStaysInItsRow() throws {
        let terminal = Terminal()
        try terminal.screen.show(uri)
        _ = terminal.read()
        try terminal.screen.tell(Sign(.rejected, code: String(repeating: "long-", count: 40)), language: 0)
        let text = terminal.read()
        let off = try #require(text.range(of: "\u{1B}[?7l")), on = try #require(text.range(of: "\u{1B}[?7h"))
        #expect(off.lowerBound < on.lowerBound && text[off.upperBound..<on.lowerBound].contains("Not accepted"))
    }

    @Test func theLastVerdictsAreLines() throws {
        let terminal = Terminal()
        try terminal.screen.show(uri)
        _ = terminal.read()
        try terminal.screen.list([VerdictLine(isAccepted: true, seconds: 61), VerdictLine(isAccepted: false, code: "expired", seconds: 3)])
        #expect(terminal.read() == "✓ 1 min: accepted\n✗ 3 s: not accepted (expired)\n")
        try terminal.screen.list([])
        #expect(terminal.read() == "no verdict yet\n")
        let file = Terminal(isTerminal: false)
        try file.screen.list(ten)
        #expect(file.read().isEmpty, "whoever reads it wants codes")
    }
}
