import CJPEGEncoding
import Glibc
import VisionProtocol

@testable import Pictures

/// Pixels of a picture a test knows everything about.
struct Pixels: Equatable {
    var width: Int
    var height: Int
    /// Red, green, blue, rows without gaps.
    var octets: [UInt8]

    /// Soft colours, different at each place: what JPEG keeps well.
    init(width: Int, height: Int) {
        self.init(width: width, height: height) { x, y in
            (UInt8(40 + 150 * x / max(1, width - 1)), UInt8(60 + 120 * y / max(1, height - 1)), UInt8(200 - 100 * x / max(1, width - 1)))
        }
    }

    init(width: Int, height: Int, _ colour: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8)) {
        self.width = width
        self.height = height
        octets = (0..<width * height).flatMap { index in
            let (red, green, blue) = colour(index % width, index / width)
            return [red, green, blue]
        }
    }

    init(_ picture: Picture) {
        width = picture.width
        height = picture.height
        octets = picture.withPixels { Array($0) }
    }

    subscript(x: Int, y: Int) -> [UInt8] { Array(octets[(y * width + x) * 3..<(y * width + x) * 3 + 3]) }

    /// The largest difference of any octet; nil when the sizes differ.
    func difference(_ other: Pixels) -> Int? {
        guard width == other.width, height == other.height else { return nil }
        return zip(octets, other.octets).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    /// The mean of each octet's luminance-weighted parts, as grey.
    var grey: Pixels {
        Pixels(width: width, height: height) { x, y in
            let pixel = self[x, y].map(Float.init)
            let value = UInt8((0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]).rounded())
            return (value, value, value)
        }
    }
}

/// Octets of a JPEG, and surgery on its segments.
struct MadeJPEG {
    var octets: [UInt8]

    init(_ pixels: Pixels, _ change: (inout jpeg_making) -> Void = { _ in }) {
        var making = jpeg_making(
            width: UInt32(pixels.width), height: UInt32(pixels.height), colours: JPEG_MADE_YCC, scans: JPEG_MADE_BASELINE,
            arithmetic: false, across: 1,
            down: 1, restart: 0, quality: 92)
        change(&making)
        let source: [UInt8] =
            switch making.colours {
            case JPEG_MADE_GREY: stride(from: 0, to: pixels.octets.count, by: 3).map { pixels.octets[$0] }
            case JPEG_MADE_CMYK, JPEG_MADE_YCCK: pixels.octets + pixels.octets.prefix(pixels.octets.count / 3)
            default: pixels.octets
            }
        var count = 0
        let made = jpeg_make(&making, source, &count)
        octets = Array(UnsafeBufferPointer(start: made, count: count))
        free(made)
    }

    /// Where the segment with `marker` begins, before its FF, and where it ends; of the last one a scan's data belong to it.
    func segments(_ marker: UInt8) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var position = 2
        while position + 4 <= octets.count, octets[position] == 0xFF, octets[position + 1] != 0xD9 {
            let begin = position
            position += 2 + Int(octets[position + 2]) << 8 + Int(octets[position + 3])
            if octets[begin + 1] == 0xDA {
                while position + 1 < octets.count,
                    octets[position] != 0xFF || octets[position + 1] == 0 || (0xD0...0xD7).contains(octets[position + 1])
                {
                    position += 1
                }
            }
            if octets[begin + 1] == marker { found.append(begin..<position) }
        }
        return found
    }

    /// The frame header, whichever it is.
    var frame: Range<Int> {
        [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].flatMap { segments($0) }[0]
    }

    /// The same octets under another size.
    func sized(_ width: Int, _ height: Int) -> [UInt8] {
        var changed = octets
        let begin = frame.lowerBound
        changed.replaceSubrange(
            begin + 5..<begin + 9, with: [UInt8(height >> 8), UInt8(height & 0xFF), UInt8(width >> 8), UInt8(width & 0xFF)])
        return changed
    }

    func inserting(_ added: [UInt8], at position: Int) -> [UInt8] {
        Array(octets[..<position]) + added + Array(octets[position...])
    }

    func removing(_ ranges: [Range<Int>]) -> [UInt8] {
        var changed = octets
        for range in ranges.reversed() { changed.removeSubrange(range) }
        return changed
    }
}

extension PictureDecoder {
    static let frame = PictureDecoder(limits: .frame)
    static let portrait = PictureDecoder(limits: .portrait)

    /// What becomes of the octets.
    func pixels(
        _ octets: [UInt8], as format: PictureFormat = .jpeg, width: Int = 0, height: Int = 0, stride: Int = 0
    ) throws(PictureError) -> Pixels {
        let picture = Picture()
        try decode(octets, as: format, width: width, height: height, stride: stride, into: picture)
        return Pixels(picture)
    }

    func decode(
        _ octets: [UInt8], as format: PictureFormat = .jpeg, width: Int = 0, height: Int = 0, stride: Int = 0, into picture: Picture
    ) throws(PictureError) {
        // A block of its own size, so that a read behind its end is one for the sanitizer.
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: octets.count, alignment: 1)
        block.copyBytes(from: octets)
        defer { block.deallocate() }
        do throws(PictureError) {
            try decode(UnsafeRawBufferPointer(block), as: format, width: width, height: height, stride: stride, into: picture)
        } catch {
            precondition(picture.isEmpty)
            throw error
        }
    }

    func error(_ octets: [UInt8], as format: PictureFormat = .jpeg) -> PictureError? {
        do throws(PictureError) {
            _ = try pixels(octets, as: format)
            return nil
        } catch {
            return error
        }
    }
}
