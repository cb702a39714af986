/// An absolute address as this module needs one: octets that stay what they are (RFC 3986).
enum CallbackAddress {
    /// Whether it is http or https with a host, in visible ASCII and without a fragment.
    static func isUsable(_ text: String) -> Bool {
        for scheme in ["https://", "http://"] where text.utf8.starts(with: scheme.utf8) {
            let rest = text.utf8.dropFirst(scheme.utf8.count)
            guard let first = rest.first, !"/?#".utf8.contains(first) else { return false }
            return rest.allSatisfy { isVisible($0) && $0 != UInt8(ascii: "#") }
        }
        return false
    }

    /// ASCII that is neither a blank nor a control character.
    static func isVisible(_ octet: UInt8) -> Bool { 0x21...0x7E ~= octet }

    /// What the wallet puts between the request's address and its own parameters: nothing where a separator is there already.
    static func separator(after text: String) -> [UInt8] {
        guard text.utf8.contains(UInt8(ascii: "?")) else { return [UInt8(ascii: "?")] }
        return text.utf8.last.map { "?&".utf8.contains($0) } == true ? [] : [UInt8(ascii: "&")]
    }

    /// A query's value: everything but RFC 3986's unreserved characters as a percent sign and two digits.
    static func escaped(_ value: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for octet in value.utf8 {
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                text.append(octet)
            default:
                text += [UInt8(ascii: "%"), digits[Int(octet >> 4)], digits[Int(octet & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
