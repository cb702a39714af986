import CJPEGEncoding
import Pictures
import Testing

@Suite("JPEG")
struct JPEGTests {
    private let pixels = Pixels(width: 61, height: 43)

    @Test("what cameras and issuers send is decoded", arguments: [(1, 1), (2, 1), (2, 2), (1, 2)])
    func sampling(across: Int, down: Int) throws {
        let made = MadeJPEG(pixels) { ($0.across, $0.down) = (UInt32(across), UInt32(down)) }
        let decoded = try PictureDecoder.frame.pixels(made.octets)
        #expect(try #require(decoded.difference(pixels)) <= 8)
    }

    @Test("grey and RGB without YCbCr are decoded")
    func colours() throws {
        let grey = Pixels(width: 33, height: 20) { x, y in (UInt8(x * 6), UInt8(x * 6), UInt8(x * 6)) }
        let made = MadeJPEG(grey) { $0.colours = JPEG_MADE_GREY }
        #expect(try #require(try PictureDecoder.frame.pixels(made.octets).difference(grey)) <= 4)
        let direct = MadeJPEG(pixels) { $0.colours = JPEG_MADE_RGB }
        #expect(try #require(try PictureDecoder.frame.pixels(direct.octets).difference(pixels)) <= 6)
    }

    @Test("progressive and single scans are for portraits only")
    func scans() throws {
        let progressive = MadeJPEG(pixels) { $0.scans = JPEG_MADE_PROGRESSIVE }.octets
        #expect(try #require(try PictureDecoder.portrait.pixels(progressive).difference(pixels)) <= 8)
        #expect(PictureDecoder.frame.error(progressive) == .progressive)
        let sequential = MadeJPEG(pixels) { $0.scans = JPEG_MADE_ONE_EACH }.octets
        #expect(try #require(try PictureDecoder.portrait.pixels(sequential).difference(pixels)) <= 8)
        #expect(PictureDecoder.frame.error(sequential) == .tooManyScans)
    }

    @Test(
        "the size is halved for as long as the longer side stays as long as wanted",
        arguments: [(0, 61, 43), (100, 61, 43), (61, 61, 43), (32, 61, 43), (31, 31, 22), (17, 31, 22), (16, 16, 11), (1, 16, 11)])
    func reduction(wanted: Int, width: Int, height: Int) throws {
        let made = MadeJPEG(pixels) { $0.across = 2 }
        let decoded = try PictureDecoder(limits: .frame, wantedSide: wanted).pixels(made.octets)
        #expect(decoded.width == width && decoded.height == height)
        let expected = Pixels(width: width, height: height) { x, y in
            let source = pixels[min(60, x * 61 / width), min(42, y * 43 / height)]
            return (source[0], source[1], source[2])
        }
        #expect(try #require(decoded.difference(expected)) <= 20)
    }

    @Test("a frame without Huffman tables has the standard ones, as USB cameras mean it")
    func missingTables() throws {
        let made = MadeJPEG(pixels) { $0.across = 2 }
        let without = made.removing(made.segments(0xC4))
        #expect(without.count < made.octets.count - 400)
        #expect(try PictureDecoder.frame.pixels(without) == PictureDecoder.frame.pixels(made.octets))
    }

    @Test("extraneous octets before a restart marker or the end lose nothing; anywhere else they are damage")
    func extraneous() throws {
        let made = MadeJPEG(pixels) { $0.restart = 4 }
        let whole = try PictureDecoder.frame.pixels(made.octets)
        let scan = made.segments(0xDA)[0]
        let restart = try #require(scan.first { made.octets[$0] == 0xFF && made.octets[$0 + 1] == 0xD1 })
        #expect(try PictureDecoder.frame.pixels(made.inserting([0x12, 0x34], at: restart)) == whole)
        #expect(try PictureDecoder.frame.pixels(made.inserting([0, 0, 1], at: made.octets.count - 2)) == whole)
        #expect(PictureDecoder.frame.error(made.inserting([0x12], at: made.segments(0xDB)[0].lowerBound)) == .damaged)
        #expect(PictureDecoder.frame.error(made.inserting([0x12], at: scan.lowerBound)) == .damaged)
    }

    @Test("a lost or wrong restart marker is damage")
    func restarts() throws {
        let made = MadeJPEG(pixels) { $0.restart = 4 }
        let restart = try #require(made.segments(0xDA)[0].first { made.octets[$0] == 0xFF && made.octets[$0 + 1] == 0xD1 })
        #expect(PictureDecoder.frame.error(made.removing([restart..<restart + 2])) != nil)
        var wrong = made.octets
        wrong[restart + 1] = 0xD5
        #expect(PictureDecoder.frame.error(wrong) != nil)
    }

    @Test("fill octets stand before any marker")
    func fill() throws {
        let made = MadeJPEG(pixels)
        let whole = try PictureDecoder.frame.pixels(made.octets)
        for position in [
            made.segments(0xDB)[0].lowerBound, made.frame.lowerBound, made.segments(0xDA)[0].lowerBound, made.octets.count - 2,
        ] {
            #expect(try PictureDecoder.frame.pixels(made.inserting([0xFF, 0xFF, 0xFF], at: position)) == whole)
        }
    }

    @Test("zeros behind the end are padding, anything else is another picture's or nobody's")
    func behindEnd() throws {
        let made = MadeJPEG(pixels).octets
        let whole = try PictureDecoder.frame.pixels(made)
        #expect(try PictureDecoder.frame.pixels(made + [UInt8](repeating: 0, count: 5000)) == whole)
        #expect(PictureDecoder.frame.error(made + [1]) == .noEnd)
        #expect(PictureDecoder.frame.error(made + [0, 0, 0xFF]) == .noEnd)
        #expect(PictureDecoder.frame.error(made + [0xFF, 0xD9]) == .dataBehindEnd)
        #expect(PictureDecoder.frame.error(made + made) == .dataBehindEnd)
        #expect(PictureDecoder.frame.error([0] + made) == .noStart)
    }

    @Test("a thumbnail inside of a segment is not the picture")
    func thumbnail() throws {
        let thumbnail = MadeJPEG(Pixels(width: 8, height: 8) { _, _ in (255, 0, 0) }).octets
        let made = MadeJPEG(pixels)
        let segment = [0xFF, 0xE1] + [UInt8((thumbnail.count + 2) >> 8), UInt8((thumbnail.count + 2) & 0xFF)] + thumbnail
        #expect(try PictureDecoder.frame.pixels(made.inserting(segment, at: 2)) == PictureDecoder.frame.pixels(made.octets))
    }

    @Test("one picture after another uses the same memory, and an error leaves nothing of the one before")
    func reuse() throws {
        let picture = Picture()
        let made = MadeJPEG(pixels)
        try PictureDecoder.frame.decode(made.octets, into: picture)
        let first = picture.withPixels { $0.baseAddress }
        try PictureDecoder.frame.decode(made.octets, into: picture)
        #expect(picture.withPixels { $0.baseAddress } == first && picture.stride == 183 && !picture.isEmpty)
        let cut = Array(made.octets.dropLast(100)) + [0xFF, 0xD9]
        #expect(throws: PictureError.truncated) { try PictureDecoder.frame.decode(cut, into: picture) }
        #expect(picture.isEmpty && picture.withPixels { $0.count } == 0)
    }
}
