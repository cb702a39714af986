import JSON

/// How the values of a term are held (JSON-LD 1.1 API section 4.2, container mapping).
struct Container: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let graph = Container(rawValue: 1)
    static let id = Container(rawValue: 2)
    static let index = Container(rawValue: 4)
    static let language = Container(rawValue: 8)
    static let list = Container(rawValue: 16)
    static let set = Container(rawValue: 32)
    static let type = Container(rawValue: 64)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init?(keyword: Text) {
        switch keyword {
        case .atGraph: self = .graph
        case .atID: self = .id
        case .atIndex: self = .index
        case .atLanguage: self = .language
        case .atList: self = .list
        case .atSet: self = .set
        case .atType: self = .type
        default: return nil
        }
    }

    /// The combinations of section 4.2.2 step 19.1.
    var isAllowed: Bool {
        if isEmpty { return false }
        if self == .list { return true }
        if contains(.list) { return false }
        let others = subtracting(.set)
        if others.contains(.graph) { return others == .graph || others == [.graph, .id] || others == [.graph, .index] }
        return others.rawValue & (others.rawValue &- 1) == 0
    }
}

/// A setting a term may leave open, take away or give.
enum Override: Hashable, Sendable {
    case inherited
    case none
    case value(Text)
}

/// A context held back until its term is used, and the document it was found in.
struct ScopedContext: Sendable {
    let local: JSONValue
    let baseURL: Text?
    /// Whether that document is a pinned one.
    let isPinned: Bool
}

/// What a term stands for. A class, so that contexts that share terms share them; nothing changes once it is in a context.
final class TermDefinition: Sendable {
    struct Content: Sendable {
        /// Nil: the term is explicitly mapped to nothing.
        var iri: Text?
        var isPrefix = false
        var isProtected = false
        var isReverse = false
        var container: Container = []
        var type: Text?
        var language = Override.inherited
        var direction = Override.inherited
        var nest: Text?
        var index: Text?
        var context: ScopedContext?
    }

    let content: Content

    init(_ content: Content) { self.content = content }

    /// The same meaning, whatever the protection (section 4.2.2 step 27).
    func means(_ other: Content) -> Bool {
        let mine = content
        guard mine.iri == other.iri, mine.isPrefix == other.isPrefix, mine.isReverse == other.isReverse, mine.container == other.container,
            mine.type == other.type, mine.language == other.language, mine.direction == other.direction, mine.nest == other.nest,
            mine.index == other.index
        else { return false }
        switch (mine.context, other.context) {
        case (nil, nil): return true
        case (let one?, let two?): return one.local.isSame(as: two.local)
        default: return false
        }
    }
}

extension JSONValue {
    /// The same JSON, whatever the white space, the escapes and the order of members. Values nested too deeply are never the same.
    func isSame(as other: JSONValue, depth: Int = 64) -> Bool {
        guard depth > 0, kind == other.kind else { return false }
        switch kind {
        case .yes, .no, .null: return true
        case .string: return stringBytes == other.stringBytes
        case .number: return number == other.number
        case .array:
            guard let mine = elements, let theirs = other.elements, mine.count == theirs.count else { return false }
            return zip(mine, theirs).allSatisfy { $0.isSame(as: $1, depth: depth - 1) }
        case .object:
            let mine = LocalContext(self), theirs = LocalContext(other)
            guard mine.members.count == theirs.members.count else { return false }
            return mine.members.allSatisfy { member in theirs[member.name].map { member.value.isSame(as: $0, depth: depth - 1) } ?? false }
        }
    }
}
