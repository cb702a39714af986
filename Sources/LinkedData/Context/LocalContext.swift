import JSON

/// The members of a context as it is written, by name.
struct LocalContext {
    private(set) var names: [Text] = []
    private var values: [Text: JSONValue] = [:]

    /// Empty when `value` is not an object.
    init(_ value: JSONValue) {
        guard let members = value.members else { return }
        for member in members { set(Text(member.name), member.value) }
    }

    subscript(name: Text) -> JSONValue? { values[name] }

    /// Members of `other` replace those of the same name (section 4.1.2 step 5.6.8).
    mutating func merge(_ other: LocalContext) {
        for name in other.names { if let value = other[name] { set(name, value) } }
    }

    private mutating func set(_ name: Text, _ value: JSONValue) {
        if values.updateValue(value, forKey: name) == nil { names.append(name) }
    }
}
