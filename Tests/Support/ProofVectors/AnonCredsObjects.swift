import AnonCreds
import JSON

/// What every vector's bundle has: `context.json`. Registries and lists come with each vector.
package struct AnonCredsObjects: Sendable {
    package let schemas: [CredentialSchema]
    package let definitions: [CredentialDefinition]

    /// Prints what is wrong and is nil where an object cannot be used.
    package init?(_ value: JSONValue) {
        guard let stated = value["schemas"]?.members, let definitions = value["cred_defs"]?.members else { return nil }
        do throws(ContextFault) {
            var schemas: [String: CredentialSchema] = [:], read: [CredentialDefinition] = []
            for member in stated {
                guard let names = member.value["attrNames"]?.elements else { return nil }
                schemas[member.name] = try CredentialSchema(
                    id: member.name, issuerID: Self.text(member.value, "issuerId"), name: Self.text(member.value, "name"),
                    version: Self.text(member.value, "version"), attributeNames: names.compactMap(\.string))
            }
            for member in definitions {
                guard let schema = schemas[Self.text(member.value, "schemaId")], let primary = member.value["value"]?["primary"] else {
                    return nil
                }
                let revocation = member.value["value"]?["revocation"].flatMap { $0.isNull ? nil : $0 }
                read.append(
                    try CredentialDefinition(
                        id: member.name, schema: schema, issuerID: Self.text(member.value, "issuerId"), tag: Self.text(member.value, "tag"),
                        primary: primary, revocation: revocation))
            }
            self.schemas = Array(schemas.values)
            self.definitions = read
        } catch {
            print("context.json: \(error)")
            return nil
        }
    }

    private static func text(_ value: JSONValue, _ name: String) -> String { value[name]?.string ?? "" }

    /// The bundle of one vector. Lists are taken whatever their age: vectors have no time of fetching.
    package func context(of vector: JSONValue) throws(ContextFault) -> AnonCredsContext {
        var registries: [RevocationRegistry] = [], lists: [RevocationStatusList] = []
        if let members = vector["rev_reg_defs"]?.members {
            for member in members {
                guard let z = member.value["value"]?["publicKeys"]?["accumKey"]?["z"] else {
                    throw ContextFault(member.name, "z", .missing)
                }
                registries.append(
                    try RevocationRegistry(id: member.name, definitionID: member.value["credDefId"]?.string ?? "", z: z))
            }
        }
        if let elements = vector["rev_status_lists"]?.elements {
            for element in elements {
                let id = element["revRegDefId"]?.string ?? ""
                guard let accumulator = element["currentAccumulator"], let time = element["timestamp"]?.int64 else {
                    throw ContextFault(id, "accumulator", .missing)
                }
                lists.append(try RevocationStatusList(registryID: id, timestamp: time, accumulator: accumulator, fetched: time))
            }
        }
        return try AnonCredsContext(
            schemas: schemas, definitions: definitions, registries: registries, lists: lists,
            statusPolicy: AnonCredsContext.StatusPolicy(softAge: .max, hardAge: .max, grace: nil))
    }
}
