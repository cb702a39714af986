import BoardTestSupport
import Foundation
import Linux
import Testing

@testable import Devices

private let uri = "OPENID4VP://connect?name=GATE&key=8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"

/// Reads the text form back: true for dark, with the quiet zone.
private func modules(of text: String) -> [[Bool]] {
    var rows: [[Bool]] = []
    for line in text.split(separator: "\n") where line.first == "█" {
        rows.append(line.map { $0 == "▄" || $0 == " " })
        rows.append(line.map { $0 == "▀" || $0 == " " })
    }
    return rows
}

private func encode(_ text: String, into code: inout QRCode) throws {
    try Array(text.utf8).withUnsafeBytes { try code.encode($0) }
}

private func shown(_ uri: String, isTerminal: Bool) throws -> String {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer {
        close(ends[0])
        close(ends[1])
    }
    let screen = TerminalScreen(Words(descriptor: ends[1]), isTerminal: isTerminal, size: { nil })
    try screen.show(uri)
    return String(decoding: drain(ends[0]), as: UTF8.self)
}

@Test func theCodeHasItsFinderAndTimingPatterns() throws {
    var code = QRCode()
    try encode(uri, into: &code)
    #expect((21...QRCode.largestSide).contains(code.side) && code.side % 4 == 1)
    for (top, left) in [(0, 0), (0, code.side - 7), (code.side - 7, 0)] {
        for row in 0..<7 {
            for column in 0..<7 {
                let ring = max(abs(row - 3), abs(column - 3))
                #expect(code.isDark(row: top + row, column: left + column) == (ring != 2))
            }
        }
    }
    for index in 8..<code.side - 8 {
        #expect(code.isDark(row: 6, column: index) == (index % 2 == 0))
        #expect(code.isDark(row: index, column: 6) == (index % 2 == 0))
    }
    #expect(!code.isDark(row: -1, column: 0) && !code.isDark(row: 0, column: code.side))
    // Level M is 00 in the format bits, masked with 10: dark, light.
    #expect(code.isDark(row: 8, column: 0) && !code.isDark(row: 8, column: 1))
}

@Test func everyLengthEncodesOrIsRefused() throws {
    var code = QRCode()
    var side = 0
    for length in 1...QRCode.longest {
        // From here on at level L, in a smaller version first.
        if length == QRCode.longestAtM + 1 {
            #expect(side == 97)
            side = 0
        }
        try encode(String(repeating: "a", count: length), into: &code)
        #expect(code.side >= side)
        side = code.side
    }
    #expect(side == QRCode.largestSide && QRCode.side(ofOctets: QRCode.longest) == side)
    #expect(throws: QRCodeError.badLength) { try encode(String(repeating: "a", count: QRCode.longest + 1), into: &code) }
    #expect(QRCode.side(ofOctets: QRCode.longest + 1) == 0)
    #expect(throws: QRCodeError.badLength) { try encode("", into: &code) }
    #expect(code.side == 0)
}

@Test(arguments: [false, true]) func terminalTextIsTheCode(isTerminal: Bool) throws {
    var code = QRCode()
    try encode(uri, into: &code)
    let text = try shown(uri, isTerminal: isTerminal)
    #expect(text.contains("\u{1B}") == isTerminal)
    let rows = modules(of: text.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: ""))
    // One more light row makes the number even.
    #expect(rows.count == code.side + 9)
    for row in 0..<rows.count {
        #expect(rows[row].count == code.side + 8)
        for column in 0..<rows[row].count {
            #expect(rows[row][column] == code.isDark(row: row - 4, column: column - 4))
        }
    }
    #expect(text.hasSuffix(isTerminal ? "\n\(uri)\u{1B}[K\n" : "\n\(uri)\n"))
}

/// The rows that scroll are the terminal's own state: whoever divided them gives all of them back, although nobody reads at that moment.
@Test(arguments: [false, true]) func aTerminalIsGivenBackWholeAlthoughNobodyReads(isClearedBefore: Bool) throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer {
        close(ends[0])
        close(ends[1])
    }
    // One page: the code stops in the middle. F_SETPIPE_SZ, which Glibc's module does not have.
    try #require(fcntl(ends[1], 1031, 4096) == 4096)
    let words = Words(descriptor: ends[1])
    let screen = TerminalScreen(words, isTerminal: true, size: { (60, 120) })
    try screen.show("OPENID4VP://connect?name=EAST&key=\(String(repeating: "5e", count: 32))")
    #expect(words.areWaiting)
    if isClearedBefore {
        try screen.clear()
        try screen.show("OPENID4VP://connect?name=EAST&key=\(String(repeating: "5f", count: 32))")
    }
    screen.close()
    var text = ""
    while words.areWaiting {
        text += String(decoding: drain(ends[0]), as: UTF8.self)
        words.flush()
    }
    text += String(decoding: drain(ends[0]), as: UTF8.self)
    #expect(text.contains(";60r"))
    #expect(text.suffix(20).contains("\u{1B}[r"))
}

@Test func theLargestCodeFitsTheTextBuffer() throws {
    let long = String(repeating: "x", count: QRCode.longest)
    #expect(try shown(long, isTerminal: true).hasSuffix("\n\(long)\u{1B}[K\n"))
    #expect(throws: ScreenError.code(.badLength)) { try shown(long + "x", isTerminal: false) }
}

@Test(arguments: [16, 24, 32]) func framebufferPictureIsTheCode(bits: Int) throws {
    let stage = Stage()
    let path = stage.path("fb")
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    let width = 320
    let height = 240
    let pixel = bits / 8
    let stride = width * pixel + 64
    let geometry = try #require(FramebufferGeometry(width: width, height: height, stride: stride, bitsPerPixel: bits, offset: 128))
    let screen = FramebufferScreen(descriptor: file, geometry: geometry)
    try screen.show(uri)
    var code = QRCode()
    try encode(uri, into: &code)
    let picture = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let area = SignLayout(width: width, height: height, hasCode: true, modules: code.side + 8).code
    let scale = min(area.width, area.height) / (code.side + 8)
    #expect(scale == 3, "as large as whole pixels allow, with room for two lines of words")
    let place = area.centred(width: (code.side + 8) * scale, height: (code.side + 8) * scale)
    let (top, left) = (place.y, place.x)
    for y in 0..<height {
        for x in 0..<width {
            let isInside = y >= top && x >= left && y < top + (code.side + 8) * scale && x < left + (code.side + 8) * scale
            let isLight = !isInside || !code.isDark(row: (y - top) / scale - 4, column: (x - left) / scale - 4)
            let start = 128 + y * stride + x * pixel
            let value: UInt8 = isLight ? 0xFF : 0
            guard picture[start..<start + pixel].allSatisfy({ $0 == value }) else {
                Issue.record("pixel \(x),\(y)")
                return
            }
        }
    }
    screen.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).allSatisfy { $0 == 0 })
}

@Test func framebuffersThatCannotBe() throws {
    let stage = Stage()
    _ = FileManager.default.createFile(atPath: stage.path("file"), contents: nil)
    #expect(throws: ScreenError.notFound) { try ScreenMoniker("fb:/dev/fb99").makeScreen() }
    #expect(throws: ScreenError.unsupported) { try ScreenMoniker("fb:" + stage.path("file")).makeScreen() }
    #expect(FramebufferGeometry(width: 10, height: 10, stride: 10, bitsPerPixel: 8) == nil)
    #expect(FramebufferGeometry(width: 10, height: 10, stride: 19, bitsPerPixel: 16) == nil)
    #expect(FramebufferGeometry(width: 0, height: 10, stride: 40, bitsPerPixel: 32) == nil)
    let tiny = try #require(FramebufferGeometry(width: 40, height: 40, stride: 160, bitsPerPixel: 32))
    let screen = FramebufferScreen(descriptor: open(stage.path("file"), O_RDWR), geometry: tiny)
    #expect(throws: ScreenError.tooSmall) { try screen.show(uri) }
}

@Test(arguments: [
    ([("(S) dummy device\n", "0\n"), ("(M) frame buffer device\n", "1\n")], true),
    ([("(S) dummy device\n", "1\n"), ("(M) frame buffer device\n", "0\n")], false),
    ([("(S) dummy device\n", "1\n")], false),
    ([], false),
]) func theConsoleDrawsWhereItsFramebufferDriverIsBound(drivers: [(String, String)], isBound: Bool) throws {
    let stage = Stage()
    for (number, (name, bind)) in drivers.enumerated() {
        let folder = stage.path("vtcon\(number)")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(name.utf8).write(to: URL(fileURLWithPath: folder + "/name"))
        try Data(bind.utf8).write(to: URL(fileURLWithPath: folder + "/bind"))
    }
    #expect(FramebufferConsole.isDriverBound(stage.folder) == isBound)
}

@Test func aFileHasNoConsole() throws {
    let stage = Stage()
    let file = open(stage.path("fb"), O_RDWR | O_CREAT, 0o600)
    let geometry = try #require(FramebufferGeometry(width: 320, height: 240, stride: 1280, bitsPerPixel: 32))
    #expect(!FramebufferConsole.isShown(on: file))
    #expect(FramebufferScreen(descriptor: file, geometry: geometry).caution == nil)
    #expect(
        FramebufferScreen(descriptor: open(stage.path("fb"), O_RDWR), geometry: geometry, hasConsole: true).caution?.contains("fbcon=map:9")
            == true)
}

@Test func noLineOfAPictureIsWrittenAlone() {
    for height in 2...2000 {
        var rest = height
        while rest > 0 {
            let band = FramebufferScreen.band(ofRest: rest)
            #expect(band >= 2 && band <= FramebufferScreen.longestBand, "\(rest) of \(height)")
            guard band > 0 else { return }
            rest -= band
        }
        #expect(rest == 0)
    }
}
