import Cryptography
import Envelopes
import JSON

/// The highest number of each kind of order that a gate has taken, so that it takes none twice.
///
/// On the disk it is one line of JSON that ends with a digest of the rest, so that damage is seen and not taken for lower numbers:
/// `{"gatehouse-orders":1,"numbers":{"site":2,"time":5},"sha256":"..."}` and a newline. Kinds that this program does not know are kept: one
/// that is put back to an older version must not forget them.
public struct OrderNumbers: Hashable, Sendable {
    /// Octets of the longest encoding.
    public static let longest = 4096
    private static let mostKinds = 32
    private static let longestKind = 32

    private var numbers: [String: Int64] = [:]

    public init() {}

    /// 0 before the first.
    public func highest(_ kind: Order.Kind) -> Int64 { numbers[kind.rawValue] ?? 0 }

    /// Takes note of an order. A lower number changes nothing.
    public mutating func raise(_ kind: Order.Kind, to number: Int64) {
        numbers[kind.rawValue] = min(max(highest(kind), number), TrustBundle.largestSequence)
    }

    /// The higher number of each kind.
    public func union(_ other: OrderNumbers) -> OrderNumbers {
        var union = self
        union.numbers.merge(other.numbers) { max($0, $1) }
        return union
    }

    /// Nil when there is no SHA-256.
    public var encoded: [UInt8]? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("gatehouse-orders", 1)
        writer.name("numbers")
        writer.object { writer in
            for (kind, number) in numbers.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) { writer.member(kind, number) }
        }
        guard let digest = try? Digest.hash(writer.bytes.span, .sha256) else { return nil }
        writer.member("sha256", Hexadecimal.text(digest))
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// Nil when the octets are not exactly what `encoded` gives.
    public init?(decoding octets: [UInt8]) {
        guard octets.count <= Self.longest, let members = try? JSONDocument(parsing: octets).root["numbers"]?.members,
            members.count <= Self.mostKinds
        else { return nil }
        for member in members {
            let isName = 1...Self.longestKind ~= member.name.utf8.count && member.name.utf8.allSatisfy { 0x61...0x7A ~= $0 }
            guard isName, let number = member.value.int64, 1...TrustBundle.largestSequence ~= number else { return nil }
            numbers[member.name] = number
        }
        guard encoded == octets else { return nil }
    }
}
