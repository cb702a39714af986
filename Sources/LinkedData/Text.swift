/// A string that is equal only to itself, octet for octet.
///
/// `String.==` calls "é" and "e\u{301}" equal. Terms and IRIs that differ in octets are different names to the signer, so they are different here.
public struct Text: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let string: String

    public init(_ string: String) { self.string = string }
    public init(stringLiteral string: StaticString) { self.string = "\(string)" }
    init(decoding octets: some Collection<UInt8>) { string = String(decoding: octets, as: UTF8.self) }

    public var description: String { string }
    public var isEmpty: Bool { string.isEmpty }
    var utf8: String.UTF8View { string.utf8 }

    public static func == (one: Text, other: Text) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        let equal = one.utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { theirs in
                for index in 0..<min(mine.count, theirs.count) where mine[index] != theirs[index] { return false }
                return true
            }
        }
        return (equal ?? nil) ?? one.utf8.elementsEqual(other.utf8)
    }

    /// The order of code points, which is the order of UTF-8 octets.
    public static func < (one: Text, other: Text) -> Bool { one.utf8.lexicographicallyPrecedes(other.utf8) }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        let hashed: Void? = utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        if hashed == nil { for byte in utf8 { hasher.combine(byte) } }
    }

    func contains(_ byte: Character) -> Bool {
        guard let wanted = byte.asciiValue else { return false }
        return utf8.contains(wanted)
    }

    /// The two sides of the first colon that is not the first octet; nil when there is none.
    var splitAtColon: (prefix: Text, suffix: Text)? {
        guard let colon = utf8.dropFirst().firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (Text(String(string[..<colon])), Text(String(string[utf8.index(after: colon)...])))
    }

    static func + (one: Text, other: Text) -> Text { Text(one.string + other.string) }
}
