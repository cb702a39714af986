import Cryptography
import Envelopes
import JSON

/// How far a gate has come, so that it never goes back: the newest bundle it had, and a time that has certainly passed.
///
/// On the disk it is one line of JSON that ends with a digest of the rest, so that damage is seen and not taken for a lower mark.
public struct HighWater: Hashable, Sendable {
    /// Of the newest bundle; 0 before the first.
    public private(set) var sequence: Int64 = 0
    /// SHA-256 of that bundle's payload, as 64 lower-case digits; empty before the first.
    public private(set) var bundle = ""
    /// Seconds since 1970; 0 before anything was known.
    public private(set) var time: Seconds = 0

    public init() {}

    /// Octets of the longest encoding.
    public static let longest = 1024

    /// Takes note of a newer bundle and of the time it was made. A bundle that is not newer changes only the time.
    public mutating func raise(to bundle: TrustBundle) throws(TrustBundleError) {
        if bundle.sequence > sequence {
            self.bundle = try Self.digest(of: bundle)
            sequence = bundle.sequence
        }
        raise(toTime: bundle.created)
    }

    /// Takes note that `time` has passed; earlier ones change nothing. Only for signed times, and for what has gone by since: a board's own
    /// clock may be wrong.
    public mutating func raise(toTime time: Seconds) {
        self.time = min(max(self.time, time), Timestamp.latest)
    }

    /// The further of two marks of one gate, in each of their parts.
    public func union(_ other: HighWater) -> HighWater {
        var union = other.sequence > sequence ? other : self
        union.time = max(time, other.time)
        return union
    }

    /// Whether `bundle` is the very bundle this mark was made for.
    public func isOf(_ bundle: TrustBundle) throws(TrustBundleError) -> Bool {
        guard bundle.sequence == sequence else { return false }
        return try Self.digest(of: bundle) == self.bundle
    }

    private static func digest(of bundle: TrustBundle) throws(TrustBundleError) -> String {
        let payload = try bundle.encoded()
        guard let digest = hexadecimal(payload) else { throw .noDigest }
        return digest
    }

    /// SHA-256 as 64 lower-case digits; nil where there is none.
    public static func hexadecimal(_ octets: [UInt8]) -> String? {
        guard let digest = try? Digest.hash(octets.span, .sha256) else { return nil }
        return Hexadecimal.text(digest)
    }

    // MARK: On the disk

    /// `{"gatehouse-highwater":1,"sequence":7,"bundle":"...","time":1800000000,"sha256":"..."}` and a newline. Nil when there is no
    /// SHA-256.
    public var encoded: [UInt8]? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("gatehouse-highwater", 1)
        writer.member("sequence", sequence)
        writer.member("bundle", bundle)
        writer.member("time", time)
        guard let check = Self.hexadecimal(writer.bytes) else { return nil }
        writer.member("sha256", check)
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// Nil when the octets are not exactly what `encoded` gives.
    public init?(decoding octets: [UInt8]) {
        guard octets.count <= Self.longest, let root = try? JSONDocument(parsing: octets).root,
            let sequence = root["sequence"]?.int64, 0...TrustBundle.largestSequence ~= sequence,
            let time = root["time"]?.int64, 0...Timestamp.latest ~= time, let bundle = root["bundle"]?.string
        else { return nil }
        self.sequence = sequence
        self.time = time
        self.bundle = bundle
        guard encoded == octets else { return nil }
    }
}
