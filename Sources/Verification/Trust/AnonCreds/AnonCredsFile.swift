import AnonCreds
import Cryptography
import Envelopes
import JSON

/// One issuer's AnonCreds objects, read strictly and checked (trust-format.md section 6, anoncreds.md section 8).
struct AnonCredsFile {
    /// An object, and the row it stands in.
    struct Row<Object> {
        let member: TrustMember
        let object: Object
    }

    struct Definition {
        let definition: CredentialDefinition
        let schema: CredentialSchema
        /// What it is believed for; nil where the row does not say.
        let types: [String]?
    }

    private(set) var schemas: [Row<CredentialSchema>] = []
    private(set) var definitions: [Row<Definition>] = []
    private(set) var registries: [Row<RevocationRegistry>] = []
    private(set) var lists: [Row<RevocationStatusList>] = []
    /// Everything that took points or powers to check.
    private(set) var checked = CheckedObjects()

    private static let versionMember = "gatehouse-anoncreds"
    /// A definition has some twenty and its attributes: far more than the usual number are there long before the file is too large.
    static let nodes = 100_000

    /// - Parameter known: objects that were checked before. What is equal to one of them is not checked again.
    init(_ file: AnonCredsContents.File, known: CheckedObjects = CheckedObjects()) throws(TrustError) {
        let root = try TrustMember(file: file.name, bytes: file.bytes, nodes: Self.nodes)
        // The version first: a file of another version may well have members this one does not know.
        guard let version = root.value[Self.versionMember] else {
            throw TrustError(file: file.name, member: Self.versionMember, reason: root.value.members == nil ? .wrongType : .missing)
        }
        guard version.int64 == 1 else { throw TrustError(file: file.name, member: Self.versionMember, reason: .unsupportedVersion) }
        let found = try root.object(known: [Self.versionMember, "schemas", "definitions", "registries", "lists"])
        for row in try Self.rows(found.required("schemas", of: root), AnonCredsContents.mostSchemas) { try readSchema(row) }
        let definitions = try Self.rows(found.required("definitions", of: root), AnonCredsContents.mostDefinitions)
        guard !definitions.isEmpty else { throw TrustError(file: file.name, member: "definitions", reason: .missing) }
        for row in definitions { try readDefinition(row, known) }
        for row in try Self.rows(found["registries"], AnonCredsContents.mostRegistries) { try readRegistry(row, known) }
        for row in try Self.rows(found["lists"], AnonCredsContents.mostLists) { try readList(row, known) }
    }

    /// The elements of an array; an empty one is one, and so is none where it may be left out.
    private static func rows(_ member: TrustMember?, _ most: Int) throws(TrustError) -> [TrustMember] {
        guard let member else { return [] }
        guard let elements = member.value.elements else { throw member.fault(.wrongType) }
        var rows: [TrustMember] = []
        for (position, value) in elements.enumerated() {
            guard position < most else { throw member.fault(.tooLarge, allowed: "\(most) at most") }
            rows.append(TrustMember(file: member.file, path: "\(member.path)[\(position)]", value: value))
        }
        return rows
    }

    // MARK: Rows

    private mutating func readSchema(_ row: TrustMember) throws(TrustError) {
        let found = try row.object(known: ["id", "issuerId", "name", "version", "attrNames"])
        let id = try Self.newID(found, row, among: schemas.map(\.object.id))
        let issuerID = try Self.text("issuerId", found, row)
        let name = try Self.text("name", found, row), version = try Self.text("version", found, row)
        var attributes: [String] = []
        for element in try found.required("attrNames", of: row).list() { attributes.append(try Self.text(element)) }
        let schema = try Self.checking(row) { () throws(ContextFault) in
            try CredentialSchema(id: id, issuerID: issuerID, name: name, version: version, attributeNames: attributes)
        }
        schemas.append(Row(member: row, object: schema))
    }

    private mutating func readDefinition(_ row: TrustMember, _ known: CheckedObjects) throws(TrustError) {
        let found = try row.object(
            known: ["id", "schemaId", "issuerId", "tag", "notBefore", "notAfter", "types", "primary", "revocation"])
        let id = try Self.newID(found, row, among: definitions.map(\.object.definition.id))
        let issuerID = try Self.text("issuerId", found, row), tag = try Self.text("tag", found, row)
        let schemaID = try found.required("schemaId", of: row)
        guard let schema = schemas.first(where: { schemaID.value.isString($0.object.id) }) else {
            throw schemaID.fault(.wrongValue, allowed: "the id of one of schemas")
        }
        let notBefore = try found["notBefore"].map { (member) throws(TrustError) in try member.time() }
        let notAfter = try found["notAfter"].map { (member) throws(TrustError) in try member.time() }
        if let notBefore, let notAfter, notBefore >= notAfter {
            throw row.fault(.wrongValue, allowed: "a notBefore that is earlier than notAfter")
        }
        let primary = try found.required("primary", of: row)
        _ = try primary.object(known: ["n", "s", "rctxt", "z", "r"])
        _ = try found["revocation"]?.object(known: ["g", "h", "h0", "h1", "h2", "htilde", "pk", "g_dash", "h_cap", "u", "y"])
        let digest = try CheckedObjects.digest([row, schema.member])
        let definition: CredentialDefinition
        if let old = known.definitions[digest] {
            definition = old
        } else {
            definition = try Self.checking(row) { () throws(ContextFault) in
                try CredentialDefinition(
                    id: id, schema: schema.object, issuerID: issuerID, tag: tag, notBefore: notBefore, notAfter: notAfter,
                    primary: primary.value, revocation: found["revocation"]?.value)
            }
        }
        checked.definitions[digest] = definition
        definitions.append(
            Row(
                member: row,
                object: Definition(
                    definition: definition, schema: schema.object,
                    types: try found["types"].map { (member) throws(TrustError) in try member.texts() })))
    }

    private mutating func readRegistry(_ row: TrustMember, _ known: CheckedObjects) throws(TrustError) {
        let found = try row.object(known: ["id", "definition", "z"])
        let id = try Self.newID(found, row, among: registries.map(\.object.id))
        let name = try found.required("definition", of: row), z = try found.required("z", of: row)
        guard let definition = definitions.first(where: { name.value.isString($0.object.definition.id) }),
            definition.object.definition.supportsRevocation
        else { throw name.fault(.wrongValue, allowed: "the id of one of definitions, with revocation") }
        let digest = try CheckedObjects.digest([row])
        let registry: RevocationRegistry
        if let old = known.registries[digest] {
            registry = old
        } else {
            registry = try Self.checking(row) { () throws(ContextFault) in
                try RevocationRegistry(id: id, definitionID: definition.object.definition.id, z: z.value)
            }
        }
        checked.registries[digest] = registry
        registries.append(Row(member: row, object: registry))
    }

    private mutating func readList(_ row: TrustMember, _ known: CheckedObjects) throws(TrustError) {
        let found = try row.object(known: ["registry", "timestamp", "accumulator", "fetched"])
        let name = try found.required("registry", of: row), stamp = try found.required("timestamp", of: row)
        guard let registry = registries.first(where: { name.value.isString($0.object.id) })?.object else {
            throw name.fault(.wrongValue, allowed: "the id of one of registries")
        }
        guard let timestamp = stamp.value.int64 else { throw stamp.fault(.wrongType, allowed: "a whole number of seconds since 1970") }
        guard 0...Timestamp.latest ~= timestamp else { throw stamp.fault(.wrongValue, allowed: "0 to \(Timestamp.latest)") }
        guard !lists.contains(where: { $0.object.registryID.isExactly(registry.id) && $0.object.timestamp == timestamp }) else {
            throw stamp.fault(.duplicate)
        }
        let fetched = try found.required("fetched", of: row).time(), accumulator = try found.required("accumulator", of: row)
        let digest = try CheckedObjects.digest([row])
        let list: RevocationStatusList
        if let old = known.lists[digest] {
            list = old
        } else {
            list = try Self.checking(row) { () throws(ContextFault) in
                try RevocationStatusList(registryID: registry.id, timestamp: timestamp, accumulator: accumulator.value, fetched: fetched)
            }
        }
        checked.lists[digest] = list
        lists.append(Row(member: row, object: list))
    }

    // MARK: Members

    private static func newID(_ found: [String: TrustMember], _ row: TrustMember, among ids: [String]) throws(TrustError) -> String {
        let member = try found.required("id", of: row), id = try text(member)
        guard !ids.contains(where: { $0.isExactly(id) }) else { throw member.fault(.duplicate) }
        return id
    }

    private static func text(_ name: String, _ found: [String: TrustMember], _ row: TrustMember) throws(TrustError) -> String {
        try text(found.required(name, of: row))
    }

    private static func text(_ member: TrustMember) throws(TrustError) -> String {
        let text = try member.text()
        guard text.utf8.count <= AnonCredsContents.longestText else {
            throw member.fault(.tooLarge, allowed: "\(AnonCredsContents.longestText) octets at most")
        }
        return text
    }

    /// A fault of an object as one of the file.
    private static func checking<Object>(_ row: TrustMember, _ make: () throws(ContextFault) -> Object) throws(TrustError) -> Object {
        do throws(ContextFault) {
            return try make()
        } catch {
            throw TrustError(file: row.file, member: "\(row.path).\(error.member)", reason: .unusableObject(error.problem))
        }
    }
}
