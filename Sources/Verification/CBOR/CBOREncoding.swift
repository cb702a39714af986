/// Encodings put together from encodings, with shortest heads and definite lengths.
///
/// For structures whose pairs have an order of their own: `CBORWriter` sorts them, and a standard's example does not. Nobody checks here
/// that a map has no key twice.
public enum CBOREncoding {
    /// "Encoded CBOR data item" (RFC 8949 section 3.4.5.1).
    public static let embeddedTag: UInt64 = 24

    public static func unsigned(_ value: UInt64) -> [UInt8] { head(0, value) }

    public static func integer(_ value: Int64) -> [UInt8] {
        // ~value is -1 - value, and never overflows.
        value >= 0 ? head(0, UInt64(value)) : head(1, UInt64(~value))
    }

    public static func bytes(_ value: some Collection<UInt8>) -> [UInt8] { head(2, UInt64(value.count)) + value }

    public static func text(_ value: String) -> [UInt8] { head(3, UInt64(value.utf8.count)) + value.utf8 }

    /// - Parameter items: encodings, each of one item.
    public static func array(_ items: [[UInt8]]) -> [UInt8] { head(4, UInt64(items.count)) + items.joined() }

    /// - Parameter pairs: encodings, each of one item, in the order in which they are written.
    public static func map(_ pairs: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
        pairs.reduce(into: head(5, UInt64(pairs.count))) { octets, pair in octets += pair.key + pair.value }
    }

    public static func tag(_ number: UInt64, _ item: [UInt8]) -> [UInt8] { head(6, number) + item }

    /// `#6.24(bstr item)`.
    public static func embedded(_ item: [UInt8]) -> [UInt8] { tag(embeddedTag, bytes(item)) }

    public static func bool(_ value: Bool) -> [UInt8] { head(7, value ? 21 : 20) }

    public static let null: [UInt8] = head(7, 22)

    private static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        let width = CBORHead.width(of: argument)
        let information: UInt8 =
            switch width {
            case 0: UInt8(truncatingIfNeeded: argument)
            case 1: 24
            case 2: 25
            case 4: 26
            default: 27
            }
        return [major << 5 | information] + (0..<width).reversed().map { UInt8(truncatingIfNeeded: argument >> (8 * UInt64($0))) }
    }
}
