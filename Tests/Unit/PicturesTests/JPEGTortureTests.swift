import CJPEGEncoding
import Pictures
import TestSupport
import Testing

@Suite("JPEG torture")
struct JPEGTortureTests {
    private let small = Pixels(width: 24, height: 16)

    @Test(
        "cut anywhere it is refused, with an end put behind the cut as well",
        arguments: [JPEG_MADE_BASELINE, JPEG_MADE_PROGRESSIVE, JPEG_MADE_ONE_EACH], [0, 2])
    func truncated(scans: jpeg_scans, restart: UInt32) {
        let made = MadeJPEG(small) { ($0.scans, $0.restart) = (scans, restart) }.octets
        let decoder = PictureDecoder.portrait
        #expect(decoder.error(made) == nil)
        for count in 0..<made.count {
            #expect(decoder.error(Array(made.prefix(count))) != nil, "cut at \(count)")
        }
        for count in 0..<made.count - 2 {
            #expect(decoder.error(made.prefix(count) + [0xFF, 0xD9]) != nil, "cut at \(count)")
        }
    }

    @Test("half a frame is not a frame with a grey half")
    func halfGrey() {
        let made = MadeJPEG(Pixels(width: 640, height: 480)) { $0.across = 2 }
        let scan = made.segments(0xDA)[0]
        for part in 1..<8 {
            let cut = scan.lowerBound + scan.count * part / 8
            #expect(PictureDecoder.frame.error(made.octets.prefix(cut) + [0xFF, 0xD9]) == .truncated, "\(part) of 8")
        }
    }

    @Test("any octet may be another one: the picture is refused, or has its size")
    func flipped() {
        for scans in [JPEG_MADE_BASELINE, JPEG_MADE_FLAT_PROGRESSIVE] {
            let made = MadeJPEG(small) { $0.scans = scans }
            let frame = made.frame
            for index in made.octets.indices {
                for flip in [0x01, 0x80, 0xFF] as [UInt8] {
                    var changed = made.octets
                    changed[index] ^= flip
                    guard let decoded = try? PictureDecoder.portrait.pixels(changed) else { continue }
                    #expect(frame.contains(index) || (decoded.width == 24 && decoded.height == 16), "octet \(index)")
                }
            }
        }
    }

    @Test("garbage is refused")
    func garbage() {
        var scatter = SeededRandom(seed: 5)
        #expect(PictureDecoder.frame.error([]) == .noStart)
        #expect(PictureDecoder.frame.error([0xFF]) == .noStart)
        #expect(PictureDecoder.frame.error([0xFF, 0xD8]) == .truncated)
        #expect(PictureDecoder.frame.error([0xFF, 0xD8, 0xFF, 0xD9]) != nil)
        #expect(PictureDecoder.frame.error([UInt8](repeating: 0xFF, count: 4000)) == .noStart)
        #expect(PictureDecoder.frame.error([0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 4000) + [0xFF, 0xD9]) != nil)
        let made = MadeJPEG(small)
        let scan = made.segments(0xDA)[0]
        for length in 1..<200 {
            #expect(PictureDecoder.frame.error(scatter.bytes(length * 7)) != nil)
            #expect(PictureDecoder.frame.error([0xFF, 0xD8, 0xFF] + scatter.bytes(length * 7) + [0xFF, 0xD9]) != nil)
            // Behind a good header it may pass for a picture; it must not be worse than one.
            _ = PictureDecoder.frame.error(made.octets.prefix(scan.lowerBound + 14) + scatter.bytes(length * 7) + [0xFF, 0xD9])
        }
    }

    @Test("sizes that are too large are refused before anything is decoded")
    func tooLarge() {
        let made = MadeJPEG(small)
        for (width, height) in [(65500, 65500), (65535, 1), (1, 65535), (8193, 16), (24, 8193), (8192, 8192), (8000, 5001)] {
            #expect(PictureDecoder.portrait.error(made.sized(width, height)) == .tooManyPixels, "\(width) by \(height)")
        }
        // What is within the limits of pixels still takes more memory than is given, unless it is scaled down.
        #expect(PictureDecoder.portrait.error(made.sized(8000, 5000)) == .tooMuchMemory)
        #expect(PictureDecoder(limits: .portrait, wantedSide: 640).error(made.sized(8000, 5000)) == .truncated)
        #expect(PictureDecoder.frame.error(made.octets + [UInt8](repeating: 0, count: 1 << 20)) == .tooManyOctets)
        #expect(PictureDecoder.portrait.error(made.octets + [UInt8](repeating: 0, count: 1 << 20)) == nil)
    }

    @Test("sizes of zero are refused")
    func zero() {
        let made = MadeJPEG(small)
        for (width, height) in [(0, 0), (24, 0), (0, 16)] { #expect(PictureDecoder.portrait.error(made.sized(width, height)) == .empty) }
    }

    @Test("the coefficients of a large picture in several scans are not kept")
    func coefficients() {
        for scans in [JPEG_MADE_PROGRESSIVE, JPEG_MADE_ONE_EACH] {
            let made = MadeJPEG(small) { $0.scans = scans }
            #expect(PictureDecoder(limits: .portrait, wantedSide: 640).error(made.sized(8000, 5000)) == .tooMuchMemory)
        }
    }

    @Test("scans without end are refused at a hundred")
    func scanBomb() {
        let made = MadeJPEG(small) { $0.scans = JPEG_MADE_FLAT_PROGRESSIVE }
        let last = made.segments(0xDA)[3]
        #expect(made.segments(0xDA).count == 4)
        func bomb(_ count: Int) -> [UInt8] {
            made.inserting(Array(repeatElement(made.octets[last], count: count).joined()), at: last.upperBound)
        }
        #expect(PictureDecoder.portrait.error(bomb(96)) == nil)
        #expect(PictureDecoder.portrait.error(bomb(97)) == .tooManyScans)
        #expect(PictureDecoder.portrait.error(bomb(5000)) == .tooManyScans)
    }

    @Test("kinds that are no baseline or progressive JPEG are refused by name")
    func kinds() {
        let made = MadeJPEG(small)
        #expect(PictureDecoder.portrait.error(MadeJPEG(small) { $0.arithmetic = true }.octets) == .arithmetic)
        #expect(
            PictureDecoder.portrait.error(MadeJPEG(small) { ($0.arithmetic, $0.scans) = (true, JPEG_MADE_PROGRESSIVE) }.octets)
                == .arithmetic)
        #expect(PictureDecoder.portrait.error(MadeJPEG(small) { $0.colours = JPEG_MADE_CMYK }.octets) == .colours)
        #expect(PictureDecoder.portrait.error(MadeJPEG(small) { $0.colours = JPEG_MADE_YCCK }.octets) == .colours)
        #expect(PictureDecoder.portrait.error(MadeJPEG(small) { $0.colours = JPEG_MADE_TWO }.octets) == .colours)
        var changed = made.octets
        for marker in [0xC3, 0xC5, 0xC6, 0xC7, 0xC8] as [UInt8] {
            changed[made.frame.lowerBound + 1] = marker
            #expect(PictureDecoder.portrait.error(changed) == .lossless)
        }
        for marker in [0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF] as [UInt8] {
            changed[made.frame.lowerBound + 1] = marker
            #expect(PictureDecoder.portrait.error(changed) == .arithmetic)
        }
        changed = made.octets
        changed[made.frame.lowerBound + 4] = 12
        #expect(PictureDecoder.portrait.error(changed) == .precision)
    }

    @Test("segments in an order that makes no sense are refused")
    func order() {
        let made = MadeJPEG(small)
        let frame = Array(made.octets[made.frame]), scan = made.segments(0xDA)[0]
        #expect(PictureDecoder.portrait.error(made.inserting(frame, at: made.frame.upperBound)) == .damaged)
        #expect(PictureDecoder.portrait.error(made.inserting(Array(made.octets[scan]), at: made.frame.lowerBound)) == .damaged)
        #expect(PictureDecoder.portrait.error(made.removing([made.frame])) == .damaged)
        #expect(PictureDecoder.portrait.error(made.removing(made.segments(0xDB))) == .damaged)
        #expect(PictureDecoder.portrait.error(made.removing([scan])) != nil)
        #expect(PictureDecoder.portrait.error(made.inserting([0xFF, 0xD8], at: 2)) == .damaged)
        #expect(PictureDecoder.portrait.error(made.inserting([0xFF, 0xE0, 0, 1], at: 2)) == .damaged)
        #expect(PictureDecoder.portrait.error(made.inserting([0xFF, 0xE0, 0, 0], at: 2)) == .damaged)
        #expect(PictureDecoder.portrait.error(made.inserting([0xFF, 0xE0, 0xFF, 0xFF], at: 2)) == .truncated)
        #expect(PictureDecoder.portrait.error(made.inserting([0xFF, 0x00], at: 2)) == .damaged)
    }

    @Test("a camera's frame ends where its only scan does")
    func secondScan() {
        let made = MadeJPEG(small)
        let scan = made.segments(0xDA)[0]
        #expect(PictureDecoder.frame.error(made.inserting(Array(made.octets[scan]), at: scan.upperBound)) == .damaged)
    }
}
