/// A number as it was written. JSON numbers have no size, so the lexeme is the value; the accessors say when a machine type cannot hold it.
public struct JSONNumber: Hashable, Sendable {
    /// Exactly the source text, for example `-0`, `4.0030E2`.
    public let lexeme: String

    /// The value when the lexeme is an integer without point or exponent that fits, else nil.
    public var int64: Int64? { Int64(lexeme) }

    /// The nearest double, or nil when the number is too large for one.
    public var double: Double? {
        guard let value = Double(lexeme), value.isFinite else { return nil }
        return value
    }

    /// Checks the number at `start` (RFC 8259 section 6); returns the offset after it.
    static func scan(_ bytes: Span<UInt8>, from start: Int, limit: Int) throws(JSONError) -> Int {
        var position = start
        func byte(_ at: Int) -> UInt8 { at < bytes.count ? bytes[at] : 0 }
        func digits(_ from: Int) throws(JSONError) -> Int {
            var end = from
            while end < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[end] { end += 1 }
            guard end > from else { throw JSONError(end < bytes.count ? .invalidNumber : .truncated, at: end) }
            return end
        }
        if byte(position) == UInt8(ascii: "-") { position += 1 }
        let integer = position
        position = try digits(position)
        guard bytes[integer] != UInt8(ascii: "0") || position == integer + 1 else { throw JSONError(.invalidNumber, at: integer) }
        if byte(position) == UInt8(ascii: ".") { position = try digits(position + 1) }
        if byte(position) | 0x20 == UInt8(ascii: "e") {
            position += 1
            if byte(position) == UInt8(ascii: "+") || byte(position) == UInt8(ascii: "-") { position += 1 }
            position = try digits(position)
        }
        guard position - start <= limit else { throw JSONError(.numberTooLong, at: start) }
        return position
    }
}
