import Cryptography
import Envelopes
import JSON

/// What changes between two bundles: what a person has to look at before approving the second.
public struct TrustBundleDifference: Hashable, Sendable {
    /// Names that appear, disappear, or stay with other content.
    public struct Names: Hashable, Sendable {
        public internal(set) var added: [String] = []
        public internal(set) var removed: [String] = []
        public internal(set) var changed: [String] = []

        public var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }
    }

    /// An issuer that is in both, with another entry.
    public struct IssuerChange: Hashable, Sendable {
        public let name: String
        /// Members of the entry.
        public let members: Names
        /// Keys by `kid`; a changed one has another key, algorithm or time.
        public let keys: Names
    }

    /// Issuers by name; those in `changed` are detailed in `issuerChanges`.
    public let issuers: Names
    public let issuerChanges: [IssuerChange]
    /// Contexts by URL.
    public let contexts: Names
    /// Status lists by URL; a changed one has other octets or was fetched again.
    public let lists: Names
    public let mdoc: MdocDifference
    public let anoncreds: AnonCredsDifference
    /// Lists of revoked addresses by URL; a changed one has other addresses or was taken again.
    public let addressLists: Names

    public init(from old: TrustBundle, to new: TrustBundle) {
        let before = old.contents, after = new.contents
        issuers = Self.names(before.issuers.map { ($0.name, $0.bytes) }, after.issuers.map { ($0.name, $0.bytes) })
        contexts = Self.names(before.contexts.map { ($0.url, $0.bytes) }, after.contexts.map { ($0.url, $0.bytes) })
        lists = Self.names(before.lists.map { ($0.url, $0) }, after.lists.map { ($0.url, $0) })
        mdoc = MdocDifference(from: before.mdoc, to: after.mdoc)
        anoncreds = AnonCredsDifference(from: before.anoncreds, to: after.anoncreds)
        addressLists = Self.names(before.trustedKey.lists.map { ($0.url, $0) }, after.trustedKey.lists.map { ($0.url, $0) })
        issuerChanges = issuers.changed.compactMap { name in
            guard let one = before.issuers.first(where: { $0.name.isExactly(name) }),
                let other = after.issuers.first(where: { $0.name.isExactly(name) })
            else { return nil }
            return Self.change(name, one.bytes, other.bytes)
        }
    }

    private static func change(_ name: String, _ one: [UInt8], _ other: [UInt8]) -> IssuerChange {
        let before = try? JSONDocument(parsing: one).root, after = try? JSONDocument(parsing: other).root
        return IssuerChange(name: name, members: names(members(before), members(after)), keys: names(keys(before), keys(after)))
    }

    private static func members(_ object: JSONValue?) -> [(String, [UInt8])] {
        object?.members.map { $0.map { ($0.name, $0.value.source) } } ?? []
    }

    private static func keys(_ object: JSONValue?) -> [(String, [UInt8])] {
        object?["keys"]?.elements.map { $0.map { ($0["kid"]?.string ?? "", $0.source) } } ?? []
    }

    static func names<Content: Equatable>(_ before: [(String, Content)], _ after: [(String, Content)]) -> Names {
        var names = Names()
        // Octets, because two names are one only when their octets are equal.
        var left: [[UInt8]: Content] = [:]
        for (name, content) in before { left[Array(name.utf8)] = content }
        for (name, content) in after {
            switch left.removeValue(forKey: Array(name.utf8)) {
            case nil: names.added.append(name)
            case let old?: if old != content { names.changed.append(name) }
            }
        }
        names.removed = before.map(\.0).filter { left[Array($0.utf8)] != nil }
        return names
    }
}
