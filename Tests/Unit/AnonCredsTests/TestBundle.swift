import JSON

@testable import AnonCreds

/// `context.json` as a bundle.
enum TestBundle {
    static let file = Vectors.file("context.json")
    static let resident = "did:web:town.example/anoncreds/cred-def/resident-2026"
    static let permit = "did:web:town.example/anoncreds/cred-def/permit-north"
    static let registry = "did:web:town.example/anoncreds/rev-reg/permit-north-4"

    static let schemas: [CredentialSchema] = {
        let members = file["schemas"]?.memberList ?? []
        return members.compactMap { try? schema($0.name, $0.value) }
    }()

    static let definitions: [CredentialDefinition] = {
        let members = file["cred_defs"]?.memberList ?? []
        return members.compactMap { member in try? definition(member.name, member.value["value"] ?? member.value) }
    }()

    static func schema(_ id: String, _ value: JSONValue) throws(ContextFault) -> CredentialSchema {
        try CredentialSchema(
            id: id, issuerID: value["issuerId"]?.string ?? "", name: value["name"]?.string ?? "", version: value["version"]?.string ?? "",
            attributeNames: value["attrNames"]?.texts ?? [])
    }

    /// - Parameter value: `{primary, revocation}`, of the definition's own or changed.
    static func definition(
        _ id: String, _ value: JSONValue, notBefore: Int64? = nil, notAfter: Int64? = nil
    ) throws(ContextFault) -> CredentialDefinition {
        let stated = file["cred_defs"]?[id]
        guard let schema = schemas.first(where: { $0.id == stated?["schemaId"]?.string }), let primary = value["primary"] else {
            throw ContextFault(id, "schemaId", .unknown)
        }
        return try CredentialDefinition(
            id: id, schema: schema, issuerID: stated?["issuerId"]?.string ?? "", tag: stated?["tag"]?.string ?? "", notBefore: notBefore,
            notAfter: notAfter, primary: primary, revocation: value["revocation"])
    }

    static func registries(_ value: JSONValue) throws -> [RevocationRegistry] {
        try value.memberList.map { member in
            guard let z = member.value["value"]?["publicKeys"]?["accumKey"]?["z"] else { throw ContextFault(member.name, "z", .missing) }
            return try RevocationRegistry(id: member.name, definitionID: member.value["credDefId"]?.string ?? "", z: z)
        }
    }

    /// - Parameter fetched: when every list was fetched; else each when it was made.
    static func lists(_ value: JSONValue, fetched: Int64? = nil) throws -> [RevocationStatusList] {
        try value.elementList.map { list in
            let time = list["timestamp"]?.int64 ?? 0, id = list["revRegDefId"]?.string ?? ""
            guard let accumulator = list["currentAccumulator"] else { throw ContextFault(id, "accumulator", .missing) }
            return try RevocationStatusList(registryID: id, timestamp: time, accumulator: accumulator, fetched: fetched ?? time)
        }
    }

    static let anyAge = AnonCredsContext.StatusPolicy(softAge: .max, hardAge: .max, grace: nil)

    static func context(of vector: Vector, policy: AnonCredsContext.StatusPolicy = anyAge) throws -> AnonCredsContext {
        try AnonCredsContext(
            schemas: schemas, definitions: definitions, registries: registries(vector.document("rev_reg_defs")),
            lists: lists(vector.document("rev_status_lists")), statusPolicy: policy)
    }

    static func text(_ text: String) throws -> JSONValue { try JSONDocument(parsing: Array("\"\(text)\"".utf8)).root }
}
