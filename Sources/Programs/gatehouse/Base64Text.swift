/// Octets as text that stands in a line.
enum Base64Text {
    /// RFC 4648 section 4, padded.
    static func of(_ octets: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(octets.count / 3 * 4 + 4)
        for start in stride(from: 0, to: octets.count, by: 3) {
            let three = octets[start..<min(start + 3, octets.count)]
            let bits = three.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - three.count))
            for place in 0..<4 { text.append(place <= three.count ? digits[Int(bits >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "=")) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
