import AnonCreds
import Cryptography
import Envelopes

extension AnonCredsBelief {
    /// Looks at all files and at what the issuers' entries say of them.
    ///
    /// - Parameters:
    ///   - entries: the entries of the bundle, each with the name of its file.
    ///   - known: what was believed before: what has not changed is not checked again.
    ///
    /// Throws what is wrong first, by file and member.
    init(_ contents: AnonCredsContents, _ entries: [(name: String, issuer: TrustedIssuer)], known: AnonCredsBelief?) throws(TrustError) {
        var reading = AnonCredsReading()
        for (place, entry) in entries.enumerated() {
            guard let anchor = entry.issuer.anoncreds else { continue }
            try reading.read(try Self.file(anchor, contents, entry.name), entry, place, known?.checked ?? CheckedObjects())
        }
        // A file that nobody names would be believed by nobody, and nobody would be told.
        for file in contents.files where !entries.contains(where: { $0.issuer.anoncreds?.file.isExactly(file.name) ?? false }) {
            throw TrustError(file: file.name, reason: .ofNoEntry)
        }
        do throws(ContextFault) {
            self.init(
                context: try AnonCredsContext(
                    schemas: reading.schemas, definitions: reading.definitions, registries: reading.registries, lists: reading.lists),
                definitions: reading.believed, contents: contents, checked: reading.checked)
        } catch {
            // Everything it looks at was looked at, by file and member.
            throw TrustError(file: error.object, member: error.member, reason: .unusableObject(error.problem))
        }
    }

    private static func file(
        _ anchor: AnonCredsAnchor, _ contents: AnonCredsContents, _ entry: String
    ) throws(TrustError) -> AnonCredsContents.File {
        guard let file = contents.files.first(where: { $0.name.isExactly(anchor.file) }) else {
            throw TrustError(
                file: entry, member: "anoncreds.file", reason: .wrongValue, found: anchor.file, allowed: "a file that is there")
        }
        guard let found = try? Digest.hash(file.bytes.span, .sha256), found == anchor.digest else {
            let digest = (try? Digest.hash(file.bytes.span, .sha256)).map { Hexadecimal.text($0) } ?? ""
            throw TrustError(
                file: entry, member: "anoncreds.sha256", reason: .wrongValue, found: Hexadecimal.text(anchor.digest),
                allowed: "the SHA-256 of \(anchor.file): \(digest)")
        }
        return file
    }
}

/// What the files read so far come to, all issuers together.
private struct AnonCredsReading {
    var schemas: [CredentialSchema] = []
    var definitions: [CredentialDefinition] = []
    var registries: [RevocationRegistry] = []
    var lists: [RevocationStatusList] = []
    var believed: [BelievedDefinition] = []
    var checked = CheckedObjects()
    /// The octets of each schema's row, by id.
    private var rows: [[UInt8]: CredentialSchema] = [:]
    private var ids: Set<[UInt8]> = []

    mutating func read(
        _ source: AnonCredsContents.File, _ entry: (name: String, issuer: TrustedIssuer), _ place: Int, _ known: CheckedObjects
    ) throws(TrustError) {
        let file = try AnonCredsFile(source, known: known), issuer = entry.issuer
        for row in file.schemas { try take(row) }
        for row in file.definitions {
            let definition = row.object.definition
            try take(definition.id, row.member)
            guard issuer.ids.contains(where: { $0.isExactly(definition.issuerID) }) else {
                throw Self.fault(row.member, "issuerId", .wrongValue, definition.issuerID, "one of the ids in \(entry.name)")
            }
            definitions.append(definition)
        }
        let policy = AnonCredsContext.StatusPolicy(issuer.status)
        for row in file.registries {
            try take(row.object.id, row.member)
            var registry = row.object
            registry.statusPolicy = policy
            registries.append(registry)
        }
        lists += file.lists.map(\.object)
        try checkCounts(file: source.name)
        let expiries = try ExpiryAttributes(issuer.anoncreds?.expiries ?? [], file, entry: entry.name)
        for (position, row) in file.definitions.enumerated() {
            believed.append(try Self.believed(row, file, issuer, place, expiries.attribute(of: position)))
        }
        checked.add(file.checked)
    }

    /// Two issuers may rest on one schema: then both files have the same row.
    private mutating func take(_ row: AnonCredsFile.Row<CredentialSchema>) throws(TrustError) {
        let schema = row.object, id = Array(schema.id.utf8)
        guard let known = rows[id] else {
            rows[id] = schema
            return schemas.append(schema)
        }
        let isSame =
            known.issuerID.isExactly(schema.issuerID) && known.name.isExactly(schema.name) && known.version.isExactly(schema.version)
            && known.attributeNames.count == schema.attributeNames.count
            && zip(known.attributeNames, schema.attributeNames).allSatisfy { $0.isExactly($1) }
        guard isSame else { throw Self.fault(row.member, "id", .duplicate, schema.id, nil) }
    }

    private mutating func take(_ id: String, _ row: TrustMember) throws(TrustError) {
        guard ids.insert(Array(id.utf8)).inserted else { throw Self.fault(row, "id", .duplicate, id, nil) }
    }

    private func checkCounts(file: String) throws(TrustError) {
        let counts: [(String, Int, Int)] = [
            ("schemas", schemas.count, AnonCredsContents.mostSchemas),
            ("definitions", definitions.count, AnonCredsContents.mostDefinitions),
            ("registries", registries.count, AnonCredsContents.mostRegistries), ("lists", lists.count, AnonCredsContents.mostLists),
        ]
        for (name, count, most) in counts where count > most {
            throw TrustError(
                file: file, member: name, reason: .tooLarge, found: "\(count)", allowed: "\(most) at most in all files together")
        }
    }

    static func fault(
        _ row: TrustMember, _ member: String, _ reason: TrustError.Reason, _ found: String?, _ allowed: String?
    ) -> TrustError {
        TrustError(file: row.file, member: "\(row.path).\(member)", reason: reason, found: found, allowed: allowed)
    }

    private static func believed(
        _ row: AnonCredsFile.Row<AnonCredsFile.Definition>, _ file: AnonCredsFile, _ issuer: TrustedIssuer, _ place: Int, _ expiry: String?
    ) throws(TrustError) -> BelievedDefinition {
        let definition = row.object.definition, schema = row.object.schema
        let types = row.object.types ?? [schema.id]
        for type in types where !issuer.types.contains(where: { $0.isExactly(type) }) {
            throw fault(
                row.member, row.object.types == nil ? "schemaId" : "types", .wrongValue, type, "one of types in the issuer's entry")
        }
        let roles = issuer.claims.compactMapValues { paths in paths.lazy.compactMap { attribute($0, of: schema) }.first }
        for role in ClaimRole.allCases where issuer.requires.contains(role) && roles[role] == nil {
            throw fault(row.member, "schemaId", .wrongValue, schema.id, "a schema with the \(role.rawValue) that the entry requires")
        }
        let registries = file.registries.filter { $0.object.definitionID.isExactly(definition.id) }.map { registry in
            let lists = file.lists.map(\.object).filter { $0.registryID.isExactly(registry.object.id) }
            return BelievedDefinition.Registry(
                id: registry.object.id,
                lists: lists.map { BelievedDefinition.List(timestamp: $0.timestamp, fetched: $0.fetched) }
                    .sorted { $0.timestamp < $1.timestamp })
        }
        return BelievedDefinition(
            id: definition.id, issuerID: definition.issuerID, issuer: place, schemaID: schema.id, schemaIssuerID: schema.issuerID,
            schemaName: schema.name, schemaVersion: schema.version, modulusBits: definition.modulusBits,
            attributes: schema.attributeNames, types: types, roles: roles, requires: issuer.requires, expiry: expiry,
            canBeRevoked: definition.supportsRevocation, registries: registries, status: issuer.status, notBefore: definition.notBefore,
            notAfter: definition.notAfter)
    }

    /// `[attribute]`, or `[schema id, attribute]`, as the schema spells it; nil where this schema has it not.
    static func attribute(_ path: [String], of schema: CredentialSchema) -> String? {
        guard let name = path.last, 1...2 ~= path.count, path.count == 1 || path[0].isExactly(schema.id) else { return nil }
        return schema.spelling(of: name)
    }
}

/// The attributes by which credentials expire. A row that no definition has would let everybody in for ever, and nobody would be told.
private struct ExpiryAttributes {
    private let attributes: [String?]

    init(_ expiries: [AnonCredsAnchor.Expiry], _ file: AnonCredsFile, entry: String) throws(TrustError) {
        func find(_ expiry: AnonCredsAnchor.Expiry, _ schema: CredentialSchema) -> String? {
            AnonCredsReading.attribute([expiry.schemaID, expiry.attribute].compactMap { $0 }, of: schema)
        }
        let schemas = file.definitions.map(\.object.schema)
        for (position, expiry) in expiries.enumerated() where !schemas.contains(where: { find(expiry, $0) != nil }) {
            throw TrustError(
                file: entry, member: expiries.count == 1 ? "anoncreds.expires" : "anoncreds.expires[\(position)]", reason: .wrongValue,
                found: expiry.attribute, allowed: "an attribute of one of the schemas that have a definition")
        }
        var attributes: [String?] = []
        for (schema, row) in zip(schemas, file.definitions) {
            let found = expiries.compactMap { find($0, schema) }
            guard found.count <= 1 else {
                throw AnonCredsReading.fault(
                    row.member, "schemaId", .wrongValue, schema.id, "a schema with one attribute that expires names")
            }
            attributes.append(found.first)
        }
        self.attributes = attributes
    }

    func attribute(of definition: Int) -> String? { attributes[definition] }
}

extension AnonCredsContext.StatusPolicy {
    /// What an entry ignores may be of any age.
    init(_ policy: StatusPolicy) {
        self =
            policy.isIgnored
            ? Self(softAge: .max, hardAge: .max, grace: nil) : Self(softAge: policy.softAge, hardAge: policy.hardAge, grace: policy.grace)
    }
}
