/// Octets in the 45 characters of a QR code's alphanumeric mode (RFC 9285 section 4).
public func base45(_ octets: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: octets.count, by: 2) {
        let isWhole = start + 1 < octets.count
        var number = isWhole ? Int(octets[start]) << 8 | Int(octets[start + 1]) : Int(octets[start])
        for _ in 0..<(isWhole ? 3 : 2) {
            text.append(digits[number % 45])
            number /= 45
        }
    }
    return text
}

/// The text of a code as PixelPass makes it: `base45(zlib(content))`.
public func pixelPass(_ content: [UInt8]) -> [UInt8] { base45(deflated(content, windowBits: 15, level: 9)) }
