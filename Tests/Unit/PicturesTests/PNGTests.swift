import Pictures
import TestSupport
import Testing

@Suite("PNG")
struct PNGTests {
    private static let depths: [(colours: UInt8, depth: Int)] = [
        (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (4, 16), (6, 8), (6, 16),
    ]

    /// Samples that fill their range, and what a pixel of them looks like on white.
    private func kind(_ colours: UInt8, _ depth: Int, transparent: Bool) -> (samples: Int, before: [MadePNG.Chunk], seen: ([Int]) -> [Int])
    {
        let most = 1 << depth - 1
        let wide = { (value: Int) in (value * 255 + most / 2) / most }
        let on: (Int, Int) -> Int = { value, alpha in (value * alpha + 255 * (255 - alpha) + 127) / 255 }
        let sixteen = { (value: Int) in [UInt8(value >> 8), UInt8(value & 0xFF)] }
        switch colours {
        case 3:
            let palette = (0...most).map { index in [index * 255 / most, 255 - index * 200 / most, 77] }
            let alphas = (0...most).map { index in transparent && index < 3 ? index * 100 : 255 }
            var before = [MadePNG.Chunk(type: "PLTE", content: palette.joined().map { UInt8($0) })]
            if transparent { before.append(MadePNG.Chunk(type: "tRNS", content: alphas.prefix(3).map { UInt8($0) })) }
            return (1, before, { sample in palette[sample[0]].map { on($0, alphas[sample[0]]) } })
        case 0, 4:
            // The colour that is transparent is one that occurs.
            let before = transparent && colours == 0 ? [MadePNG.Chunk(type: "tRNS", content: sixteen(most))] : []
            return (
                colours == 0 ? 1 : 2, before,
                { sample in
                    let alpha = colours == 4 ? wide(sample[1]) : before.isEmpty || sample[0] != most ? 255 : 0
                    return [Int](repeating: on(wide(sample[0]), alpha), count: 3)
                }
            )
        default:
            let before = transparent && colours == 2 ? [MadePNG.Chunk(type: "tRNS", content: sixteen(0) + sixteen(0) + sixteen(0))] : []
            return (
                colours == 2 ? 3 : 4, before,
                { sample in
                    let alpha = colours == 6 ? wide(sample[3]) : before.isEmpty || sample.contains { $0 != 0 } ? 255 : 0
                    return sample.prefix(3).map { on(wide($0), alpha) }
                }
            )
        }
    }

    @Test(
        "each colour type and depth is decoded, transparent pixels on white", arguments: depths,
        [(false, false), (false, true), (true, false), (true, true)])
    func kinds(_ type: (colours: UInt8, depth: Int), _ how: (interlaced: Bool, transparent: Bool)) throws {
        let (width, height) = (13, 9)
        let kind = kind(type.colours, type.depth, transparent: how.transparent)
        func sample(_ x: Int, _ y: Int) -> [Int] {
            let most = 1 << type.depth - 1
            return (0..<kind.samples).map { index in (x * most / (width - 1) * (index + 1) + y * 3 * index) % (most + 1) }
        }
        let made = MadePNG(
            width: width, height: height, colours: type.colours, depth: type.depth, interlaced: how.interlaced, before: kind.before,
            sample: sample)
        let expected = Pixels(width: width, height: height) { x, y in
            let seen = kind.seen(sample(x, y)).map { UInt8($0) }
            return (seen[0], seen[1], seen[2])
        }
        let decoded = try PictureDecoder.portrait.pixels(made.octets, as: .png)
        // One for the rounding of a product with alpha, which 16 bits have finer.
        #expect(try #require(decoded.difference(expected)) <= (type.colours >= 3 ? 1 : 0))
    }

    private func plain(_ width: Int = 40, _ height: Int = 30, before: [MadePNG.Chunk] = []) -> MadePNG {
        MadePNG(width: width, height: height, colours: 2, depth: 8, before: before) { x, y in [x * 6, y * 8, (x + y) * 3] }
    }

    @Test("a large picture is scaled down to what is wanted, by means")
    func reduction() throws {
        let made = MadePNG(width: 101, height: 50, colours: 0, depth: 8) { x, y in [x % 2 == 0 ? 100 : 200] }.octets
        #expect(try PictureDecoder(limits: .portrait, wantedSide: 52).pixels(made, as: .png).width == 101)
        let half = try PictureDecoder(limits: .portrait, wantedSide: 51).pixels(made, as: .png)
        #expect(half.width == 51 && half.height == 25 && half[0, 0] == [150, 150, 150] && half[50, 24] == [100, 100, 100])
        let quarter = try PictureDecoder(limits: .portrait, wantedSide: 26).pixels(made, as: .png)
        #expect(quarter.width == 26 && quarter.height == 13 && quarter[3, 12] == [150, 150, 150] && quarter[25, 0] == [100, 100, 100])
    }

    @Test("cut anywhere it is refused")
    func truncated() {
        let made = plain().octets
        #expect(PictureDecoder.portrait.error(made, as: .png) == nil)
        for count in 0..<made.count {
            let error = PictureDecoder.portrait.error(Array(made.prefix(count)), as: .png)
            #expect(error == (count < 16 ? .noStart : .truncated), "cut at \(count)")
        }
    }

    @Test("any octet that is another one is damage: each is under a check sum")
    func flipped() {
        let made = plain(before: [.init(type: "tEXt", content: Array("Title\u{0}x".utf8))]).octets
        for index in made.indices {
            for flip in [0x01, 0x20, 0x80, 0xFF] as [UInt8] {
                var changed = made
                changed[index] ^= flip
                #expect(PictureDecoder.portrait.error(changed, as: .png) != nil, "octet \(index)")
            }
        }
    }

    @Test("sizes that are too large or zero are refused before anything is decoded")
    func sizes() {
        func error(_ width: Int, _ height: Int) -> PictureError? {
            var made = plain()
            made.chunks[0] = MadePNG.header(width, height)
            return PictureDecoder.portrait.error(made.octets, as: .png)
        }
        #expect(error(40_000, 40_000) == .tooManyPixels)
        #expect(error(0x7FFF_FFFF, 1) == .tooManyPixels)
        #expect(error(Int(UInt32.max), Int(UInt32.max)) == .tooManyPixels)
        #expect(error(8193, 1) == .tooManyPixels)
        #expect(error(8192, 8192) == .tooManyPixels)
        #expect(error(8000, 5000) == .tooMuchMemory)
        #expect(error(0, 30) == .empty)
        #expect(error(40, 0) == .empty)
        #expect(error(40, 31) != nil)
        #expect(error(40, 29) != nil)
        let padded = plain().octets + [UInt8](repeating: 0, count: 2 << 20)
        #expect(PictureDecoder.portrait.error(padded, as: .png) == .tooManyOctets)
    }

    @Test("a few octets that become 12 megabytes of zeros are a picture, and scaled down")
    func zeros() throws {
        var zeros = plain(1, 1)
        zeros.chunks[0] = MadePNG.header(2000, 2000, colours: 0, depth: 1)
        zeros.chunks[1].content = MadePNG.deflate([UInt8](repeating: 0, count: 251 * 2000))
        let made = zeros.octets
        #expect(made.count < 1000)
        let decoded = try PictureDecoder(limits: .portrait, wantedSide: 400).pixels(made, as: .png)
        #expect(decoded.width == 500 && decoded.octets.allSatisfy { $0 == 0 })
    }

    @Test("texts and profiles that would be 16 megabytes long are not read", arguments: ["zTXt", "iTXt", "iCCP"])
    func ancillaryBombs(type: String) throws {
        let bomb = MadePNG.deflate([UInt8](repeating: 0, count: 16 << 20))
        let names: [String: [UInt8]] = ["zTXt": [0, 0], "iTXt": [0, 1, 0, 0, 0], "iCCP": [0, 0]]
        let chunk = MadePNG.Chunk(type: type, content: Array("name".utf8) + (try #require(names[type])) + bomb)
        #expect(
            try PictureDecoder.portrait.pixels(plain(before: [chunk]).octets, as: .png)
                == PictureDecoder.portrait.pixels(plain().octets, as: .png))
        var made = plain()
        made.chunks.insert(chunk, at: 2)
        #expect(PictureDecoder.portrait.error(made.octets, as: .png) == nil)
    }

    @Test("chunks nobody needs are skipped, however many")
    func ancillary() throws {
        let many = (0..<100_000).map { _ in MadePNG.Chunk(type: "tEXt", content: []) }
        let unknown = [
            MadePNG.Chunk(type: "abCd", content: [1, 2, 3]), .init(type: "gAMA", content: [0, 0, 0, 1]), .init(type: "sPLT", content: [0]),
        ]
        let whole = try PictureDecoder.portrait.pixels(plain().octets, as: .png)
        #expect(try PictureDecoder.portrait.pixels(plain(before: many).octets, as: .png) == whole)
        #expect(try PictureDecoder.portrait.pixels(plain(before: unknown).octets, as: .png) == whole)
        // A chunk that must be understood, and is not.
        #expect(PictureDecoder.portrait.error(plain(before: [.init(type: "ABCD", content: [])]).octets, as: .png) == .damaged)
    }

    @Test("chunks in an order that makes no sense, or with a wrong check sum, are damage")
    func damage() {
        func error(_ change: (inout MadePNG) -> Void) -> PictureError? {
            var made = plain(before: [.init(type: "tEXt", content: [0x41, 0])])
            change(&made)
            return PictureDecoder.portrait.error(made.octets, as: .png)
        }
        #expect(error { _ in } == nil)
        for index in 0..<4 { #expect(error { $0.chunks[index].damage = 1 } == .damaged, "chunk \(index)") }
        #expect(error { $0.chunks.remove(at: 0) } == .noStart)
        #expect(error { $0.chunks.remove(at: 2) } != nil)
        #expect(error { $0.chunks.remove(at: 3) } == .truncated)
        #expect(error { $0.chunks.swapAt(2, 3) } != nil)
        #expect(error { $0.chunks.insert($0.chunks[0], at: 1) } == .damaged)
        #expect(error { $0.chunks[2].content.removeLast(8) } == .damaged)
        #expect(error { $0.chunks[2].content.append(0) } == .damaged)
        #expect(error { $0.chunks[2].content[8] ^= 0xFF } == .damaged)
        // A palette's picture without a palette.
        #expect(error { $0.chunks[0] = MadePNG.header(40, 30, colours: 3) } == .damaged)
        for (colours, depth) in [(1, 8), (2, 4), (5, 8), (6, 3), (7, 8), (3, 16)] as [(UInt8, Int)] {
            #expect(error { $0.chunks[0] = MadePNG.header(40, 30, colours: colours, depth: depth) } == .damaged)
        }
    }

    @Test("zeros behind the end are padding, anything else is not")
    func behindEnd() {
        let made = plain().octets
        #expect(PictureDecoder.portrait.error(made + [0, 0, 0], as: .png) == nil)
        #expect(PictureDecoder.portrait.error(made + [0, 1], as: .png) == .dataBehindEnd)
        #expect(PictureDecoder.portrait.error(made + made, as: .png) == .dataBehindEnd)
    }

    @Test("garbage is refused, and one format is not the other")
    func garbage() {
        var scatter = SeededRandom(seed: 9)
        #expect(PictureDecoder.portrait.error([], as: .png) == .noStart)
        for length in 0..<200 {
            let octets = scatter.bytes(length * 5)
            #expect(PictureDecoder.portrait.error(octets, as: .png) == .noStart)
            #expect(PictureDecoder.portrait.error(MadePNG.signature + MadePNG.header(40, 30).octets + octets, as: .png) != nil)
            var made = plain()
            made.chunks[1].content = octets
            #expect(PictureDecoder.portrait.error(made.octets, as: .png) != nil)
        }
        #expect(PictureDecoder.portrait.error(plain().octets, as: .jpeg) == .noStart)
        #expect(PictureDecoder.portrait.error(MadeJPEG(Pixels(width: 8, height: 8)).octets, as: .png) == .noStart)
    }
}
