import CQREncode

/// A QR code drawn by libqrencode, black on white: what a camera would see, had it no lens.
public struct DrawnCode: Sendable {
    public enum Content: Sendable {
        case numeric
        case alphanumeric
        case octets
        case kanji
        /// Octets with the number of their alphabet before them.
        case alphabet(UInt32)
        case micro
    }

    public private(set) var width: Int
    public private(set) var height: Int
    /// An octet for each, rows without gaps.
    public private(set) var pixels: [UInt8]

    /// - Parameters:
    ///   - version: 1 to 40; 0 for the smallest that holds the text.
    ///   - module: pixels along a module's side.
    /// - Returns: nil where the text does not fit, or does not have such octets.
    public init?(_ text: [UInt8], _ content: Content = .octets, version: Int32 = 0, module: Int = 4) {
        let isMicro = if case .micro = content { true } else { false }
        guard let input = isMicro ? QRinput_newMQR(max(version, 3), QR_ECLEVEL_L) : QRinput_new2(version, QR_ECLEVEL_L) else { return nil }
        defer { QRinput_free(input) }
        if case .alphabet(let number) = content, QRinput_appendECIheader(input, number) != 0 { return nil }
        let mode =
            switch content {
            case .numeric, .micro: QR_MODE_NUM
            case .alphanumeric: QR_MODE_AN
            case .kanji: QR_MODE_KANJI
            case .octets, .alphabet: QR_MODE_8
            }
        guard QRinput_append(input, mode, Int32(text.count), text) == 0, let code = QRcode_encodeInput(input) else { return nil }
        defer { QRcode_free(code) }
        self.init(code, module)
    }

    /// The parts of a text that is more than one code's.
    public static func parts(_ text: [UInt8], version: Int32, module: Int = 4) -> [DrawnCode] {
        guard var entry = QRcode_encodeDataStructured(Int32(text.count), text, version, QR_ECLEVEL_L) else { return [] }
        let first = entry
        defer { QRcode_List_free(first) }
        var codes: [DrawnCode] = []
        while true {
            if let code = entry.pointee.code { codes.append(DrawnCode(code, module)) }
            guard let next = entry.pointee.next else { return codes }
            entry = next
        }
    }

    private init(_ code: UnsafeMutablePointer<QRcode>, _ module: Int) {
        // ISO/IEC 18004: four modules of white around it.
        let modules = Int(code.pointee.width), side = (modules + 8) * module
        (width, height) = (side, side)
        pixels = [UInt8](repeating: 255, count: side * side)
        for row in 0..<modules {
            for column in 0..<modules where code.pointee.data[row * modules + column] & 1 == 1 {
                for line in 0..<module {
                    let start = ((row + 4) * module + line) * side + (column + 4) * module
                    for pixel in start..<start + module { pixels[pixel] = 0 }
                }
            }
        }
    }

    // MARK: the same, otherwise

    public func inverted() -> DrawnCode {
        var other = self
        other.pixels = pixels.map { ~$0 }
        return other
    }

    public func mirrored() -> DrawnCode { redrawn { (width - 1 - $0, $1) } }

    /// About its middle, clockwise.
    public func turned(sine: Double, cosine: Double) -> DrawnCode {
        let (x, y) = (Double(width - 1) / 2, Double(height - 1) / 2)
        return redrawn { column, row in
            let (right, down) = (Double(column) - x, Double(row) - y)
            return (Int((x + cosine * right + sine * down).rounded()), Int((y - sine * right + cosine * down).rounded()))
        }
    }

    /// In the middle of white paper.
    public func on(width: Int, height: Int) -> DrawnCode {
        var other = self
        let (left, top) = ((width - self.width) / 2, (height - self.height) / 2)
        (other.width, other.height) = (width, height)
        other.pixels = [UInt8](repeating: 255, count: width * height)
        for row in 0..<height {
            for column in 0..<width { other.pixels[row * width + column] = pixel(column - left, row - top) }
        }
        return other
    }

    private func redrawn(_ place: (Int, Int) -> (Int, Int)) -> DrawnCode {
        var other = self
        for row in 0..<height {
            for column in 0..<width {
                let (x, y) = place(column, row)
                other.pixels[row * width + column] = pixel(x, y)
            }
        }
        return other
    }

    private func pixel(_ x: Int, _ y: Int) -> UInt8 {
        x >= 0 && y >= 0 && x < width && y < height ? pixels[y * width + x] : 255
    }

    // MARK: as a camera or a file has it

    public var rgb24: [UInt8] { pixels.flatMap { [$0, $0, $0] } }
    /// Four octets for two pixels; the width has to be even.
    public var yuyv: [UInt8] { pixels.flatMap { [$0, 128] } }
}
