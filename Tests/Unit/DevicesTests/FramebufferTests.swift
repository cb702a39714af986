import BoardTestSupport
import CLinux
import Foundation
import TestSupport
import Testing

@testable import Devices

private let uri = "OPENID4VP://connect?name=GATE&key=8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"

/// What a driver says of a screen of 320 by 240, 32 bits.
private func said(_ change: (inout fb_var_screeninfo, inout fb_fix_screeninfo) -> Void = { _, _ in }) -> FramebufferGeometry? {
    var variable = fb_var_screeninfo(), fixed = fb_fix_screeninfo()
    (variable.xres, variable.yres, variable.bits_per_pixel) = (320, 240, 32)
    (variable.red.offset, variable.red.length) = (16, 8)
    (variable.green.offset, variable.green.length) = (8, 8)
    (variable.blue.offset, variable.blue.length) = (0, 8)
    fixed.line_length = 1280
    change(&variable, &fixed)
    return FramebufferGeometry(variable, fixed)
}

/// A driver's numbers are as good as a stranger's: they make a screen or none, and never end the gate.
@Suite struct FramebufferGeometryTests {
    @Test func aDriverIsBelievedWhereItMakesSense() {
        #expect(said()?.width == 320)
        #expect(said { variable, _ in variable.yoffset = 240 }?.offset == 240 * 1280)
        #expect(said { variable, fixed in (variable.bits_per_pixel, fixed.line_length) = (24, 960) }?.pixel == 3)
        #expect(
            said { variable, fixed in
                (variable.bits_per_pixel, fixed.line_length) = (16, 640)
                (variable.red.length, variable.green.length, variable.blue.length) = (5, 6, 5)
                (variable.red.offset, variable.green.offset) = (11, 5)
            }?.pixel == 2)
    }

    @Test func tenBitsOfAColourAreEnough() throws {
        let geometry = try #require(
            said { variable, _ in
                (variable.red.length, variable.green.length, variable.blue.length) = (10, 10, 10)
                (variable.red.offset, variable.green.offset) = (20, 10)
            })
        #expect(geometry.pixel((255, 255, 255)) & 0x3FFF_FFFF == 0x3FFF_FFFF && geometry.pixel((0, 0, 0)) == 0)
        #expect(geometry.pixel((255, 0, 0)) >> 20 & 0x3FF == 0x3FF)
    }

    @Test func numbersThatCannotBe() {
        for value: UInt32 in [0, 1, 0x7FFF_FFFF, 0x8000_0000, .max - 1, .max] {
            #expect(said { variable, _ in variable.xres = value }.map { $0.width == 1 } ?? true)
            #expect(said { variable, _ in variable.yres = value }.map { $0.height == 1 } ?? true)
            #expect(said { variable, _ in variable.bits_per_pixel = value } == nil)
            #expect(said { _, fixed in fixed.line_length = value } == nil)
            #expect(said { variable, _ in (variable.xoffset, variable.yoffset) = (value, value) }.map { $0.offset <= 1 << 30 } ?? true)
            // Three of them at once: a product of more than 64 bits.
            #expect(
                said { variable, fixed in
                    (variable.yoffset, variable.xoffset, variable.bits_per_pixel, fixed.line_length) = (value, value, value, value)
                } == nil)
            #expect(said { variable, _ in (variable.red.offset, variable.red.length) = (value, 8) }.map { $0.mask != 0 } ?? true)
            #expect(said { variable, _ in variable.red.length = value }.map { $0.pixel((255, 255, 255)) != 0 } ?? true)
        }
        #expect(said { variable, fixed in (variable.xres, variable.yres, fixed.line_length) = (16_384, 16_384, 65_536) } == nil)
        #expect(said { _, fixed in fixed.line_length = 1279 } == nil, "lines overlap")
        #expect(said { _, fixed in fixed.type = 1 } == nil)
    }

    @Test func aModuleIsMeasuredWhereTheCodeStands() {
        let wide = FramebufferGeometry(width: 480, height: 320, stride: 1920, bitsPerPixel: 32)
        var view = ScreenView()
        #expect(wide?.module(ofModules: 53, view: view) == 4)
        view.rotation = .left
        #expect(wide?.module(ofModules: 53, view: view) == 5, "upright there is more room")
        view.scale = 200
        #expect(wide?.module(ofModules: 53, view: view) == 3)
        #expect(wide?.module(ofModules: 0, view: view) != nil && wide?.module(ofModules: 5000, view: view) == 0)
    }
}

/// A file for a framebuffer: somebody else writes into it.
private final class OtherHand {
    let stage = Stage()
    let geometry: FramebufferGeometry
    let screen: FramebufferScreen
    private let file: Int32

    init(bits: Int, rotation: ScreenView.Rotation = .none) throws {
        let stride = 320 * bits / 8 + 32
        geometry = try #require(FramebufferGeometry(width: 320, height: 240, stride: stride, bitsPerPixel: bits, offset: 64))
        file = open(stage.path("fb"), O_RDWR | O_CREAT, 0o600)
        var view = ScreenView()
        view.rotation = rotation
        screen = FramebufferScreen(descriptor: dup(file), geometry: geometry, view: view, words: [try SheetMaker().sheet()])
        try screen.clear()
        try screen.show(uri)
        try screen.tell(Sign(.rejected, code: "expired"), language: 0)
    }

    deinit { close(file) }

    /// What was there when it was asked first; a picture in words is no use to anybody who reads why a test failed.
    lazy var wanted = picture
    var isAsWanted: Bool { picture == wanted }

    var picture: [UInt8] {
        var octets = [UInt8](repeating: 0, count: 64 + geometry.stride * 240)
        _ = octets.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
        return octets
    }

    func write(_ value: UInt8, rows: Range<Int>) {
        let line = [UInt8](repeating: value, count: 320 * geometry.pixel)
        for row in rows { pwrite(file, line, line.count, off_t(64 + row * geometry.stride)) }
    }
}

@Suite struct FramebufferRepairTests {
    /// `gatehouse doctor` beside the gate leaves it black, a console writes a line: all of it is drawn again.
    @Test(arguments: [16, 24, 32], ScreenView.Rotation.allCases)
    func whatSomethingElseDrewIsDrawnOver(bits: Int, rotation: ScreenView.Rotation) throws {
        let hand = try OtherHand(bits: bits, rotation: rotation)
        _ = hand.wanted
        for (value, rows) in [(0, 0..<240), (0x55, 100..<116), (0xAA, 224..<240), (0xFF, 0..<16)] as [(UInt8, Range<Int>)] {
            hand.write(value, rows: rows)
            #expect(!hand.isAsWanted)
            // A line of a console is found at the latest the second time.
            try hand.screen.repair()
            try hand.screen.repair()
            #expect(hand.isAsWanted, "\(rows) of \(bits) bits")
        }
        for _ in 0..<20 { try hand.screen.repair() }
        #expect(hand.isAsWanted)
    }

    /// One row alone is found in the end, too.
    @Test func aSingleRowIsFoundWithinAMoment() throws {
        let hand = try OtherHand(bits: 32)
        _ = hand.wanted
        for row in [0, 1, 77, 238, 239] {
            hand.write(0x33, rows: row..<row + 1)
            for _ in 0..<8 { try hand.screen.repair() }
            #expect(hand.isAsWanted, "row \(row)")
        }
    }

    /// A device that cannot be read is written all the same.
    @Test func aScreenThatCannotBeReadIsLeftAlone() throws {
        let stage = Stage()
        let geometry = try #require(FramebufferGeometry(width: 320, height: 240, stride: 1280, bitsPerPixel: 32))
        let screen = FramebufferScreen(descriptor: open(stage.path("fb"), O_WRONLY | O_CREAT, 0o600), geometry: geometry)
        try screen.show(uri)
        try screen.repair()
        try screen.tell(Sign(.accepted), language: 0)
        // Nor one whose picture does not stay.
        let null = FramebufferScreen(descriptor: open("/dev/zero", O_RDWR), geometry: geometry)
        try null.show(uri)
        try null.repair()
        try null.repair()
    }

    /// Where the next code does not fit, the one before is gone all the same.
    @Test func aCodeThatDoesNotFitLeavesNoOlderOne() throws {
        let stage = Stage()
        let geometry = try #require(FramebufferGeometry(width: 80, height: 80, stride: 320, bitsPerPixel: 32))
        let screen = FramebufferScreen(descriptor: open(stage.path("fb"), O_RDWR | O_CREAT, 0o600), geometry: geometry)
        try screen.show("OPENID4VP://a")
        #expect(throws: ScreenError.tooSmall) { try screen.show(uri + uri + uri) }
        let isWhite = try Data(contentsOf: URL(fileURLWithPath: stage.path("fb"))).allSatisfy { $0 == 0xFF }
        #expect(isWhite, "no module on it")
    }
}
