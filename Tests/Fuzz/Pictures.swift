import CJPEGEncoding
import CZlib
import Glibc
import Pictures
import VisionProtocol

@testable import Credentials
@testable import Envelopes
@testable import Faces

/// A stream of frames in pieces: what comes out is the same whatever the pieces are, and a frame behind the noise is found.
func fuzzSplitter(_ octets: UnsafeBufferPointer<UInt8>) {
    guard octets.count > 2 else { return }
    let piece = 1 + Int(octets[0]), limit = 4 + Int(octets[1]) * 16
    let stream = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(octets)[2...])
    var splitter = MJPEGSplitter(limit: limit), other = MJPEGSplitter(limit: limit)
    let frames = split(stream, piece, &splitter), again = split(stream, stream.count, &other)
    require(frames == again, "pieces do not matter")
    require(splitter.drops == other.drops, "pieces do not matter to the counters")
    for frame in frames {
        require(
            frame.count <= limit && frame.starts(with: [0xFF, 0xD8, 0xFF]) && frame.suffix(2) == [0xFF, 0xD9],
            "a frame has a beginning and an end")
        var alone = MJPEGSplitter(limit: limit)
        require(
            frame.withUnsafeBytes { split($0, frame.count, &alone) } == [frame] && alone.drops == MJPEGSplitter.Drops(),
            "a frame is one by itself")
    }
    let dropped = splitter.drops
    require(dropped.superseded == 0 && dropped.strayOctets <= UInt64(stream.count), "drops are counted once")
    let good: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 0xFF, 0xD9]
    // A length may claim the next 65535 octets, and what it cuts as many again: much to wade through, so not each time.
    guard piece & 15 == 0, limit >= good.count else { return }
    let found = ([UInt8](repeating: 0, count: 140_000) + good).withUnsafeBytes { split($0, 1000, &splitter) }
    require(found.last == good, "the next frame is found")
}

private func split(_ stream: UnsafeRawBufferPointer, _ piece: Int, _ splitter: inout MJPEGSplitter) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var begin = 0
    while begin < stream.count {
        let taken = splitter.feed(UnsafeRawBufferPointer(rebasing: stream[begin..<min(stream.count, begin + piece)]))
        require(taken > 0, "octets are taken")
        begin += taken
        _ = splitter.takeFrame { frames.append(Array($0)) }
    }
    return frames
}

/// A picture is decoded as a whole, within its limits, and always to the same pixels; or nothing of it is there.
func fuzzPicture(_ octets: UnsafeBufferPointer<UInt8>) {
    var script = Script(octets)
    let choice = script.octet(), wanted = Int(script.octet()), place = Int(script.octet())
    var limits: PictureLimits = choice & 4 == 0 ? .frame : .portrait
    // Large pictures only cost time.
    limits.pixels = 1 << 16
    limits.memory = 1 << 20
    let decoder = PictureDecoder(limits: limits, wantedSide: wanted)
    let format: PictureFormat = [.jpeg, .png, .rgb24, .yuyv][Int(choice & 3)]
    let (width, height, stride) =
        format == .rgb24 || format == .yuyv ? (Int(script.word()), Int(script.octet()), Int(script.word())) : (0, 0, 0)
    var body = script.take(octets.count)
    // Without a right check sum nothing of a chunk is looked at.
    if format == .png, choice & 8 == 0 { repair(&body) }

    let picture = choice & 16 == 0 ? coloured : grey
    guard decode(body, decoder, format, width, height, stride, picture) else {
        return require(picture.isEmpty, "of an error nothing is left")
    }
    require(picture.width <= limits.side && picture.height <= limits.side && picture.width * picture.height <= limits.pixels, "limits hold")
    let first = picture.withPixels { Array($0) }
    require(first.count == picture.stride * picture.height && !picture.isEmpty, "a picture has pixels")
    let side = Float(place) - 100
    for box in [
        FaceBox(x: side, y: -side, width: Float(wanted), height: 40),
        FaceBox(x: 0, y: 0, width: Float(picture.width), height: Float(picture.height)),
    ] {
        guard let measure = picture.measure(box) else { continue }
        require((0...256).contains(measure.brightness) && measure.sharpness >= 0, "a measure is a number")
    }
    require(
        decode(body, decoder, format, width, height, stride, picture) && picture.withPixels { $0.elementsEqual(first) },
        "a picture has one meaning")
}

nonisolated(unsafe) private let coloured = Picture()
nonisolated(unsafe) private let grey = Picture(samples: 1)

private func decode(
    _ octets: [UInt8], _ decoder: PictureDecoder, _ format: PictureFormat, _ width: Int, _ height: Int, _ stride: Int, _ picture: Picture
) -> Bool {
    octets.withUnsafeBytes {
        do throws(PictureError) {
            try decoder.decode($0, as: format, width: width, height: height, stride: stride, into: picture)
            return true
        } catch {
            return false
        }
    }
}

private func repair(_ octets: inout [UInt8]) {
    var position = 8
    while octets.count - position >= 12 {
        let length = octets[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= octets.count - position - 12 else { return }
        let sum = octets.withUnsafeBufferPointer { crc32(0, $0.baseAddress! + position + 4, UInt32(length + 4)) }
        octets.replaceSubrange(position + 8 + length..<position + 12 + length, with: big32(UInt32(truncatingIfNeeded: sum)))
        position += 12 + length
    }
}

/// What is taken for a portrait is one by its first octets, and what strict base64 says it is.
func fuzzPortrait(_ octets: UnsafeBufferPointer<UInt8>) {
    let text = String(decoding: octets, as: UTF8.self)
    let strict = Base64.decode(text) ?? Base64.decode(text, alphabet: .standard)
    do throws(PortraitError) {
        let portrait = try Portrait(claim: text)
        portrait.withOctets { octets in
            require(octets.count == portrait.count && octets.count <= Portrait.longest, "a portrait is as long as it says")
            require(
                octets.starts(with: portrait.format == .jpeg ? [0xFF, 0xD8, 0xFF] : [0x89, 0x50, 0x4E, 0x47]), "the first octets decide")
            if let strict { require(octets.elementsEqual(strict), "base64 has one meaning") }
        }
    } catch {
        if let strict, !strict.isEmpty, case .notBase64 = error { require(false, "strict base64 is taken") }
        require(error != .tooLarge, "nothing here is too large")
    }
}

let splitterSeeds: [[UInt8]] = [
    [7, 200] + pictures[0] + pictures[1] + [0, 0, 0] + pictures[0].prefix(300) + pictures[1],
    [
        0, 40, 0xFF, 0xD8, 0xFF, 0xE1, 0, 10, 0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 0xFF, 0xD9, 0xFF, 0xDA, 0, 2, 1, 0xFF, 0, 0xFF, 0xD0, 0xFF,
        0xFF, 0xD9,
    ],
    [3, 1, 0xFF, 0xD8, 0xFF, 0xDA, 0, 2] + [UInt8](repeating: 1, count: 60) + [0xFF, 0xD9],
]

let pictureSeeds: [[UInt8]] =
    pictures.map { [4, 0, 100] + $0 } + [[0, 1, 90] + pictures[0], [2, 0, 100, 4, 0, 4, 12, 0] + [UInt8](repeating: 99, count: 48)]
    + [[3, 0, 100, 4, 0, 4, 0, 0] + [UInt8](repeating: 99, count: 32)] + pngs.map { [1, 0, 100] + $0 }

let portraitSeeds: [[UInt8]] = {
    let urls = (pictures + pngs).map { Base64.encodeURL(Array($0.prefix(200))) }
    return urls + urls.map { Array("data:image/jpeg;base64,".utf8) + $0 } + [
        Array("/9j/4AA=".utf8), Array("data:;BASE64,/9j/\r\n4AAB\r\n".utf8),
    ]
}()

/// A picture of each kind.
private let pictures: [[UInt8]] = {
    let kinds: [(jpeg_colours, jpeg_scans, UInt32)] = [
        (JPEG_MADE_YCC, JPEG_MADE_BASELINE, 0), (JPEG_MADE_GREY, JPEG_MADE_BASELINE, 1), (JPEG_MADE_YCC, JPEG_MADE_PROGRESSIVE, 0),
        (JPEG_MADE_YCC, JPEG_MADE_FLAT_PROGRESSIVE, 0), (JPEG_MADE_YCC, JPEG_MADE_ONE_EACH, 1), (JPEG_MADE_RGB, JPEG_MADE_BASELINE, 0),
        (JPEG_MADE_YCCK, JPEG_MADE_BASELINE, 0),
    ]
    return kinds.map { colours, scans, restart in
        var making = jpeg_making(
            width: 20, height: 17, colours: colours, scans: scans, arithmetic: false, across: colours == JPEG_MADE_YCC ? 2 : 1, down: 1,
            restart: restart,
            quality: 60)
        let pixels = (0..<20 * 17 * 4).map { UInt8(truncatingIfNeeded: $0 * 7 ^ $0 >> 3) }
        var count = 0
        let made = jpeg_make(&making, pixels, &count)
        defer { free(made) }
        return Array(UnsafeBufferPointer(start: made, count: count))
    }
}()

private let pngs: [[UInt8]] = {
    func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] { big32(UInt32(content.count)) + Array(type.utf8) + content + [0, 0, 0, 0] }
    func deflate(_ octets: [UInt8]) -> [UInt8] {
        var count = UInt(octets.count + 64)
        var deflated = [UInt8](repeating: 0, count: Int(count))
        compress2(&deflated, &count, octets, UInt(octets.count), 1)
        return Array(deflated.prefix(Int(count)))
    }
    let kinds: [(colours: UInt8, depth: UInt8, row: Int, before: [UInt8])] = [
        (0, 1, 1, []), (0, 16, 8, chunk("tRNS", [0, 7])), (2, 8, 12, chunk("gAMA", [0, 0, 0, 1])),
        (3, 4, 2, chunk("PLTE", [1, 2, 3, 4, 5, 6]) + chunk("tRNS", [9])),
        (4, 8, 8, []), (6, 16, 32, chunk("zTXt", [65, 0, 0] + deflate([1, 2, 3]))),
    ]
    return kinds.flatMap { kind in
        [0, 1].map { (interlaced: UInt8) in
            let rows = [UInt8](repeating: 0, count: (kind.row + 1) * 4 + 40)
            var made = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] as [UInt8]
            made += chunk("IHDR", big32(4) + big32(4) + [kind.depth, kind.colours, 0, 0, interlaced])
            // Rows more than there are would be damage: interlaced ones have a few octets more.
            made +=
                kind.before
                + chunk("IDAT", deflate(Array(rows.prefix(interlaced == 0 ? (kind.row + 1) * 4 : interlacedOctets(kind.row * 2)))))
            made += chunk("IEND", [])
            repair(&made)
            return made
        }
    }
}()

/// Of a picture of four by four pixels, so many bits a pixel: passes 1, 4, 5, 6 and 7 have pixels.
private func interlacedOctets(_ bits: Int) -> Int {
    [(1, 1), (1, 1), (2, 1), (2, 2), (4, 2)].reduce(0) { $0 + ((bits * $1.0 + 7) / 8 + 1) * $1.1 }
}
