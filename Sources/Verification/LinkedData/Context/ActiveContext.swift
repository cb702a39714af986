import JSON

/// The context in force at one place of a document (JSON-LD 1.1 API section 4.1). Frozen once made; a new context is a new object.
final class ActiveContext: Sendable {
    struct Body: Sendable {
        var terms: [Text: TermDefinition] = [:]
        var base: Text?
        let originalBase: Text?
        var vocab: Text?
        var language: Text?
        var direction: Text?
        /// The context to return to where a type-scoped context ends.
        var previous: ActiveContext?

        /// A newly-initialized active context.
        init(base: Text?) {
            self.base = base
            originalBase = base
        }

        var hasProtectedTerms: Bool { terms.values.contains { $0.content.isProtected } }

        /// IRI Expansion (section 5.2.2) once the terms it needs are defined. Nil: the value has the form of a keyword, or a term takes its
        /// meaning away.
        func expand(_ value: Text, documentRelative: Bool, vocab useVocab: Bool) -> Text? {
            if value.mayBeKeyword {
                if value.isKeyword { return value }
                if value.looksLikeKeyword { return nil }
            }
            if let term = terms[value]?.content {
                if useVocab { return term.iri }
                if let iri = term.iri, iri.isKeyword { return iri }
            }
            if value.contains(":"), let (prefix, suffix) = value.splitAtColon {
                if prefix == "_" || suffix.utf8.starts(with: "//".utf8) { return value }
                if let term = terms[prefix]?.content, term.isPrefix, let iri = term.iri { return iri + suffix }
                if value.hasScheme { return value }
            }
            if useVocab, let vocab { return vocab + value }
            if documentRelative, let base { return IRIReference.resolve(value, against: base) }
            return value
        }
    }

    let body: Body
    /// Made of pinned documents alone, so worth keeping for the next document and free of this one's data.
    let isPinned: Bool

    init(_ body: Body, isPinned: Bool) {
        self.body = body
        self.isPinned = isPinned
    }

    /// Whether `name` is that keyword or an alias of it: the same as expanding it, without making a text.
    func isAlias(_ name: Text, of keyword: Text) -> Bool {
        if name.mayBeKeyword, name == keyword || name.isKeyword || name.looksLikeKeyword { return name == keyword }
        if let term = body.terms[name]?.content { return term.iri == keyword }
        // Nothing that is put together from a prefix is a keyword, and only the shortest vocabulary could make one.
        guard !name.contains(":"), let vocab = body.vocab, vocab.utf8.count < keyword.utf8.count else { return false }
        return vocab + name == keyword
    }

    func term(_ name: Text) -> TermDefinition? { body.terms[name] }

    func expand(_ value: Text, documentRelative: Bool = false, vocab: Bool = false) -> Text? {
        body.expand(value, documentRelative: documentRelative, vocab: vocab)
    }
}

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
