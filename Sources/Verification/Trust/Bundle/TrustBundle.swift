import CBOR
import Envelopes
import JSON
import LinkedData

/// Whom a gate is to believe, from when to when: the payload of a trust bundle. `SignedTrustBundle` is what gates are given.
///
/// A value of this type is well-formed, and has exactly one encoding. Whether anybody signed it is another question.
public struct TrustBundle: Hashable, Sendable {
    /// What to do while the board's clock is behind a time that is known to have passed.
    public enum ClockPolicy: String, Hashable, Sendable, CaseIterable {
        case reject, accept
    }

    /// Octets of a bundle's file.
    public static let largest = 16 << 20
    /// The largest integer every JSON reader keeps exactly (RFC 8259 section 6).
    public static let largestSequence: Int64 = 1 << 53 - 1
    public static let mostContexts = 256
    public static let mostLists = 256
    /// UTF-8 octets of a name or a URL.
    public static let longestName = 2048

    /// Grows with every bundle an operator makes; a gate never goes back.
    public let sequence: Int64
    /// When it was made, by the operator's clock: a time that is certainly past.
    public let created: Seconds
    /// Inclusive.
    public let notBefore: Seconds
    /// Exclusive.
    public let notAfter: Seconds
    public let clock: ClockPolicy
    /// In the order of the octets of names and URLs. Issuers are in the form of RFC 8785.
    public let contents: TrustContents

    /// Checks everything except what `store` does; sorts the contents.
    public init(
        sequence: Int64, created: Seconds, notBefore: Seconds, notAfter: Seconds, clock: ClockPolicy, contents: TrustContents
    ) throws(TrustBundleError) {
        guard 1...Self.largestSequence ~= sequence else { throw .sequenceRefused }
        for time in [created, notBefore, notAfter] + contents.lists.map(\.fetched) + contents.mdoc.times
            + contents.trustedKey.times
        {
            guard 0...Timestamp.latest ~= time else { throw .timeRefused }
        }
        // A gate takes `created` for the past: it must not end the bundle it came with.
        guard notBefore < notAfter, created < notAfter else { throw .windowRefused }
        try Self.check(contents.issuers.map { ($0.name, $0.bytes) }, .issuer, most: TrustStore.mostFiles)
        try Self.check(contents.contexts.map { ($0.url, $0.bytes) }, .context, most: Self.mostContexts)
        try Self.check(contents.lists.map { ($0.url, $0.bytes) }, .list, most: Self.mostLists)
        try Self.check(contents.anoncreds.files.map { ($0.name, $0.bytes) }, .objects, most: AnonCredsContents.mostFiles)
        try Self.check(contents.trustedKey.lists.map { ($0.url, $0.addresses) }, .addresses, most: TrustedKeyContents.mostLists)
        for issuer in contents.issuers {
            guard let canonical = Self.canonical(issuer.bytes), canonical == issuer.bytes else {
                throw .entryNotCanonical(name: issuer.name)
            }
        }
        self.sequence = sequence
        self.created = created
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.clock = clock
        self.contents = TrustContents(
            issuers: contents.issuers.sorted { Self.precedes($0.name, $1.name) },
            contexts: contents.contexts.sorted { Self.precedes($0.url, $1.url) },
            lists: contents.lists.sorted { Self.precedes($0.url, $1.url) }, mdoc: try Self.sorted(contents.mdoc),
            anoncreds: AnonCredsContents(files: contents.anoncreds.files.sorted { Self.precedes($0.name, $1.name) }),
            trustedKey: TrustedKeyContents(lists: contents.trustedKey.lists.sorted { Self.precedes($0.url, $1.url) }))
    }

    private static func check(
        _ parts: [(name: String, bytes: [UInt8])], _ part: TrustBundleError.Part, most: Int
    ) throws(TrustBundleError) {
        guard parts.count <= most else { throw .tooMany(part) }
        // Arrays of octets: two texts are one name only when their octets are equal.
        var names: Set<[UInt8]> = []
        for (name, bytes) in parts {
            guard 1...longestName ~= name.utf8.count else { throw .nameRefused(part) }
            guard names.insert(Array(name.utf8)).inserted else { throw .duplicate(part, name: name) }
            guard bytes.count <= TrustStore.largestFile else { throw .partTooLarge(part, name: name) }
        }
    }

    private static func sorted(_ mdoc: MdocContents) throws(TrustBundleError) -> MdocContents {
        guard !mdoc.isEmpty else { return mdoc }
        // Its encoding is sorted.
        return try cbor { () throws(CBORError) in try MdocContents(decoding: mdoc.encoded()) }
    }

    private static func precedes(_ one: String, _ other: String) -> Bool { one.utf8.lexicographicallyPrecedes(other.utf8) }

    /// The form of RFC 8785 of a JSON text; nil when it has none.
    static func canonical(_ bytes: [UInt8]) -> [UInt8]? {
        guard let document = try? JSONDocument(parsing: bytes, limits: JSONLimits(bytes: TrustStore.largestFile)) else { return nil }
        return try? CanonicalJSON.bytes(of: document.root)
    }

    // MARK: Using it

    /// The trust store of these contents. Throws `contents`.
    ///
    /// - Parameter old: what was believed before: what is in it, too, is not checked again where that takes long.
    public func store(after old: TrustStore? = nil) throws(TrustBundleError) -> TrustStore {
        do throws(TrustError) {
            return try TrustStore(contents, after: old)
        } catch {
            throw .contents(error)
        }
    }

    /// Returns when the bundle holds at `time`; throws `notYetValid`, `expired`.
    public func check(at time: Seconds) throws(TrustBundleError) {
        guard time >= notBefore else { throw .notYetValid }
        guard time < notAfter else { throw .expired }
    }
}
