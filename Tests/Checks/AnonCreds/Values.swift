import JSON
import TestSupport

/// The hexadecimal numbers of the files, as octets of the form that is hashed (anoncreds.md section 6).
enum Values {
    static func hex(_ value: JSONValue?) -> [UInt8] { value?.string.flatMap { Hex.decode($0.utf8) } ?? [] }

    /// A scalar, padded.
    static func number(_ text: String) -> [UInt8] {
        Hex.decode((String(repeating: "0", count: max(64 - text.utf8.count, 0)) + text).utf8) ?? []
    }

    /// Elements of a field in one list or in lists of two.
    static func elements(_ value: JSONValue?) -> [UInt8] {
        guard let value else { return [] }
        if let elements = value.elements { return elements.flatMap { Self.elements($0) } }
        return value.string.map { number($0) } ?? []
    }

    /// `{x, y}`.
    static func g1(_ value: JSONValue?) -> [UInt8] { padded([4] + elements(value?["x"]) + elements(value?["y"]), 128) }
    static func g2(_ value: JSONValue?) -> [UInt8] { elements(value?["x"]) + elements(value?["y"]) }

    /// `[x, y]`.
    static func g1(list value: JSONValue?) -> [UInt8] { padded([4] + elements(value), 128) }
    static func g2(list value: JSONValue?) -> [UInt8] { elements(value) }

    static func gt(_ value: JSONValue?) -> [UInt8] { padded(elements(value), 512) }

    private static func padded(_ octets: [UInt8], _ length: Int) -> [UInt8] {
        octets + [UInt8](repeating: 0, count: max(length - octets.count, 0))
    }
}
