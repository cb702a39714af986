import CJPEGEncoding
import Testing
import VisionProtocol

@testable import Pictures

@Suite("Grey pictures")
struct GreyTests {
    private let decoder = PictureDecoder(limits: .codes)

    private func grey(
        _ octets: [UInt8], as format: PictureFormat, width: Int = 0, height: Int = 0, stride: Int = 0, wantedSide: Int = 0
    ) throws -> (picture: Picture, octets: [UInt8]) {
        let picture = Picture(samples: 1), decoder = PictureDecoder(limits: .codes, wantedSide: wantedSide)
        try octets.withUnsafeBytes {
            try decoder.decode($0, as: format, width: width, height: height, stride: stride, into: picture)
        }
        return (picture, picture.withPixels { Array($0) })
    }

    private func isNear(_ one: [UInt8], _ other: [UInt8], by most: Int) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { abs(Int($0) - Int($1)) <= most }
    }

    /// An octet a pixel.
    private func luminance(_ pixels: Pixels) -> [UInt8] { stride(from: 0, to: pixels.octets.count, by: 3).map { pixels.grey.octets[$0] } }

    @Test("a JPEG's luminance, whatever its colours are", arguments: [JPEG_MADE_GREY, JPEG_MADE_YCC, JPEG_MADE_RGB])
    func jpeg(_ colours: jpeg_colours) throws {
        let pixels = Pixels(width: 45, height: 31).grey
        let made = MadeJPEG(pixels) { $0.colours = colours }
        let (picture, octets) = try grey(made.octets, as: .jpeg)
        #expect(picture.width == 45 && picture.height == 31 && picture.stride == 45)
        #expect(isNear(octets, luminance(pixels), by: 12))
        let half = try grey(made.octets, as: .jpeg, wantedSide: 20)
        #expect(half.picture.width == 23 && half.picture.height == 16 && half.octets.count == 23 * 16)
    }

    @Test("what is refused in colour is refused in grey, and nothing is left of it")
    func refused() throws {
        let made = MadeJPEG(Pixels(width: 40, height: 40))
        for (octets, error) in [
            (made.sized(8192, 8192), PictureError.tooManyPixels), (made.sized(0, 8), .empty), (Array(made.octets.dropLast(60)), .noEnd),
            (MadeJPEG(Pixels(width: 8, height: 8)) { $0.colours = JPEG_MADE_CMYK }.octets, .colours), ([], .noStart),
        ] {
            let picture = Picture(samples: 1)
            #expect(throws: error) { try octets.withUnsafeBytes { try decoder.decode($0, as: .jpeg, into: picture) } }
            #expect(picture.isEmpty)
        }
    }

    @Test(
        "a PNG of each colour type and depth, transparent pixels on white",
        arguments: [(0, 1), (0, 8), (0, 16), (2, 8), (2, 16), (3, 4), (3, 8), (4, 8), (4, 16), (6, 8), (6, 16)] as [(UInt8, Int)],
        [false, true])
    func png(_ type: (colours: UInt8, depth: Int), _ isInterlaced: Bool) throws {
        let samples: Int = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][type.colours] ?? 1
        let most = 1 << type.depth - 1
        let palette = (0...min(most, 255)).flatMap { index in [UInt8](repeating: UInt8(index * 255 / most), count: 3) }
        let before = type.colours == 3 ? [MadePNG.Chunk(type: "PLTE", content: palette)] : []
        // Grey in every colour type, and opaque in its left half.
        func value(_ x: Int, _ y: Int) -> Int { (x + y) * most / 17 }
        func isClear(_ x: Int) -> Bool { samples % 2 == 0 && x >= 7 }
        let made = MadePNG(
            width: 14, height: 5, colours: type.colours, depth: type.depth, interlaced: isInterlaced, before: before
        ) { x, y in
            var pixel = [Int](repeating: value(x, y), count: samples >= 3 ? 3 : 1)
            if samples % 2 == 0 { pixel.append(isClear(x) ? 0 : most) }
            return pixel
        }
        let octets = try grey(made.octets, as: .png).octets
        var expected: [UInt8] = []
        for y in 0..<5 {
            for x in 0..<14 { expected.append(isClear(x) ? 255 : UInt8(value(x, y) * 255 / most)) }
        }
        #expect(isNear(octets, expected, by: 1), "\(octets) \(expected)")
    }

    @Test("raw pixels: the Y of YUYV as it is, and the luminance of red, green and blue")
    func raw() throws {
        let yuyv: [UInt8] = [16, 1, 235, 2, 99, 3, 0, 4, 7, 7, 255, 255, 8, 8, 9, 9, 1, 1, 2, 2]
        #expect(try grey(yuyv, as: .yuyv, width: 2, height: 2, stride: 10).octets == [16, 235, 255, 8])
        let rgb: [UInt8] = [255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 100, 100, 100]
        #expect(try grey(rgb, as: .rgb24, width: 3, height: 2).octets == [255, 0, 77, 149, 29, 100])
        let large = try grey([UInt8](repeating: 80, count: 8 * 6 * 2), as: .yuyv, width: 8, height: 6, wantedSide: 4)
        #expect(large.picture.width == 4 && large.picture.height == 3 && large.octets == [UInt8](repeating: 80, count: 12))
    }

    @Test("a face is measured in colours alone")
    func measures() throws {
        let picture = try grey([UInt8](repeating: 80, count: 64 * 64 * 3), as: .rgb24, width: 64, height: 64).picture
        #expect(picture.measure(FaceBox(x: 0, y: 0, width: 64, height: 64)) == nil)
    }
}

@Suite("Thumbnails")
struct ThumbnailTests {
    private func thumbnail(_ width: Int, _ height: Int, _ value: (Int, Int) -> UInt8) throws -> Thumbnail {
        let picture = Picture(samples: 1)
        try picture.fill(width: width, height: height) { memory in
            for index in 0..<width * height { memory[index] = value(index % width, index / width) }
        }
        return Thumbnail(picture)
    }

    @Test(
        "the same picture has not moved, another grey has by as much as it differs, whatever the sizes", arguments: [1, 21, 64, 640, 8192])
    func differences(_ side: Int) throws {
        let dark = try thumbnail(side, min(side, 480)) { _, _ in 10 }, light = try thumbnail(640, 480) { _, _ in 250 }
        #expect(dark.difference(from: dark) == 0)
        #expect(dark.difference(from: light) == 240 && light.difference(from: dark) == 240)
    }

    @Test("what moves in a part of it counts by that part")
    func parts() throws {
        let empty = try thumbnail(640, 480) { _, _ in 50 }
        let visitor = try thumbnail(640, 480) { x, _ in x < 160 ? 150 : 50 }
        #expect(visitor.difference(from: empty) == 25)
        let hand = try thumbnail(640, 480) { x, y in x < 10 && y < 10 ? 255 : 50 }
        #expect(hand.difference(from: empty) == 0)
    }

    @Test("of nothing, or of colours, it is black")
    func nothing() throws {
        let black = try thumbnail(64, 48) { _, _ in 0 }
        #expect(Thumbnail(Picture(samples: 1)) == black && Thumbnail(Picture()) == black)
    }
}
