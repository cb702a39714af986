import CPortraitEncoding
import Glibc

/// Octets of a WebP, as chunks (RFC 9649 section 2.3).
struct MadeWebP {
    var chunks: [(name: String, content: [UInt8])]

    init(_ pixels: Pixels, lossless: Bool = false, alpha: ((_ x: Int, _ y: Int) -> UInt8)? = nil, quality: Float = 95) {
        var making = webp_making(
            width: UInt32(pixels.width), height: UInt32(pixels.height), has_alpha: alpha != nil, is_lossless: lossless, quality: quality)
        var source = pixels.octets
        if let alpha {
            source = []
            for y in 0..<pixels.height {
                for x in 0..<pixels.width { source += pixels[x, y] + [alpha(x, y)] }
            }
        }
        var count = 0
        let made = webp_make(&making, source, &count)
        let octets = Array(UnsafeBufferPointer(start: made, count: count))
        free(made)
        chunks = []
        var position = 12
        while position + 8 <= octets.count {
            let size = octets[position + 4..<position + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            chunks.append(
                (String(decoding: octets[position..<position + 4], as: UTF8.self), Array(octets[position + 8..<position + 8 + size])))
            position += 8 + size + size % 2
        }
    }

    static func little32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> ($0 * 8) & 0xFF) } }

    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little32(content.count) + content + (content.count % 2 == 0 ? [] : [0])
    }

    /// VP8X with flags, and the canvas' size.
    static func extended(_ width: Int, _ height: Int, flags: UInt8) -> (name: String, content: [UInt8]) {
        ("VP8X", [flags, 0, 0, 0] + little32(width - 1).prefix(3) + little32(height - 1).prefix(3))
    }

    var octets: [UInt8] {
        let body = chunks.flatMap { Self.chunk($0.name, $0.content) }
        return Array("RIFF".utf8) + Self.little32(body.count + 4) + Array("WEBP".utf8) + body
    }
}
