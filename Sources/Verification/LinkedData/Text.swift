import JSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A string that is equal only to itself, octet for octet.
///
/// `String.==` calls "é" and "e\u{301}" equal. Terms and IRIs that differ in octets are different names to the signer, so they are
/// different here.
public struct Text: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    private enum Storage {
        case string(String)
        case source(Source)
    }

    /// Behind a reference, so that a text is no larger than a string.
    private final class Source: Sendable {
        let value: JSONValue
        init(_ value: JSONValue) { self.value = value }
    }

    private let storage: Storage

    public init(_ string: String) { storage = .string(string) }
    public init(stringLiteral string: StaticString) { storage = .string("\(string)") }
    init(decoding octets: some Collection<UInt8>) { storage = .string(String(decoding: octets, as: UTF8.self)) }

    /// What the string in a document stands for; nil for any other value. A long one that needs no copy stays where it is: portraits are
    /// hundreds of kilobytes.
    init?(_ value: JSONValue) {
        if value.isPlainString, value.sourceRange.count > Text.long {
            storage = .source(Source(value))
        } else {
            guard let string = value.string else { return nil }
            storage = .string(string)
        }
    }

    /// Octets above which a text is long.
    private static let long = 4 << 10

    public var string: String {
        switch storage {
        case .string(let string): string
        case .source(let source): source.value.string ?? ""
        }
    }

    /// Whether it lies in a document. To ask for its `utf8` is to copy it.
    var isSource: Bool { if case .source = storage { true } else { false } }

    public var description: String { string }
    public var isEmpty: Bool { count == 0 }
    /// Octets.
    var count: Int { withOctets { $0.count } }
    var utf8: String.UTF8View { string.utf8 }

    public static func == (one: Text, other: Text) -> Bool {
        let count = one.count
        guard count == other.count else { return false }
        return one.withOctets { mine in
            other.withOctets { theirs in
                guard let here = mine.baseAddress, let there = theirs.baseAddress else { return count == 0 }
                return here == there || memcmp(here, there, count) == 0
            }
        }
    }

    /// The order of code points, which is the order of UTF-8 octets.
    public static func < (one: Text, other: Text) -> Bool {
        one.withOctets { mine in other.withOctets { theirs in mine.precedes(theirs) } }
    }

    /// Octets at each end of a long text that its hash is made of. A portrait is hundreds of kilobytes: to hash them all would cost more
    /// than its signature. Texts that differ in between alone collide, but documents hold few that are this long.
    private static let hashedEnds = Text.long / 2

    public func hash(into hasher: inout Hasher) {
        withOctets { octets in
            hasher.combine(octets.count)
            if octets.count <= Text.long {
                hasher.combine(bytes: octets)
            } else {
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: octets.prefix(Text.hashedEnds)))
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: octets.suffix(Text.hashedEnds)))
            }
        }
    }

    /// The UTF-8 where it lies. Native strings have it in one piece; any other is copied.
    func withOctets<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch storage {
        case .string(let string):
            if let result = string.utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
            return Array(string.utf8).withUnsafeBytes(body)
        case .source(let source):
            return source.value.withSource { octets in
                octets.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropFirst().dropLast())) }
            }
        }
    }

    func contains(_ byte: Character) -> Bool {
        guard let wanted = byte.asciiValue else { return false }
        return withOctets { octets in octets.baseAddress.map { memchr($0, Int32(wanted), octets.count) != nil } ?? false }
    }

    /// The two sides of the first colon that is not the first octet; nil when there is none.
    var splitAtColon: (prefix: Text, suffix: Text)? {
        withOctets { octets in
            guard let colon = octets.dropFirst().firstIndex(of: UInt8(ascii: ":")) else { return nil }
            return (Text(decoding: octets[..<colon]), Text(decoding: octets[(colon + 1)...]))
        }
    }

    static func + (one: Text, other: Text) -> Text { Text(one.string + other.string) }
}

extension UnsafeRawBufferPointer {
    /// Octet by octet; a beginning comes before the whole.
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        // Empty buffers may have no address.
        guard let mine = baseAddress, let theirs = other.baseAddress else { return count < other.count }
        let order = memcmp(mine, theirs, Swift.min(count, other.count))
        return order == 0 ? count < other.count : order < 0
    }

    /// Below, above or equal to zero, for buffers of one length.
    func order(to other: UnsafeRawBufferPointer) -> Int32 {
        guard let mine = baseAddress, let theirs = other.baseAddress else { return 0 }
        return memcmp(mine, theirs, Swift.min(count, other.count))
    }
}
