import Envelopes
import JSON

/// What changes between two bundles about AnonCreds.
public struct AnonCredsDifference: Hashable, Sendable {
    /// The newest status list of a registry.
    public struct NewestList: Hashable, Sendable {
        public let registry: String
        /// Seconds since 1970; nil where there was or is none.
        public let before: Seconds?
        public let after: Seconds?
    }

    /// Each by id; a changed one has another row.
    public let schemas: TrustBundleDifference.Names
    public let definitions: TrustBundleDifference.Names
    public let registries: TrustBundleDifference.Names
    /// Registries whose newest list is another one, in the order of the new bundle. Those that go are among `registries`.
    public let newestLists: [NewestList]

    init(from old: AnonCredsContents, to new: AnonCredsContents) {
        let before = Rows(old), after = Rows(new)
        schemas = TrustBundleDifference.names(before.schemas, after.schemas)
        definitions = TrustBundleDifference.names(before.definitions, after.definitions)
        registries = TrustBundleDifference.names(before.registries, after.registries)
        newestLists = after.registries.map(\.0).compactMap { registry in
            let change = NewestList(registry: registry, before: before.newest(registry), after: after.newest(registry))
            return change.before == change.after ? nil : change
        }
    }

    public var isEmpty: Bool { schemas.isEmpty && definitions.isEmpty && registries.isEmpty && newestLists.isEmpty }

    /// The rows of all files, without a look at what they hold: a bundle that no gate can use has a difference, too.
    private struct Rows {
        var schemas: [(String, [UInt8])] = []
        var definitions: [(String, [UInt8])] = []
        var registries: [(String, [UInt8])] = []
        private var lists: [(registry: String, timestamp: Seconds)] = []

        init(_ contents: AnonCredsContents) {
            for file in contents.files {
                guard let root = try? TrustMember(file: file.name, bytes: file.bytes, nodes: AnonCredsFile.nodes).value else { continue }
                schemas += Self.rows(root["schemas"])
                definitions += Self.rows(root["definitions"])
                registries += Self.rows(root["registries"])
                for list in root["lists"]?.elements.map(Array.init) ?? [] {
                    if let registry = list["registry"]?.string, let timestamp = list["timestamp"]?.int64 {
                        lists.append((registry, timestamp))
                    }
                }
            }
            // Two issuers may have one schema, each in a file of its own.
            var ids: Set<[UInt8]> = []
            schemas = schemas.filter { ids.insert(Array($0.0.utf8)).inserted }
        }

        private static func rows(_ array: JSONValue?) -> [(String, [UInt8])] {
            array?.elements.map { $0.map { ($0["id"]?.string ?? "", Array($0.source)) } } ?? []
        }

        func newest(_ registry: String) -> Seconds? { lists.filter { $0.registry.isExactly(registry) }.map(\.timestamp).max() }
    }
}
