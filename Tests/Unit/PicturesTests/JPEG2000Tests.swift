import Pictures
import Testing

@Suite("JPEG 2000")
struct JPEG2000Tests {
    private let pixels = Pixels(width: 61, height: 47)

    private func decoded(_ octets: [UInt8], wanted: Int = 0) throws -> Pixels {
        try PictureDecoder(limits: .portrait, wantedSide: wanted).pixels(octets, as: .jp2)
    }
    private func error(_ octets: [UInt8]) -> PictureError? { PictureDecoder.portrait.error(octets, as: .jp2) }

    @Test("files and bare code streams, reversible ones to the last bit, of one tile and of many")
    func kinds() throws {
        for isFile in [true, false] {
            #expect(try decoded(MadeJP2(pixels) { $0.is_file = isFile }.octets) == pixels)
            #expect(try decoded(MadeJP2(pixels) { ($0.is_file, $0.tile) = (isFile, 16) }.octets) == pixels)
            #expect(try decoded(MadeJP2(pixels) { ($0.is_file, $0.precinct, $0.layers) = (isFile, 32, 4) }.octets) == pixels)
            let soft = try decoded(MadeJP2(pixels) { ($0.is_file, $0.is_irreversible) = (isFile, true) }.octets)
            #expect(try #require(soft.difference(pixels)) <= 2)
        }
        let grey = Pixels(width: 61, height: 47) { x, y in (UInt8(x * 4), UInt8(x * 4), UInt8(x * 4)) }
        #expect(try decoded(MadeJP2(grey, components: 1).octets) == grey)
        for width in [1, 2, 3, 7] {
            let small = Pixels(width: width, height: 5)
            #expect(try decoded(MadeJP2(small) { $0.levels = 0 }.octets) == small)
        }
    }

    @Test("a large picture is decoded at the resolution that is wanted, and scaled down where it has none")
    func reduction() throws {
        for (levels, tile) in [(0, 0), (1, 0), (5, 0), (5, 48)] as [(UInt32, UInt32)] {
            let made = MadeJP2(Pixels(width: 201, height: 99)) { ($0.levels, $0.tile) = (levels, tile) }.octets
            let half = try decoded(made, wanted: 101), quarter = try decoded(made, wanted: 50)
            #expect(half.width == 101 && half.height == 50 && quarter.width == 51 && quarter.height == 25)
            #expect(try #require(quarter.difference(Pixels(width: 51, height: 25))) <= 8)
        }
    }

    @Test("cut anywhere it is refused", arguments: [true, false])
    func truncated(isFile: Bool) {
        let made = MadeJP2(pixels) { ($0.is_file, $0.tile) = (isFile, 32) }.octets
        #expect(error(made) == nil)
        for count in 0..<made.count { #expect(error(Array(made.prefix(count))) != nil, "cut at \(count)") }
        // Also where an end was put at the cut.
        for count in stride(from: 100, to: made.count - 2, by: 7) where !isFile {
            #expect(error(Array(made.prefix(count)) + [0xFF, 0xD9]) != nil, "cut at \(count)")
        }
    }

    @Test("whatever octet is another one, it is an error or a picture of this size or less")
    func flipped() {
        let limits = PictureLimits(octets: 1 << 16, side: 64, pixels: 64 * 64, memory: 1 << 17, severalScans: true)
        let made = MadeJP2(pixels) { ($0.tile, $0.precinct, $0.layers) = (32, 16, 3) }.octets
        for index in made.indices {
            for flip in [0x01, 0x10, 0xFF] as [UInt8] {
                var changed = made
                changed[index] ^= flip
                let picture = Picture()
                try? PictureDecoder(limits: limits).decode(changed, as: .jp2, into: picture)
                #expect(picture.width <= 64 && picture.height <= 64)
            }
        }
    }

    @Test("samples of other than 8 bits, alpha, palettes, sYCC and smaller chroma are refused by name")
    func colours() {
        #expect(error(MadeJP2(pixels) { $0.precision = 12 }.octets) == .precision)
        #expect(error(MadeJP2(pixels) { $0.precision = 16 }.octets) == .precision)
        #expect(error(MadeJP2(pixels) { $0.is_signed = true }.octets) == .precision)
        #expect(error(MadeJP2(pixels, components: 4) { $0.has_alpha = true }.octets) == .colours)
        #expect(error(MadeJP2(pixels, components: 2) { $0.has_alpha = true }.octets) == .colours)
        #expect(error(MadeJP2(pixels) { $0.colours = MadeJP2.sYCC }.octets) == .colours)
        #expect(error(MadeJP2(pixels) { ($0.halved, $0.is_file) = (1, false) }.octets) == .colours)
        #expect(error(MadeJP2(pixels) { ($0.left, $0.is_file) = (3, false) }.octets) == .uncommon)
        let made = MadeJP2(pixels)
        let colours = (made.octets.indices.first { made.octets[$0...].starts(with: Array("colr".utf8)) } ?? 4) - 4
        for name in ["pclr", "cmap", "cdef"] {
            var changed = made.inserting(MadeJP2.box(name, [0, 0]), at: colours)
            let header = (made.octets.indices.first { made.octets[$0...].starts(with: Array("jp2h".utf8)) } ?? 4) - 4
            changed[header + 3] += 10
            #expect(error(changed) == .colours, "\(name)")
        }
        // A profile instead of a number is passed over.
        #expect(error(made.replacing(at: colours + 8, [2])) == nil)
    }

    @Test("sizes that are too large or zero, and more tiles, blocks or layers than a portrait has, are refused before anything is decoded")
    func sizes() {
        let made = MadeJP2(pixels) { $0.is_file = false }
        let size = made.segment(0x51), style = made.segment(0x52)
        func error(_ width: Int, _ height: Int, _ tile: Int = 1 << 20) -> PictureError? {
            let sides: [UInt8] = [width, height, 0, 0, tile, tile].flatMap(MadeJP2.big32)
            return self.error(made.replacing(at: size + 2, sides))
        }
        #expect(error(40_000, 40_000) == .tooManyPixels)
        #expect(error(Int(UInt32.max), Int(UInt32.max)) == .tooManyPixels)
        #expect(error(8193, 1) == .tooManyPixels)
        #expect(error(6000, 6000) == .tooMuchMemory)
        #expect(error(0, 47) == .empty)
        #expect(error(61, 0) == .empty)
        #expect(error(61, 47, 0) == .damaged)
        #expect(error(61, 47, 1) == .tooMuchMemory)
        #expect(error(2000, 2000, 64) == .tooMuchMemory)
        #expect(error(61, 47) == nil)
        // SGcod's layers, and SPcod: resolutions, and code-blocks of 4 by 4.
        #expect(self.error(made.replacing(at: style + 2, [0xFF, 0xFF])) == .tooMuchMemory)
        #expect(self.error(made.replacing(at: style + 2, [0, 0])) == .damaged)
        #expect(self.error(made.replacing(at: style + 5, [32])) == .uncommon)
        #expect(self.error(made.replacing(at: style + 6, [9, 0])) == .damaged)
        #expect(self.error(made.replacing(at: style + 8, [0x40])) == .uncommon)
        let large = MadeJP2(Pixels(width: 1200, height: 1000)) { $0.is_file = false }
        #expect(self.error(large.replacing(at: large.segment(0x52) + 6, [0, 0])) == .tooMuchMemory)
        #expect(self.error(made.octets + [UInt8](repeating: 0, count: 2 << 20)) == .tooManyOctets)
    }

    @Test("markers of other parts, packed headers, a tile that is missing and one that is none are refused")
    func markers() {
        let made = MadeJP2(pixels) { ($0.is_file, $0.tile) = (false, 32) }
        let style = made.segment(0x52) - 4, tile = made.segment(0x90)
        let segment: ([UInt8]) -> [UInt8] = { $0 + [0, 4, 0, 0] }
        #expect(error(made.inserting(segment([0xFF, 0x64]), at: style)) == nil)
        for marker in [0x50, 0x60, 0x61, 0x74, 0x75, 0x30] as [UInt8] {
            #expect(error(made.inserting(segment([0xFF, marker]), at: style)) == .uncommon)
        }
        #expect(error(made.inserting(segment([0x01, 0x64]), at: style)) == .damaged)
        #expect(error(made.replacing(at: tile, [0, 9])) == .damaged)
        // Twice the first tile, and not the second.
        #expect(error(made.replacing(at: tile, [0, 1])) != nil)
        #expect(error(made.replacing(at: made.octets.count - 2, [0xFF, 0xD8])) == .noEnd)
        #expect(error(made.octets.dropLast(2)) != nil)
    }

    @Test("boxes may follow the picture, octets that are none may not")
    func behindTheEnd() throws {
        let made = MadeJP2(pixels).octets, stream = MadeJP2(pixels) { $0.is_file = false }.octets
        #expect(try decoded(made + MadeJP2.box("xml ", Array("<a/>".utf8))) == pixels)
        #expect(error(made + [0, 0, 0]) == nil)
        #expect(error(stream + [0, 0, 0]) == nil)
        #expect(error(made + [1, 2]) == .dataBehindEnd)
        #expect(error(stream + [1]) == .dataBehindEnd)
        #expect(error(stream + stream) == .dataBehindEnd)
        #expect(error(made + MadeJP2.box("jp2c", stream)) == .damaged)
    }

    @Test("boxes that make no sense are damage")
    func boxes() {
        let made = MadeJP2(pixels)
        let signature = Array(made.octets.prefix(12))
        func type(_ brand: String, _ compatible: String) -> [UInt8] {
            MadeJP2.box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + Array(compatible.utf8))
        }
        let start = signature + type("jp2 ", "jp2 ")
        let rest = Array(made.octets[32...])
        let long: [UInt8] = [0, 0, 0, 1] + Array("free".utf8) + [UInt8](repeating: 0xFF, count: 8)
        let short: [UInt8] = [0, 0, 0, 7] + Array("free".utf8)
        #expect(error(start + rest) == nil)
        #expect(error(signature + rest) == .damaged)
        #expect(error(signature + type("jpx ", "jpx ") + rest) == .uncommon)
        #expect(error(signature + type("jpx ", "jp2 ") + rest) == nil)
        #expect(error(start) == .truncated)
        #expect(error(start + MadeJP2.box("jp2c", Array(made.octets[made.stream]))) == .damaged)
        #expect(error(start + MadeJP2.box("jp2h", []) + rest) == .damaged)
        #expect(error(start + short + rest) == .damaged)
        #expect(error(start + long + rest) == .truncated)
        #expect(error(signature) != nil)
        let noise: [[UInt8]] = [[], [0], Array(signature.prefix(11)), [0xFF, 0x4F, 0xFF], MadeJPEG(Pixels(width: 8, height: 8)).octets]
        for octets in noise {
            #expect(error(octets) == .noStart)
        }
    }
}
