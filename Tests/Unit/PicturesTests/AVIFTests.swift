import Pictures
import Testing

@Suite("AVIF")
struct AVIFTests {
    private func decoded(_ made: MadeAVIF) throws -> Pixels { try PictureDecoder.portrait.pixels(made.octets, as: .avif) }
    private func error(_ octets: [UInt8]) -> PictureError? { PictureDecoder.portrait.error(octets, as: .avif) }
    private func error(_ change: (inout MadeAVIF) -> Void) -> PictureError? {
        var made = MadeAVIF()
        change(&made)
        return error(made.octets)
    }

    @Test("each layout of chroma, grey, and the limited range", arguments: MadeAVIF.Frame.allCases)
    func kinds(frame: MadeAVIF.Frame) throws {
        let expected = frame == .grey ? MadeAVIF.pixels.grey : MadeAVIF.pixels
        #expect(try #require(decoded(MadeAVIF(frame)).difference(expected)) <= 9)
    }

    @Test("the container's matrix and range count, and a matrix that is not known is refused")
    func colours() throws {
        let plain = try decoded(MadeAVIF())
        func with(_ matrix: Int, full: Bool = true, _ frame: MadeAVIF.Frame = .chroma420) -> MadeAVIF {
            var made = MadeAVIF(frame)
            made.properties.append((MadeAVIF.colours(matrix, full: full), false))
            return made
        }
        #expect(try decoded(with(6)) == plain && decoded(with(5)) == plain && decoded(with(2)) == plain)
        for matrix in [1, 4, 7, 9] { #expect(try decoded(with(matrix)) != plain) }
        #expect(try decoded(with(6, full: false)) != plain)
        for matrix in [3, 8, 10, 11, 12, 13, 14, 65_535] { #expect(error(with(matrix).octets) == .colours) }
        // The identity has no smaller chroma, and no limited range here.
        #expect(error(with(0).octets) == .colours)
        #expect(error(with(0, .chroma444).octets) == nil)
        #expect(error(with(0, full: false, .chroma444).octets) == .colours)
        #expect(error(with(8, .grey).octets) == nil)
        // A profile is passed over.
        #expect(error { $0.properties.append((MadeJP2.box("colr", Array("prof".utf8) + [1, 2, 3]), false)) } == nil)
    }

    @Test("cut anywhere it is refused")
    func truncated() {
        let made = MadeAVIF()
        for count in 0..<made.octets.count { #expect(error(Array(made.octets.prefix(count))) != nil, "cut at \(count)") }
        for count in 0..<made.frame.count - 2 {
            #expect(error { $0.frame = Array(made.frame.prefix(count)) } != nil, "cut at \(count)")
        }
    }

    @Test("whatever octet is another one, it is an error or a picture of this size")
    func flipped() {
        let limits = PictureLimits(octets: 1 << 16, side: 64, pixels: 64 * 64, memory: 1 << 17, severalScans: true)
        for frame in [MadeAVIF.Frame.chroma420, .chroma444] {
            let made = MadeAVIF(frame).octets
            for index in made.indices {
                for flip in 0..<8 {
                    var changed = made
                    changed[index] ^= 1 << UInt8(flip)
                    let picture = Picture()
                    try? PictureDecoder(limits: limits).decode(changed, as: .avif, into: picture)
                    #expect(picture.isEmpty || (picture.width == 24 && picture.height == 18))
                }
            }
        }
    }

    @Test("pictures of several items, and such that are to be turned or cut, are refused by name")
    func composed() {
        for type in ["grid", "iovl", "iden", "tmap", "hvc1"] { #expect(error { $0.type = type } == .composed) }
        for type in ["irot", "imir", "clap", "a1op", "lsel"] {
            #expect(error { $0.properties.append((MadeJP2.box(type, [1]), true)) } == .composed)
        }
        func reference(_ type: String, _ from: UInt8, _ to: UInt8) -> [UInt8] {
            MadeAVIF.full("iref", MadeJP2.box(type, [0, from, 0, 1, 0, to]))
        }
        #expect(error { $0.more = reference("auxl", 2, 1) } == .composed)
        #expect(error { $0.more = reference("dimg", 1, 2) } == .composed)
        #expect(error { $0.more = reference("cdsc", 2, 1) } == nil)
        #expect(error { $0.more = reference("thmb", 2, 1) } == nil)
        #expect(error { $0.properties.append((MadeJP2.box("abcd", [1]), true)) } == .uncommon)
        #expect(error { $0.properties.append((MadeJP2.box("abcd", [1]), false)) } == nil)
    }

    @Test("sequences are refused by name, by their brand, their tracks, or a second frame")
    func animated() {
        #expect(error { $0.major = "avis" } == .animated)
        #expect(error(MadeAVIF().octets + MadeJP2.box("moov", [])) == .animated)
        #expect(error { $0.frame += $0.frame } == .animated)
        #expect(error { ($0.major, $0.compatible) = ("mif1", ["mif1", "avif"]) } == nil)
        #expect(error { ($0.major, $0.compatible) = ("mif1", ["mif1", "heic"]) } == .noStart)
        #expect(
            error {
                $0.major = "heic"
                $0.compatible = ["heic"]
            } == .noStart)
    }

    @Test("10 bits are refused before anything is decoded")
    func precision() {
        // The sequence header of 4:4:4: profile, levels, two sizes and the tools; then whether more than 8 bits.
        let changed: [PictureError?] = MadeAVIF.Frame.chroma444.octets.indices.dropFirst(4).prefix(8).flatMap { index in
            (0..<8).map { bit in
                var made = MadeAVIF(.chroma444)
                made.frame[index] ^= 1 << UInt8(bit)
                return error(made.octets)
            }
        }
        #expect(changed.contains(.precision))
        #expect(error(MadeAVIF(.chroma444).octets) == nil)
    }

    @Test("sizes that are too large, zero, or others than the frame's are refused")
    func sizes() {
        func error(_ width: Int, _ height: Int) -> PictureError? { self.error { ($0.width, $0.height) = (width, height) } }
        #expect(error(40_000, 40_000) == .tooManyPixels)
        #expect(error(Int(UInt32.max), Int(UInt32.max)) == .tooManyPixels)
        #expect(error(8000, 5000) == .tooMuchMemory)
        #expect(error(0, 18) == .empty)
        #expect(error(24, 17) == .damaged)
        #expect(error(4000, 4000) == .damaged)
        #expect(self.error(MadeAVIF().octets + [UInt8](repeating: 0, count: 2 << 20)) == .tooManyOctets)
        let little = PictureDecoder(limits: PictureLimits(octets: 1 << 16, memory: 2000, severalScans: true))
        #expect(little.error(MadeAVIF().octets, as: .avif) == .tooMuchMemory)
    }

    @Test("an item lies in one piece in this file")
    func places() throws {
        var inside = MadeAVIF()
        inside.method = 1
        #expect(try decoded(inside) == decoded(MadeAVIF()))
        inside.shift = 1
        #expect(error(inside.octets) != nil)
        #expect(error { $0.method = 2 } == .uncommon)
        #expect(error { $0.reference = 1 } == .uncommon)
        #expect(error { $0.extents = 2 } == .uncommon)
        #expect(error { $0.extents = 0 } == .damaged)
        #expect(error { $0.shift = 1 } == .truncated)
        #expect(error { $0.shift = 1 << 30 } == .truncated)
        #expect(error { $0.handler = "vide" } == .damaged)
    }

    @Test("boxes may follow the picture, octets that are none may not, and more than a portrait needs is refused")
    func boxes() {
        let made = MadeAVIF().octets
        #expect(error(made + MadeJP2.box("free", [1, 2])) == nil)
        #expect(error(made + [0, 0, 0]) == nil)
        #expect(error(made + [1, 2]) != nil)
        #expect(error(made + made) == .damaged)
        #expect(error { $0.more = (0..<100).flatMap { _ in MadeJP2.box("free", []) } } == .uncommon)
        #expect(error { $0.properties += (0..<100).map { _ in (MadeJP2.box("free", []), false) } } == .uncommon)
        #expect(error { $0.properties.removeLast() } == .damaged)
        for octets in [[], [0], Array(made.prefix(20)), MadeJPEG(Pixels(width: 8, height: 8)).octets] as [[UInt8]] {
            #expect(error(octets) == .noStart)
        }
    }
}
