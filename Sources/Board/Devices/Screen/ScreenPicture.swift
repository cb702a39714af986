import CZlib

/// What a screen of some size would show, as a picture for documents and for whoever chooses a language: `gatehouse screen --render`.
public struct ScreenPicture: ~Copyable {
    private var painter: SignPainter

    public var width: Int { painter.width }
    public var height: Int { painter.height }

    /// - Parameters:
    ///   - width, height: as the picture is seen, in pixels, each at most 16,384.
    public init(width: Int, height: Int, scale: Int = 100, words: [WordSheet]) {
        painter = SignPainter(width: width, height: height, sheets: words, scale: scale)
    }

    public mutating func show(_ uri: String) throws(ScreenError) {
        var uri = uri
        let made = uri.withUTF8 { octets in
            do throws(ScreenError) {
                try painter.show(UnsafeRawBufferPointer(octets))
                return Result<Void, ScreenError>.success(())
            } catch {
                return .failure(error)
            }
        }
        try made.get()
    }

    public mutating func tell(_ sign: Sign) { painter.tell(sign) }

    public mutating func list(_ verdicts: [VerdictLine]) { painter.list(verdicts) }

    /// The picture as PNG (ISO/IEC 15948): a palette, and an octet for each pixel.
    public func png() -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity((width + 1) * height)
        painter.withOctets { octets in
            for row in 0..<height {
                // No filter.
                lines.append(0)
                lines += octets[row * width..<(row + 1) * width]
            }
        }
        var packed = [UInt8](repeating: 0, count: Int(compressBound(uLong(lines.count)))), length = uLongf(packed.count)
        guard compress2(&packed, &length, lines, uLong(lines.count), 9) == Z_OK else { return [] }
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // Eight bits, a palette, no interlacing.
        file += Self.chunk("IHDR", Self.bigEndian(UInt32(width)) + Self.bigEndian(UInt32(height)) + [8, 3, 0, 0, 0])
        file += Self.chunk("PLTE", Ink.colours.flatMap { [$0.red, $0.green, $0.blue] })
        file += Self.chunk("IDAT", Array(packed[..<Int(length)]))
        return file + Self.chunk("IEND", [])
    }

    private static func chunk(_ name: StaticString, _ content: [UInt8]) -> [UInt8] {
        let body = Array(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)) + content
        let check = body.withUnsafeBufferPointer { crc32(0, $0.baseAddress, uInt($0.count)) }
        return bigEndian(UInt32(content.count)) + body + bigEndian(UInt32(truncatingIfNeeded: check))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
}
