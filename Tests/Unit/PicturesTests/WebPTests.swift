import Pictures
import Testing

@Suite("WebP")
struct WebPTests {
    private let pixels = Pixels(width: 61, height: 47)

    private func decoded(_ octets: [UInt8]) throws -> Pixels { try PictureDecoder.portrait.pixels(octets, as: .webp) }
    private func error(_ octets: [UInt8]) -> PictureError? { PictureDecoder.portrait.error(octets, as: .webp) }

    @Test("lossless pixels are the same, lossy ones nearly, on white where they are transparent")
    func kinds() throws {
        #expect(try decoded(MadeWebP(pixels, lossless: true).octets) == pixels)
        #expect(try #require(decoded(MadeWebP(pixels).octets).difference(pixels)) <= 12)
        let alpha: (Int, Int) -> UInt8 = { x, y in UInt8(x * 4 + y % 2) }
        func onWhite(_ value: UInt8, _ alpha: UInt8) -> UInt8 {
            let light = Int(value) * Int(alpha), white = 255 * (255 - Int(alpha))
            return UInt8((light + white + 127) / 255)
        }
        let seen = Pixels(width: pixels.width, height: pixels.height) { x, y in
            let pixel = pixels[x, y], alpha = alpha(x, y)
            return (onWhite(pixel[0], alpha), onWhite(pixel[1], alpha), onWhite(pixel[2], alpha))
        }
        #expect(try #require(decoded(MadeWebP(pixels, lossless: true, alpha: alpha).octets).difference(seen)) <= 1)
        #expect(try #require(decoded(MadeWebP(pixels, alpha: alpha).octets).difference(seen)) <= 14)
    }

    @Test("MOSIP's own sample size is a picture: 64 by 64 in 484 octets, as its chunk is padded")
    func sampleShape() throws {
        var made = MadeWebP(Pixels(width: 64, height: 64), quality: 20)
        made.chunks[0].content += [UInt8](repeating: 0, count: max(0, 464 - made.chunks[0].content.count))
        #expect(made.octets.count == 484)
        #expect(try decoded(made.octets).width == 64)
    }

    @Test("a large picture is scaled down to what is wanted")
    func reduction() throws {
        let made = MadeWebP(Pixels(width: 101, height: 50) { x, _ in x % 2 == 0 ? (100, 100, 100) : (200, 200, 200) }, lossless: true)
        let half = try PictureDecoder(limits: .portrait, wantedSide: 51).pixels(made.octets, as: .webp)
        #expect(half.width == 51 && half.height == 25 && half[0, 0] == [150, 150, 150] && half[50, 24] == [100, 100, 100])
    }

    @Test("cut anywhere it is refused, also where its chunks say so themselves", arguments: [false, true])
    func truncated(lossless: Bool) {
        let made = MadeWebP(pixels, lossless: lossless)
        for count in 0..<made.octets.count {
            #expect(error(Array(made.octets.prefix(count))) == (count < 12 ? .noStart : .truncated), "cut at \(count)")
        }
        for count in 0..<made.chunks[0].content.count - 1 {
            var cut = made
            cut.chunks[0].content = Array(made.chunks[0].content.prefix(count))
            // The last octets of the arithmetic coder may be padding.
            if count < made.chunks[0].content.count - 4 { #expect(error(cut.octets) != nil, "cut at \(count)") }
        }
    }

    @Test("whatever octet is another one, it is an error or a picture of this size or less")
    func flipped() throws {
        let limits = PictureLimits(octets: 1 << 16, side: 64, pixels: 64 * 64, memory: 1 << 16, severalScans: true)
        for lossless in [false, true] {
            let made = MadeWebP(pixels, lossless: lossless) { x, y in UInt8(x + y) }.octets
            for index in made.indices {
                for flip in [0x01, 0x10, 0xFF] as [UInt8] {
                    var changed = made
                    changed[index] ^= flip
                    let picture = Picture()
                    try? PictureDecoder(limits: limits).decode(changed, as: .webp, into: picture)
                    #expect(picture.width <= 64 && picture.height <= 64)
                }
            }
        }
    }

    @Test("an animation is refused by name, also where only its flag or its frame is there")
    func animated() {
        let still = MadeWebP(pixels, lossless: true)
        let frame: [UInt8] = [0, 0, 0, 0, 0, 0, 60, 0, 0, 46, 0, 0, 100, 0, 0, 0]
        let control: (name: String, content: [UInt8]) = ("ANIM", [255, 255, 255, 255, 0, 0])
        let piece: (name: String, content: [UInt8]) = ("ANMF", frame + MadeWebP.chunk("VP8L", still.chunks[0].content))
        for chunks in [
            [MadeWebP.extended(61, 47, flags: 2), control, piece, piece], [MadeWebP.extended(61, 47, flags: 2), still.chunks[0]],
            [MadeWebP.extended(61, 47, flags: 0), still.chunks[0], piece], [MadeWebP.extended(61, 47, flags: 0), control, still.chunks[0]],
        ] {
            var made = still
            made.chunks = chunks
            #expect(error(made.octets) == .animated)
        }
        var made = still
        made.chunks = [MadeWebP.extended(61, 47, flags: 0), still.chunks[0]]
        #expect(error(made.octets) == nil)
    }

    @Test("profiles and metadata are skipped, a second picture or chunks in a plain file are damage")
    func chunks() throws {
        let still = MadeWebP(pixels, lossless: true)
        let whole = try decoded(still.octets)
        var made = still
        made.chunks = [
            MadeWebP.extended(61, 47, flags: 0x2C), ("ICCP", [1, 2, 3]), still.chunks[0], ("EXIF", [0]), ("XMP ", []), ("abcd", [9]),
        ]
        #expect(try decoded(made.octets) == whole)
        made.chunks.append(still.chunks[0])
        #expect(error(made.octets) == .damaged)
        made.chunks = [still.chunks[0], still.chunks[0]]
        #expect(error(made.octets) == .damaged)
        made.chunks = [still.chunks[0], ("EXIF", [0])]
        #expect(error(made.octets) == .damaged)
        made.chunks = [MadeWebP.extended(61, 47, flags: 0)]
        #expect(error(made.octets) == .damaged)
        made.chunks = [MadeWebP.extended(60, 47, flags: 0), still.chunks[0]]
        #expect(error(made.octets) == .damaged)
        made.chunks = []
        #expect(error(made.octets) == .damaged)
    }

    @Test("zeros behind the end are padding, all else is refused")
    func behindTheEnd() {
        let made = MadeWebP(pixels).octets
        #expect(error(made + [0, 0, 0]) == nil)
        #expect(error(made + [0, 1]) == .dataBehindEnd)
        #expect(error(made + made) == .dataBehindEnd)
        #expect(error(made + [UInt8](repeating: 0, count: 2 << 20)) == .tooManyOctets)
    }

    @Test("a few octets that say 16383 by 16383 are refused before anything is decoded")
    func sizes() {
        func lossless(_ width: Int, _ height: Int) -> [UInt8] {
            let bits = width - 1 | (height - 1) << 14
            var made = MadeWebP(pixels, lossless: true)
            made.chunks[0].content.replaceSubrange(1..<5, with: MadeWebP.little32(bits))
            return made.octets
        }
        #expect(error(lossless(16_383, 16_383)) == .tooManyPixels)
        #expect(error(lossless(8192, 8192)) == .tooManyPixels)
        #expect(error(lossless(8192, 4096)) == .tooMuchMemory)
        #expect(error(lossless(4000, 4000)) != nil)
        var lossy = MadeWebP(pixels)
        lossy.chunks[0].content.replaceSubrange(6..<10, with: [0xFF, 0x3F, 0xFF, 0x3F])
        #expect(error(lossy.octets) == .tooManyPixels)
        lossy.chunks[0].content.replaceSubrange(6..<10, with: [0, 0, 0, 0])
        #expect(error(lossy.octets) != nil)
    }

    @Test("octets of another format are none of this one")
    func noise() {
        for octets in [[], [0x52], Array("RIFF\u{4}\u{0}\u{0}\u{0}WAVE".utf8), MadeJPEG(Pixels(width: 8, height: 8)).octets] as [[UInt8]] {
            #expect(error(octets) == .noStart)
        }
        #expect(error(Array("RIFF\u{0}\u{0}\u{0}\u{0}WEBP".utf8)) == .damaged)
        #expect(PictureDecoder.portrait.error(MadeWebP(pixels).octets, as: .jpeg) == .noStart)
        #expect(PictureDecoder.portrait.error(MadeWebP(pixels).octets, as: .avif) == .noStart)
        #expect(PictureDecoder.portrait.error(MadeWebP(pixels).octets, as: .jp2) == .noStart)
    }
}
