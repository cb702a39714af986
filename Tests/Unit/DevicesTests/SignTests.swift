import BoardTestSupport
import Foundation
import TestSupport
import Testing

@testable import Devices

private let uri = "OPENID4VP://connect?name=GATE&key=8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"

private func show(_ text: String, on painter: inout SignPainter) throws(ScreenError) {
    let octets = Array(text.utf8)
    let shown = octets.withUnsafeBytes { octets in
        do throws(ScreenError) {
            try painter.show(octets)
            return Result<Void, ScreenError>.success(())
        } catch {
            return .failure(error)
        }
    }
    try shown.get()
}

@Suite struct SignTests {
    /// Whoever cannot tell colours apart can tell signs apart: no two states look alike in grey, nor without the words.
    @Test func noTwoSignsHaveTheSamePictogram() {
        let shapes = Sign.Kind.allCases.map { $0.shape.coverage(side: 64).octets.map { $0 > 127 } }
        for (index, shape) in shapes.enumerated() {
            for other in shapes[..<index] {
                let differing = zip(shape, other).count { $0 != $1 }
                #expect(differing >= 64 * 64 / 50, "\(Sign.Kind.allCases[index])")
            }
            #expect(shape.contains(true))
        }
    }

    /// WCAG 2.2's contrast ratio (1.4.3): 7 is its higher level.
    @Test(arguments: Ink.allCases) func everyGroundHasContrast(ink: Ink) {
        func luminance(_ colour: Ink.Colour) -> Double {
            func part(_ value: UInt8) -> Double {
                let share = Double(value) / 255
                return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * part(colour.red) + 0.7152 * part(colour.green) + 0.0722 * part(colour.blue)
        }
        let (one, other) = (luminance(ink.ground), luminance(ink.mark))
        #expect((max(one, other) + 0.05) / (min(one, other) + 0.05) >= 7)
    }

    @Test(arguments: [(320, 240), (480, 320), (800, 480), (1280, 720), (1920, 1080), (240, 320), (1080, 1920), (600, 600)])
    func partsOfAScreenDoNotOverlap(width: Int, height: Int) {
        for scale in [50, 100, 200] {
            for hasCode in [true, false] {
                let layout = SignLayout(width: width, height: height, hasCode: hasCode, scale: scale)
                let parts = [layout.code, layout.pictogram, layout.words, layout.detail].filter { !$0.isEmpty }
                #expect(parts.count == (hasCode ? 4 : 3))
                for (index, part) in parts.enumerated() {
                    #expect(part.intersection(Rectangle(width: width, height: height)) == part)
                    for other in parts[..<index] { #expect(part.intersection(other).isEmpty) }
                }
                #expect(!hasCode || min(layout.code.width, layout.code.height) >= 61 * 2 || scale == 200)
            }
        }
    }

    /// The next visitor's code comes while a verdict is shown, and goes: nothing of the verdict is touched.
    @Test func aVerdictIsNotTouchedByACodeThatComes() throws {
        let sheet = try SheetMaker().sheet()
        var painter = SignPainter(width: 320, height: 240, sheets: [sheet])
        try show(uri, on: &painter)
        painter.tell(Sign(.rejected, code: "expired"))
        let layout = SignLayout(width: 320, height: 240, hasCode: true)
        let before = painter.withOctets { $0 }
        painter.clearCode()
        try show(uri.replacing("8520", with: "9999"), on: &painter)
        let after = painter.withOctets { $0 }
        for y in 0..<240 {
            for x in 0..<320 where !(x < layout.code.right && y < layout.code.bottom) { #expect(before[y * 320 + x] == after[y * 320 + x]) }
        }
        #expect(before != after)
    }

    @Test func onlyWhatHasChangedIsDrawnAgain() throws {
        let sheet = try SheetMaker().sheet()
        var painter = SignPainter(width: 800, height: 480, sheets: [sheet])
        try show(uri, on: &painter)
        painter.tell(Sign(.receiving, percent: 5))
        _ = painter.takeDirty()
        painter.tell(Sign(.receiving, percent: 5))
        #expect(painter.takeDirty().isEmpty)
        painter.tell(Sign(.receiving, percent: 10))
        let bar = painter.takeDirty()
        #expect(!bar.isEmpty && bar.height <= 480 / 10)
    }

    /// A code needs its white all around, whatever stands beside it.
    @Test func theCodeKeepsItsQuietZone() throws {
        var painter = SignPainter(width: 320, height: 240, sheets: [])
        try show(uri, on: &painter)
        painter.tell(Sign(.accepted))
        var code = QRCode()
        try Array(uri.utf8).withUnsafeBytes { try code.encode($0) }
        let modules = code.side + 8, area = SignLayout(width: 320, height: 240, hasCode: true, modules: modules).code
        let scale = min(area.width, area.height) / modules, place = area.centred(width: modules * scale, height: modules * scale)
        painter.withOctets { octets in
            for y in place.y..<place.bottom {
                for x in place.x..<place.right {
                    let isDark = code.isDark(row: (y - place.y) / scale - 4, column: (x - place.x) / scale - 4)
                    #expect(octets[y * 320 + x] == Ink.paper.octet(isDark ? 255 : 0))
                }
            }
        }
    }

    /// The same picture, however the panel is mounted.
    @Test(arguments: ScreenView.Rotation.allCases) func aRotatedScreenShowsTheSamePicture(rotation: ScreenView.Rotation) throws {
        let stage = Stage()
        let across = rotation == .right || rotation == .left
        let (width, height) = across ? (240, 320) : (320, 240)
        let geometry = try #require(FramebufferGeometry(width: width, height: height, stride: width * 4, bitsPerPixel: 32))
        var view = ScreenView()
        view.rotation = rotation
        let sheet = try SheetMaker().sheet()
        let screen = FramebufferScreen(
            descriptor: open(stage.path("fb"), O_RDWR | O_CREAT, 0o600), geometry: geometry, view: view, words: [sheet])
        try screen.clear()
        try screen.show(uri)
        try screen.tell(Sign(.receiving, percent: 20), language: 0)
        // A part that changes goes where the whole would have put it.
        try screen.tell(Sign(.receiving, percent: 75), language: 0)
        var painter = SignPainter(width: 320, height: 240, sheets: [sheet])
        try show(uri, on: &painter)
        painter.tell(Sign(.receiving, percent: 75))
        let wanted = painter.withOctets { $0 }
        let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: stage.path("fb"))))
        for y in 0..<240 {
            for x in 0..<320 {
                let (column, row) =
                    switch rotation {
                    case .none: (x, y)
                    case .right: (239 - y, x)
                    case .half: (319 - x, 239 - y)
                    case .left: (y, 319 - x)
                    }
                let colour = Ink.colours[Int(wanted[y * 320 + x])], start = (row * width + column) * 4
                guard Array(file[start..<start + 3]) == [colour.blue, colour.green, colour.red] else {
                    Issue.record("\(rotation): pixel \(x),\(y)")
                    return
                }
            }
        }
    }

    @Test func aSignWithoutWordsIsItsPictogram() throws {
        var painter = SignPainter(width: 320, height: 240, sheets: [])
        painter.tell(Sign(.fault, code: "controller"))
        #expect(painter.withOctets { $0.contains(Ink.attention.octet(255)) && $0.contains(Ink.attention.octet(0)) })
    }

    @Test func aScreenOfFewPixelsShowsWhatItCan() throws {
        for (width, height) in [(1, 1), (3, 200), (200, 3), (48, 48)] {
            var painter = SignPainter(width: width, height: height, sheets: [try SheetMaker().sheet()])
            for kind in Sign.Kind.allCases { painter.tell(Sign(kind, percent: 50, code: "a-very-long-code")) }
            #expect(throws: ScreenError.tooSmall, "\(width)x\(height)") { try show(uri, on: &painter) }
        }
    }

    @Test(arguments: [
        ("fb:/dev/fb0", 0, 100), ("fb:/dev/fb0,rotate=90", 90, 100), ("fb:/dev/fb0,scale=150,rotate=270", 270, 150),
    ]) func viewsOfAScreen(text: String, rotation: UInt32, scale: Int) throws {
        guard case .framebuffer("/dev/fb0", let view) = try ScreenMoniker(text) else { throw ScreenError.unsupported }
        #expect(view.rotation.rawValue == rotation && view.scale == scale)
    }

    @Test(arguments: [
        ("fb:/dev/fb0,rotate=45", MonikerError.badNumber("45")), ("fb:/dev/fb0,scale=20", .badNumber("20")),
        ("fb:/dev/fb0,rotate", .unexpected("rotate")), ("fb:/dev/fb0,tilt=1", .unexpected("tilt=1")),
        ("fb:/dev/fb0,scale=100,scale=100", .repeated("scale")), ("fb:,rotate=90", .missing("path")), ("fb:/dev/fb0,", .unexpected("")),
    ]) func viewsThatCannotBe(text: String, error: MonikerError) {
        #expect(throws: error) { try ScreenMoniker(text) }
    }
}
