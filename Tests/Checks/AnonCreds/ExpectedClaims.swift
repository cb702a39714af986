import AnonCreds
import JSON
import ProofVectors

/// What an accepted vector has to say, taken from its request and presentation without the code that is checked.
enum ExpectedClaims {
    /// Sorted, each once: `INDEX NAME = RAW`, `INDEX NAME SIGN VALUE`, `REFERENT said TEXT`.
    static func lines(_ vector: JSONValue, _ objects: AnonCredsObjects) -> [String] {
        guard let presentation = vector["presentation"], let request = vector["pres_req"] else { return [] }
        var lines: Set<String> = []
        if presentation["verifiableCredential"] == nil {
            classic(presentation, request, objects, &lines)
        } else {
            w3c(presentation, request, objects, &lines)
        }
        return lines.sorted()
    }

    private static func classic(_ presentation: JSONValue, _ request: JSONValue, _ objects: AnonCredsObjects, _ lines: inout Set<String>) {
        guard let proof = presentation["requested_proof"] else { return }
        let identifiers = presentation["identifiers"]?.elements.map { Array($0) } ?? []
        func spelled(_ name: String, _ index: Int64) -> String {
            let id = identifiers.indices.contains(Int(index)) ? identifiers[Int(index)]["schema_id"]?.string : nil
            return spelling(name, objects.schemas.first { $0.id == id }?.attributeNames ?? [])
        }
        for member in members(proof["revealed_attrs"]) {
            let index = member.value["sub_proof_index"]?.int64 ?? -1
            let name = request["requested_attributes"]?[member.name]?["name"]?.string ?? "?"
            lines.insert("\(index) \(spelled(name, index)) = \(member.value["raw"]?.string ?? "?")")
        }
        for member in members(proof["revealed_attr_groups"]) {
            let index = member.value["sub_proof_index"]?.int64 ?? -1
            for value in members(member.value["values"]) {
                lines.insert("\(index) \(spelled(value.name, index)) = \(value.value["raw"]?.string ?? "?")")
            }
        }
        for member in members(proof["predicates"]) {
            let index = member.value["sub_proof_index"]?.int64 ?? -1
            guard let item = request["requested_predicates"]?[member.name] else { continue }
            lines.insert("\(index) \(statement(item, spelled(item["name"]?.string ?? "?", index)))")
        }
        for member in members(proof["self_attested_attrs"]) { lines.insert("\(member.name) said \(member.value.string ?? "?")") }
    }

    private static func w3c(_ presentation: JSONValue, _ request: JSONValue, _ objects: AnonCredsObjects, _ lines: inout Set<String>) {
        guard let credentials = presentation["verifiableCredential"]?.elements else { return }
        for (index, credential) in credentials.enumerated() {
            let definition = objects.definitions.first { $0.id == credential["proof"]?["verificationMethod"]?.string }
            let names = objects.schemas.first { $0.id == definition?.schemaID }?.attributeNames ?? []
            for member in members(credential["credentialSubject"]) where member.name != "id" {
                let name = spelling(member.name, names)
                guard member.value.bool == true else {
                    lines.insert("\(index) \(name) = \(member.value.string ?? String(decoding: member.value.source, as: UTF8.self))")
                    continue
                }
                for item in members(request["requested_predicates"]) where spelling(item.value["name"]?.string ?? "?", names) == name {
                    lines.insert("\(index) \(statement(item.value, name))")
                }
            }
        }
    }

    private static func statement(_ item: JSONValue, _ name: String) -> String {
        "\(name) \(item["p_type"]?.string ?? "?") \(item["p_value"]?.int64 ?? 0)"
    }

    private static func members(_ value: JSONValue?) -> [JSONMember] { value?.members.map { Array($0) } ?? [] }

    private static func spelling(_ name: String, _ names: [String]) -> String {
        func plain(_ text: String) -> String { text.filter { $0 != " " }.lowercased() }
        return names.first { plain($0) == plain(name) } ?? "?"
    }
}
