import JSON

/// What a credential has to be for an item (anoncreds.md section 9): a list is *or*, the members of an object are *and*.
indirect enum Restriction: Hashable, Sendable {
    case all([Restriction])
    case any([Restriction])
    case not(Restriction)
    /// One of the values of a key; none where `isExcluded`.
    case values(Key, [ExactText], isExcluded: Bool)
    /// A key or an operator that nobody knows.
    case unknown

    enum Key: Hashable, Sendable {
        case schemaID, schemaIssuer, schemaName, schemaVersion, issuer, definitionID, registryID
        /// The raw value that is revealed of an attribute, by view.
        case value(ExactText)
        /// Whether the schema has an attribute.
        case marker(ExactText)

        init?(_ name: String) {
            switch name {
            case "schema_id": self = .schemaID
            case "schema_issuer_id", "schema_issuer_did": self = .schemaIssuer
            case "schema_name": self = .schemaName
            case "schema_version": self = .schemaVersion
            case "issuer_id", "issuer_did": self = .issuer
            case "cred_def_id": self = .definitionID
            case "rev_reg_id": self = .registryID
            default:
                guard name.hasPrefix("attr::") else { return nil }
                let rest = name.dropFirst("attr::".count)
                if rest.hasSuffix("::value") {
                    self = .value(.view(String(rest.dropLast("::value".count))))
                } else if rest.hasSuffix("::marker") {
                    self = .marker(.view(String(rest.dropLast("::marker".count))))
                } else {
                    return nil
                }
            }
        }
    }

    /// Nil where there is none: missing, null, an empty list or object.
    static func read(_ value: JSONValue?) -> Restriction? {
        guard let value, !value.isNull, value.elements.map({ $0.count > 0 }) ?? true, value.members.map({ $0.count > 0 }) ?? true else {
            return nil
        }
        return Restriction(value)
    }

    /// As deep as the request's JSON may be.
    private init(_ value: JSONValue) {
        if let elements = value.elements {
            self = .any(elements.map { Restriction($0) })
        } else if let members = value.members {
            self = .all(members.map { Restriction(name: $0.name, $0.value) })
        } else {
            self = .unknown
        }
    }

    private init(name: String, _ value: JSONValue) {
        switch name {
        case "$and": self = value.elements.map { .all($0.map { Restriction($0) }) } ?? .unknown
        case "$or": self = value.elements.map { .any($0.map { Restriction($0) }) } ?? .unknown
        case "$not": self = .not(Restriction(value))
        default:
            guard let key = Key(name) else {
                self = .unknown
                return
            }
            self = Self.condition(key, value)
        }
    }

    /// A text, or an object of one operator.
    private static func condition(_ key: Key, _ value: JSONValue) -> Restriction {
        if let text = value.string { return .values(key, [ExactText(text)], isExcluded: false) }
        guard let members = value.members else { return .unknown }
        return .all(
            members.map { member in
                switch member.name {
                case "$neq":
                    return member.value.string.map { .values(key, [ExactText($0)], isExcluded: true) } ?? .unknown
                case "$in":
                    guard let elements = member.value.elements else { return .unknown }
                    let texts = elements.map { $0.string }
                    guard texts.allSatisfy({ $0 != nil }) else { return .unknown }
                    return .values(key, texts.compactMap { $0.map { ExactText($0) } }, isExcluded: false)
                default: return .unknown
                }
            })
    }

    /// Whether it is met. What nobody knows is not met, also under `$not`: a slip of the pen must not open a gate.
    func isMet(by credential: RestrictedCredential) -> Bool { outcome(credential) == true }

    /// Nil where it hangs on something unknown (Kleene's logic).
    private func outcome(_ credential: RestrictedCredential) -> Bool? {
        switch self {
        case .unknown: return nil
        case .not(let inner): return inner.outcome(credential).map { !$0 }
        case .all(let parts):
            let outcomes = parts.map { $0.outcome(credential) }
            return outcomes.contains(false) ? false : outcomes.contains(nil) ? nil : true
        case .any(let parts):
            let outcomes = parts.map { $0.outcome(credential) }
            return outcomes.contains(true) ? true : outcomes.contains(nil) ? nil : false
        case .values(let key, let values, let isExcluded):
            return values.contains { credential.has($0, key) } != isExcluded
        }
    }
}

/// What restrictions are about: objects of the bundle, and what one sub-proof reveals.
struct RestrictedCredential {
    let schema: CredentialSchema, definition: CredentialDefinition
    /// Only where its non-revocation is proven: no other proof covers it.
    let registryID: ExactText?
    let raw: [ExactText: String]

    func has(_ value: ExactText, _ key: Restriction.Key) -> Bool {
        switch key {
        case .schemaID: value == ExactText(schema.id)
        case .schemaIssuer: value == ExactText(schema.issuerID)
        case .schemaName: value == ExactText(schema.name)
        case .schemaVersion: value == ExactText(schema.version)
        case .issuer: value == ExactText(definition.issuerID)
        case .definitionID: value == ExactText(definition.id)
        case .registryID: value == registryID
        case .value(let view): raw[view].map { value == ExactText($0) } ?? false
        case .marker(let view): schema.has(view)
        }
    }
}
