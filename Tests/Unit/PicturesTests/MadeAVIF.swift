/// Octets of an AVIF, as boxes around one frame. No encoder of AV1 is among the packages: the frames are what one made of these pixels.
struct MadeAVIF {
    /// 24 by 18: red from 40 to 190 from the left, green from 60 to 180 from the top, blue from 200 to 100 from the left.
    static let pixels = Pixels(width: 24, height: 18)

    enum Frame: String, CaseIterable {
        case chroma420 =
            """
            12000a0918112f16c808683420324713c78786650001e10000000045d376bd23a5b0af25f8e0a73a0cab3432ab1549de2860b067934fc34c947188651d7d\
            d5b5466d389a174be6af2e6e1975941b0ac429ac832f7880
            """
        case chroma422 =
            """
            12000a0958112f16c808683480324513c21b328000f0800000000045d376bd4fc6128ff230c916718d2301d595add5e1511d8d476e9f4a724023640a449f\
            616043169540c014810543ffb0fff5f2e08869a3d920
            """
        case chroma444 =
            """
            12000a0838112f16d010d069324513c263268000f0800000000045d376b536213c83ca7b8a9010601a1750ab3a179e177697749d3edc1b74547ad60c6084\
            1ad5cb21eeaf7d6da9f219b2ae872e04f510d2c570
            """
        case grey = "12000a0818112f16d8086835322413c6650001e1000045d35decb37fc0e2cfa036019a67eb111b11c08f9fa9fa17c702bfd0"
        case limitedRange =
            """
            12000a0918112f16c808683020324313c78786650001e10000000045d376bd6b2580c8ffd0769441de29bda6047eb77ac31ced87c75b3206f2eba3ba6a84\
            5d55b26c479abb057baac7986f8b663c615ba730
            """

        var octets: [UInt8] {
            let digits = rawValue.compactMap(\.hexDigitValue)
            return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        }
    }

    var major = "avif"
    var compatible = ["avif", "mif1", "miaf"]
    var type = "av01"
    var properties: [(box: [UInt8], isEssential: Bool)]
    var frame: [UInt8]
    var width = 24
    var height = 18
    /// Further boxes of `meta`.
    var more: [UInt8] = []
    /// Of `iloc`.
    var method = 0
    var reference = 0
    var extents = 1
    var shift = 0
    var handler = "pict"

    init(_ frame: Frame = .chroma420) {
        self.frame = frame.octets
        let isGrey = frame == .grey
        properties = [
            (Self.full("pixi", isGrey ? [1, 8] : [3, 8, 8, 8]), false),
            (MadeJP2.box("av1C", [0x81, 0, 0x0C, 0]), true),
        ]
    }

    static func full(_ type: String, version: UInt8 = 0, _ content: [UInt8]) -> [UInt8] { MadeJP2.box(type, [version, 0, 0, 0] + content) }
    static func big16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }
    static func colours(_ matrix: Int, full: Bool) -> [UInt8] {
        let numbers: [UInt8] = [0, 1, 0, 13] + big16(matrix)
        return MadeJP2.box("colr", Array("nclx".utf8) + numbers + [full ? 0x80 : 0])
    }

    private func meta(_ place: Int) -> [UInt8] {
        let size = Self.full("ispe", MadeJP2.big32(width) + MadeJP2.big32(height))
        let all = [(box: size, isEssential: false)] + properties
        let numbers: [UInt8] = all.indices.map { UInt8($0 + 1) | (all[$0].isEssential ? 0x80 : 0) }
        var associations = MadeJP2.big32(1) + Self.big16(1)
        associations += [UInt8(numbers.count)] + numbers
        var item: [UInt8] = [0x44, 0, 0, 1]
        for number in [1, method, reference, extents] { item += Self.big16(number) }
        for _ in 0..<extents { item += MadeJP2.big32(place) + MadeJP2.big32(frame.count) }
        let entry: [UInt8] = [0, 1, 0, 0] + Array(type.utf8) + [0]
        var content = Self.full("hdlr", [0, 0, 0, 0] + Array(handler.utf8) + [UInt8](repeating: 0, count: 13))
        content += Self.full("pitm", [0, 1])
        content += Self.full("iloc", version: 1, item)
        content += Self.full("iinf", [0, 1] + Self.full("infe", version: 2, entry))
        content += MadeJP2.box("iprp", MadeJP2.box("ipco", all.flatMap(\.box)) + Self.full("ipma", associations))
        if method == 1 { content += MadeJP2.box("idat", frame) }
        return Self.full("meta", content + more)
    }

    var octets: [UInt8] {
        let brands: [UInt8] = compatible.flatMap { Array($0.utf8) }
        let type = MadeJP2.box("ftyp", Array(major.utf8) + [0, 0, 0, 0] + brands)
        if method == 1 { return type + meta(shift) }
        let place = type.count + meta(0).count + 8 + shift
        return type + meta(place) + MadeJP2.box("mdat", frame)
    }
}
