/// A place in a checked text: cheap to copy, valid as long as it is held. Wrong-kind access is nil, never a trap.
public struct JSONValue: Sendable {
    let tape: JSONTape
    let index: Int

    private var node: JSONNode { tape.nodes[index] }

    public var kind: JSONKind { node.kind }

    /// The octets of this value in the text that was parsed, quotes and brackets included.
    public var sourceRange: Range<Int> { Int(node.start)..<Int(node.end) }

    /// The exact octets of this value, for hashing and copying.
    public func withSource<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        let octets = tape.source(index).assumingMemoryBound(to: UInt8.self)
        defer { withExtendedLifetime(tape) {} }
        return try body(octets.span)
    }

    /// A copy of the exact octets of this value.
    public var source: [UInt8] { withExtendedLifetime(tape) { [UInt8](tape.source(index)) } }

    /// The text of a string, escapes undone.
    public var string: String? {
        guard kind == .string else { return nil }
        return withExtendedLifetime(tape) {
            let content = tape.content(index)
            return node.escaped ? String(decoding: JSONText.unescape(content), as: UTF8.self) : String(decoding: content, as: UTF8.self)
        }
    }

    /// Whether this is a string written without escapes: its text is then its source without the quotes.
    public var isPlainString: Bool { kind == .string && !node.escaped }

    /// The UTF-8 of a string, escapes undone.
    public var stringBytes: [UInt8]? {
        guard kind == .string else { return nil }
        return withExtendedLifetime(tape) {
            let content = tape.content(index)
            return node.escaped ? JSONText.unescape(content) : [UInt8](content)
        }
    }

    /// Whether this is a string with exactly these scalars: no Unicode normalisation, unlike `String.==`.
    public func isString(_ text: String) -> Bool {
        guard kind == .string else { return false }
        return withExtendedLifetime(tape) { JSONText.isEqual(tape.content(index), escaped: node.escaped, to: text) }
    }

    public var number: JSONNumber? {
        guard kind == .number else { return nil }
        return withExtendedLifetime(tape) { JSONNumber(lexeme: String(decoding: tape.source(index), as: UTF8.self)) }
    }

    public var int64: Int64? { number?.int64 }

    public var double: Double? { number?.double }

    public var bool: Bool? {
        switch kind {
        case .yes: true
        case .no: false
        default: nil
        }
    }

    public var isNull: Bool { kind == .null }

    /// The members in the order of the text, or nil when this is not an object.
    public var members: JSONMembers? { kind == .object ? JSONMembers(tape: tape, container: index) : nil }

    /// The elements in order, or nil when this is not an array.
    public var elements: JSONElements? { kind == .array ? JSONElements(tape: tape, container: index) : nil }

    /// The member of that name; nil when there is none or this is not an object. Linear in the number of members.
    public subscript(name: String) -> JSONValue? {
        guard let members else { return nil }
        for member in members where member.key.isString(name) { return member.value }
        return nil
    }

    /// The value at the end of a path of member names; the empty path is this value.
    public func value(at path: [String]) -> JSONValue? {
        var value = self
        for name in path {
            guard let next = value[name] else { return nil }
            value = next
        }
        return value
    }
}

/// One member of an object.
public struct JSONMember: Sendable {
    /// The name, as a value of kind `string`.
    public let key: JSONValue
    public let value: JSONValue

    /// The name, escapes undone.
    public var name: String { key.string ?? "" }
}

/// The members of one object.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    private let tape: JSONTape
    private var index: Int
    private let end: Int

    init(tape: JSONTape, container: Int) {
        self.tape = tape
        index = container + 1
        end = Int(tape.nodes[container].next)
    }

    public mutating func next() -> JSONMember? {
        guard index + 1 < end else { return nil }
        let member = JSONMember(key: JSONValue(tape: tape, index: index), value: JSONValue(tape: tape, index: index + 1))
        index = Int(tape.nodes[index + 1].next)
        return member
    }

    /// Number of members left. Walks them.
    public var count: Int { reduce(0) { count, _ in count + 1 } }
}

/// The elements of one array.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
    private let tape: JSONTape
    private var index: Int
    private let end: Int

    init(tape: JSONTape, container: Int) {
        self.tape = tape
        index = container + 1
        end = Int(tape.nodes[container].next)
    }

    public mutating func next() -> JSONValue? {
        guard index < end else { return nil }
        let value = JSONValue(tape: tape, index: index)
        index = Int(tape.nodes[index].next)
        return value
    }

    /// Number of elements left. Walks them.
    public var count: Int { reduce(0) { count, _ in count + 1 } }
}
