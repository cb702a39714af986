import JSON

/// The members of a context as it is written, by name, and how far each has become a term.
struct LocalContext {
    enum Progress {
        case open, begun, done
    }

    private(set) var members: [(name: Text, value: JSONValue, progress: Progress)] = []
    private var positions: [Text: Int] = [:]

    /// Empty when `value` is not an object.
    init(_ value: JSONValue) {
        guard let written = value.members else { return }
        let count = written.count
        members.reserveCapacity(count)
        positions.reserveCapacity(count)
        for member in written { set(Text(member.name), member.value) }
    }

    func position(of name: Text) -> Int? { positions[name] }

    subscript(name: Text) -> JSONValue? { positions[name].map { members[$0].value } }

    mutating func note(_ progress: Progress, at position: Int) { members[position].progress = progress }

    /// Members of `other` replace those of the same name (section 4.1.2 step 5.6.8).
    mutating func merge(_ other: LocalContext) {
        for member in other.members { set(member.name, member.value) }
    }

    private mutating func set(_ name: Text, _ value: JSONValue) {
        if let known = positions[name] {
            members[known].value = value
        } else {
            positions[name] = members.count
            members.append((name, value, .open))
        }
    }
}
