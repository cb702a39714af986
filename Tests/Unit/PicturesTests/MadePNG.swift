import CZlib

/// A PNG written by hand, so that every chunk of it can be another one.
struct MadePNG {
    struct Chunk {
        var type: String
        var content: [UInt8]
        /// Flipped in the check sum.
        var damage: UInt32 = 0

        var octets: [UInt8] {
            let body = Array(type.utf8) + content
            let sum = body.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32(0, $0.baseAddress, UInt32($0.count))) }
            return big(UInt32(content.count)) + body + big(sum ^ damage)
        }
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    var chunks: [Chunk]

    var octets: [UInt8] { Self.signature + chunks.flatMap(\.octets) }

    /// - Parameters:
    ///   - colours: the colour type: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA.
    ///   - sample: of a pixel, as many numbers as the colour type has, each below 2 to the power of `depth`.
    init(
        width: Int, height: Int, colours: UInt8, depth: Int, interlaced: Bool = false, before: [Chunk] = [],
        sample: (_ x: Int, _ y: Int) -> [Int]
    ) {
        var rows: [UInt8] = []
        let passes =
            interlaced
            ? [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)] : [(0, 0, 1, 1)]
        for (left, top, across, down) in passes where left < width {
            for y in stride(from: top, to: height, by: down) {
                rows.append(0)
                rows += Self.pack(stride(from: left, to: width, by: across).flatMap { sample($0, y) }, depth)
            }
        }
        chunks = [Self.header(width, height, colours: colours, depth: depth, interlaced: interlaced)]
        chunks += before
        chunks += [Chunk(type: "IDAT", content: Self.deflate(rows)), Chunk(type: "IEND", content: [])]
    }

    static func header(_ width: Int, _ height: Int, colours: UInt8 = 2, depth: Int = 8, interlaced: Bool = false) -> Chunk {
        Chunk(type: "IHDR", content: big(UInt32(width)) + big(UInt32(height)) + [UInt8(depth), colours, 0, 0, interlaced ? 1 : 0])
    }

    static func deflate(_ octets: [UInt8]) -> [UInt8] {
        var count = compressBound(UInt(octets.count))
        var deflated = [UInt8](repeating: 0, count: Int(count))
        precondition(compress2(&deflated, &count, octets, UInt(octets.count), 9) == Z_OK)
        return Array(deflated.prefix(Int(count)))
    }

    private static func pack(_ samples: [Int], _ depth: Int) -> [UInt8] {
        guard depth < 8 else { return samples.flatMap { depth == 16 ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0)] } }
        let each = 8 / depth
        return stride(from: 0, to: samples.count, by: each).map { begin in
            (0..<each).reduce(UInt8(0)) { octet, place in
                let index = begin + place
                return octet << UInt8(depth) | (index < samples.count ? UInt8(samples[index]) : 0)
            }
        }
    }
}

private func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
