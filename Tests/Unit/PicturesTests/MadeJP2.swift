import CPortraitEncoding
import Glibc

/// Octets of a JPEG 2000 picture, and surgery on its boxes and markers.
struct MadeJP2 {
    var octets: [UInt8]

    static let sRGB: Int32 = 1
    static let grey: Int32 = 2
    static let sYCC: Int32 = 3

    init(_ pixels: Pixels, components: Int = 3, _ change: (inout jp2_making) -> Void = { _ in }) {
        var making = jp2_making(
            width: UInt32(pixels.width), height: UInt32(pixels.height), components: UInt32(components), precision: 8, is_signed: false,
            halved: 0, left: 0, tile: 0, levels: 3, layers: 1, block: 32, precinct: 0, is_irreversible: false, is_file: true,
            colours: components < 3 ? Self.grey : Self.sRGB, has_alpha: false)
        change(&making)
        var samples: [Int32] = []
        for component in 0..<Int(making.components) {
            let step = making.halved != 0 && component > 0 ? 2 : 1
            for y in stride(from: 0, to: pixels.height, by: step) {
                for x in stride(from: 0, to: pixels.width, by: step) {
                    let sample = Int32(pixels[x, y][component % 3])
                    samples.append(making.precision > 8 ? sample << Int32(making.precision - 8) : sample)
                }
            }
        }
        var count = 0
        let made = jp2_make(&making, samples, &count)
        octets = Array(UnsafeBufferPointer(start: made, count: count))
        free(made)
    }

    /// The code stream, in a file or not.
    var stream: Range<Int> {
        guard octets.starts(with: [0, 0]) else { return 0..<octets.count }
        let begin = (octets.indices.first { octets[$0...].starts(with: Array("jp2c".utf8)) } ?? 0) + 4
        return begin..<octets.count
    }

    /// Where the content of a marker segment begins, behind its length.
    func segment(_ marker: UInt8) -> Int {
        (octets[stream].indices.first { octets[$0...].starts(with: [0xFF, marker]) } ?? 0) + 4
    }

    func replacing(at position: Int, _ changed: [UInt8]) -> [UInt8] {
        var copy = octets
        copy.replaceSubrange(position..<position + changed.count, with: changed)
        return copy
    }

    func inserting(_ added: [UInt8], at position: Int) -> [UInt8] { Array(octets[..<position]) + added + Array(octets[position...]) }

    static func big32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - $0 * 8) & 0xFF) } }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] { big32(content.count + 8) + Array(type.utf8) + content }
}
