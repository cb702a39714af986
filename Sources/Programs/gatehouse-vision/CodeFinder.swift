import CZXing
import Glibc
import Pictures
import VisionProtocol

/// Answers the gate's pictures by the code that is in them. Nothing of a picture stays but one of 64 by 48 grey pixels,
/// and of the codes told last a keyed digest of 64 bits each.
final class CodeFinder {
    static let library = CodeLibrary(name: "zxing-cpp", version: String(cString: code_library_version()))

    /// Decoded at 1/2 or 1/4 where the longer side still has so many pixels: a code of version 40 in it has five to a module.
    private let decoder = PictureDecoder(limits: .codes, wantedSide: 1280)
    private let picture = Picture(samples: 1)
    private var text = WipedOctets(count: CodeReading.mostText)
    private var last: Thumbnail?
    /// How many pictures were looked at since there was nothing to remember.
    private var pictures = 0
    /// Where there are several codes, each picture has the next.
    private var turn = CodeFinder.firstTurn()

    func answer(_ request: WorkerRequest, _ octets: UnsafeRawBufferPointer) -> WorkerReply {
        guard case .codes(let head) = request else {
            // To compare faces is another worker's.
            guard request == .forget else { _exit(WorkerExit.badRequest.rawValue) }
            (last, pictures, turn) = (nil, 0, Self.firstTurn())
            return .forgotten
        }
        let begun = PluginHost.now()
        var reading = look(head, octets)
        picture.wipe()
        text.wipe()
        reading.elapsed = UInt32(clamping: (PluginHost.now() &- begun) / 1000)
        return .reading(reading)
    }

    private func look(_ head: PictureHeader, _ octets: UnsafeRawBufferPointer) -> CodeReading {
        do throws(PictureError) {
            try decoder.decode(
                octets, as: head.format, width: Int(head.width), height: Int(head.height), stride: Int(head.stride), into: picture)
        } catch {
            return CodeReading(error.failure == .tooLarge ? .tooLarge : .undecodable)
        }
        let thumbnail = Thumbnail(picture), change = last.map { thumbnail.difference(from: $0) } ?? .max
        last = thumbnail
        var reading = read()
        reading.change = change
        reading.width = UInt16(clamping: picture.width)
        reading.height = UInt16(clamping: picture.height)
        return reading
    }

    private func read() -> CodeReading {
        var found = code_reading()
        let (width, height) = (UInt32(clamping: picture.width), UInt32(clamping: picture.height))
        let looks = nextLooks()
        let result = picture.withMutablePixels { pixels in
            text.withMutableOctets { text in
                code_read(
                    pixels.assumingMemoryBound(to: UInt8.self).baseAddress, width, height, Int(width), looks, &turn,
                    text.assumingMemoryBound(to: UInt8.self).baseAddress, text.count, &found)
            }
        }
        guard result == CODE_READ.rawValue else { return CodeReading(Self.status(result)) }
        var reading = CodeReading(.read)
        reading.text = text.withOctets { Array($0.prefix(found.count)) }
        reading.isInverted = found.inverted
        reading.isMirrored = found.mirrored
        reading.corners = CodeCorners(found.corners)
        return reading
    }

    /// What the library does not look for by itself is looked for in every fourth picture, light on dark and mirrored in turn, if the
    /// picture as it is has no code; and in the first, which may be the only one.
    private func nextLooks() -> UInt32 {
        defer { pictures = pictures &+ 1 }
        let (inverted, mirrored) = (CODE_LOOK_INVERTED.rawValue, CODE_LOOK_MIRRORED.rawValue)
        return pictures == 0 ? inverted | mirrored : pictures & 3 == 2 ? inverted : pictures & 3 == 3 ? mirrored : 0
    }

    /// The digest is the standard library's, SipHash under a key of this process.
    private static func firstTurn() -> code_turn {
        var turn = code_turn()
        turn.number_of = { text, count in
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(start: text, count: count))
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        return turn
    }

    private static func status(_ result: Int32) -> CodeReading.Status {
        switch code_result(UInt32(bitPattern: result)) {
        case CODE_NOTHING: .nothing
        case CODE_REFUSED, CODE_TOO_LONG: .refused
        default: .failed
        }
    }
}

extension CodeCorners {
    fileprivate init(_ corners: (code_point, code_point, code_point, code_point)) {
        self.init()
        upperLeft = CodePoint(corners.0)
        upperRight = CodePoint(corners.1)
        lowerRight = CodePoint(corners.2)
        lowerLeft = CodePoint(corners.3)
    }
}

extension CodePoint {
    fileprivate init(_ point: code_point) {
        self.init(x: Int16(clamping: point.x), y: Int16(clamping: point.y))
    }
}
