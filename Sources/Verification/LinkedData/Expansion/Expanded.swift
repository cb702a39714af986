import JSON

/// One value of an expanded document, and where it was written.
public struct Expanded: Sendable {
    public enum Content: Sendable {
        case null
        case string(Text)
        /// A number, a boolean, or the whole of a JSON literal.
        case json(JSONValue)
        case array([Expanded])
        case object(ExpandedObject)
    }

    public var content: Content
    public let origin: Origin

    init(_ content: Content, _ origin: Origin) {
        self.content = content
        self.origin = origin
    }

    public var object: ExpandedObject? {
        if case .object(let object) = content { object } else { nil }
    }

    public var text: Text? {
        if case .string(let text) = content { text } else { nil }
    }

    /// The elements of an array; anything else counts as an array of itself.
    public var elements: [Expanded] {
        if case .array(let elements) = content { elements } else { [self] }
    }

    var isArray: Bool { if case .array = content { true } else { false } }
    var isNull: Bool { if case .null = content { true } else { false } }

    /// An object with that member.
    func has(_ key: Text) -> Bool { object?[key] != nil }

    /// `@graph` with no more than `@id` and `@index` beside it.
    var isGraphObject: Bool {
        guard let object, object[.atGraph] != nil else { return false }
        return object.members.allSatisfy { $0.key == .atGraph || $0.key == .atID || $0.key == .atIndex }
    }

    var asArray: Expanded { isArray ? self : Expanded(.array([self]), origin) }
}

/// The members of an expanded object: keywords and IRIs, in the order they were made.
public struct ExpandedObject: Sendable {
    public private(set) var members: [(key: Text, value: Expanded)] = []
    /// Beyond this many members a table finds them, so that a wide object costs no more than its size.
    private static let linear = 12
    private var table: [Text: Int] = [:]

    public var count: Int { members.count }

    private func position(_ key: Text) -> Int? {
        if members.count > ExpandedObject.linear { return table[key] }
        return members.firstIndex { $0.key == key }
    }

    public internal(set) subscript(key: Text) -> Expanded? {
        get { position(key).map { members[$0].value } }
        set {
            let known = position(key)
            if let newValue {
                if let known {
                    members[known].value = newValue
                } else {
                    insert(key, newValue)
                }
            } else if let known {
                members.remove(at: known)
                table.removeAll()
                if members.count > ExpandedObject.linear { index(from: 0) }
            }
        }
    }

    private mutating func insert(_ key: Text, _ value: Expanded) {
        members.append((key, value))
        if members.count > ExpandedObject.linear { index(from: table.isEmpty ? 0 : members.count - 1) }
    }

    private mutating func index(from first: Int) {
        for position in first..<members.count { table[members[position].key] = position }
    }

    /// Adds to the array at `key` of the object at `outer`, which is made if there is none.
    mutating func add(_ value: Expanded, to key: Text, under outer: Text, _ origin: Origin) {
        var object = ExpandedObject()
        if let known = position(outer), case .object(let inner) = members[known].value.content {
            object = inner
            // As below.
            members[known].value.content = .null
        }
        object.add(value, to: key)
        self[outer] = Expanded(.object(object), origin)
    }

    /// Appends to the array at `key`, which is made if there is none. The elements of an array are appended one by one.
    mutating func add(_ value: Expanded, to key: Text) {
        guard let known = position(key) else {
            insert(key, value.asArray)
            return
        }
        var elements = members[known].value.elements
        let origin = members[known].value.origin
        // Let go of the other reference, or the append copies all of it.
        members[known].value.content = .null
        elements.append(contentsOf: value.elements)
        members[known].value = Expanded(.array(elements), origin)
    }
}
