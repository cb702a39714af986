/// Everything the gate checks presentations with: made once when trust is loaded, and never from a presentation (anoncreds.md section 8).
public struct AnonCredsContext: Sendable {
    /// How old a status list may be.
    public struct StatusPolicy: Hashable, Sendable {
        /// Seconds since a list was fetched after which a verdict says that it is stale, and after which it says nothing any more.
        public var softAge: Int64, hardAge: Int64
        /// Seconds for which a list is taken after a newer one was published. Nil for any.
        public var grace: Int64?

        public init(softAge: Int64 = 86_400, hardAge: Int64 = 604_800, grace: Int64? = 0) {
            self.softAge = max(softAge, 0)
            self.hardAge = max(hardAge, 0)
            self.grace = grace.map { max($0, 0) }
        }
    }

    /// For lists of registries that have none of their own.
    /// Seconds by which the clock of whoever fetched a list may be ahead of the gate's.
    static let skew: Int64 = 300

    public let statusPolicy: StatusPolicy
    private let schemas: [ExactText: CredentialSchema]
    private let definitions: [ExactText: CredentialDefinition]
    private let registries: [ExactText: RevocationRegistry]
    /// Of each registry, by time.
    private let lists: [ExactText: [RevocationStatusList]]

    /// Throws where an id is there twice, a definition's schema is not there, or a registry's definition cannot revoke. A list whose
    /// registry is not there is kept and never used.
    public init(
        schemas: [CredentialSchema], definitions: [CredentialDefinition], registries: [RevocationRegistry] = [],
        lists: [RevocationStatusList] = [], statusPolicy: StatusPolicy = StatusPolicy()
    ) throws(ContextFault) {
        self.statusPolicy = statusPolicy
        self.schemas = try Self.byID(schemas, \.id)
        self.definitions = try Self.byID(definitions, \.id)
        self.registries = try Self.byID(registries, \.id)
        for definition in definitions {
            guard let schema = self.schemas[ExactText(definition.schemaID)], schema.bases == Set(definition.primary.r.keys) else {
                throw ContextFault(definition.id, "schemaId", .unknown)
            }
        }
        for registry in registries {
            guard self.definitions[ExactText(registry.definitionID)]?.supportsRevocation == true else {
                throw ContextFault(registry.id, "definition", .unknown)
            }
        }
        var byRegistry: [ExactText: [RevocationStatusList]] = [:]
        for list in lists.sorted(by: { $0.timestamp < $1.timestamp }) {
            let registry = ExactText(list.registryID)
            guard byRegistry[registry]?.last?.timestamp != list.timestamp else {
                throw ContextFault(list.registryID, "timestamp", .duplicate)
            }
            byRegistry[registry, default: []].append(list)
        }
        self.lists = byRegistry
    }

    /// With which nothing is verified.
    public static let empty = AnonCredsContext()

    private init() {
        statusPolicy = StatusPolicy()
        (schemas, definitions, registries, lists) = ([:], [:], [:], [:])
    }

    private static func byID<Object>(_ objects: [Object], _ id: (Object) -> String) throws(ContextFault) -> [ExactText: Object] {
        var found: [ExactText: Object] = [:]
        for object in objects where found.updateValue(object, forKey: ExactText(id(object))) != nil {
            throw ContextFault(id(object), "id", .duplicate)
        }
        return found
    }

    func schema(_ id: ExactText) -> CredentialSchema? { schemas[id] }
    func definition(_ id: ExactText) -> CredentialDefinition? { definitions[id] }
    func registry(_ id: ExactText) -> RevocationRegistry? { registries[id] }

    /// The list of exactly that time. Throws `revocationListUnknown`; `statusUnknown` where it is too old or was superseded too long ago.
    func list(_ registry: ExactText, _ timestamp: Int64, now: Int64) throws(PresentationReason) -> (
        list: RevocationStatusList, isStale: Bool
    ) {
        let all = lists[registry] ?? []
        guard let index = all.firstIndex(where: { $0.timestamp == timestamp }) else { throw .revocationListUnknown }
        let list = all[index], age = Self.difference(now, list.fetched)
        let statusPolicy = registries[registry]?.statusPolicy ?? statusPolicy
        // One that is still to be fetched would be fresh for as long as somebody's clock was ahead.
        guard age >= -Self.skew || statusPolicy.hardAge == .max, age <= statusPolicy.hardAge else { throw .statusUnknown }
        if index + 1 < all.count, let grace = statusPolicy.grace {
            guard Self.difference(now, all[index + 1].timestamp) < grace else { throw .statusUnknown }
        }
        return (list, age > statusPolicy.softAge)
    }

    /// Wide enough whatever a bundle or a clock says.
    private static func difference(_ later: Int64, _ earlier: Int64) -> Int64 {
        let (difference, overflowed) = later.subtractingReportingOverflow(earlier)
        return overflowed ? (later > earlier ? .max : .min) : difference
    }
}
