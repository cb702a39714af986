import JSON
import LinkedData

/// The signed statements about one subject as JSON, named by IRI: what the issuer signed, and nothing the sender wrote.
///
/// A text is a string, a boolean a boolean and an integer a number; other literals are `{"@value", "@type"}` or `{"@value", "@language"}`.
/// A node is an object of its properties with `@id` and `@type` where it has them, a list `{"@list"}`. Several values of one property are
/// an array, in the order they were written; that order is not signed.
struct LinkedClaims {
    private let quads: [Quad]
    private let bySubject: [Term: [Int]]
    private var writer: JSONWriter
    /// Values still allowed: statements can share nodes, so that a small graph would be an endless tree.
    private var valuesLeft = 20_000
    private var path: [Term] = []
    /// Lists that are open: one can hold another however flat the document is.
    private var openLists = 0

    private static let deepest = 24
    /// Octets of the text: a portrait in a node that many others share would be told again for each of them.
    private static let longest = 4 << 20
    private static let first: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#first"
    private static let rest: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest"
    private static let end: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"

    /// Throws `tooComplex` for statements that do not fit into a tree of bounded size.
    static func document(of subject: Term, in statements: LinkedStatements) throws(RejectReason) -> JSONDocument {
        var claims = LinkedClaims(statements)
        defer { claims.writer.erase() }
        try claims.node(subject)
        do throws(JSONError) {
            return try JSONDocument(parsing: claims.writer.bytes)
        } catch {
            throw error.rejectReason
        }
    }

    private init(_ statements: LinkedStatements) {
        quads = statements.quads
        var bySubject: [Term: [Int]] = [:]
        var size = 0
        for (index, quad) in statements.quads.enumerated() where quad.graph == nil {
            bySubject[quad.subject, default: []].append(index)
            if let text = quad.object.text { size += text.utf8.count + 64 }
        }
        self.bySubject = bySubject
        writer = JSONWriter(reserving: size + 4096)
    }

    private mutating func node(_ node: Term) throws(RejectReason) {
        guard path.count + openLists < Self.deepest else { throw .tooComplex }
        writer.beginObject()
        if let iri = node.iri { writer.member("@id", iri) }
        // A node inside itself is named, and not told again.
        if !path.contains(node), let indices = bySubject[node] {
            path.append(node)
            try properties(indices)
            path.removeLast()
        }
        writer.endObject()
    }

    private mutating func properties(_ indices: [Int]) throws(RejectReason) {
        var names: [Text] = []
        var values: [Text: [Term]] = [:]
        for index in indices {
            guard case .iri(let name) = quads[index].predicate else { continue }
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(quads[index].object)
        }
        for name in names {
            let found = values[name] ?? []
            guard name != Vocabulary.type else {
                writer.name("@type")
                writer.array { writer in for type in found { writer.string(type.iri ?? "") } }
                continue
            }
            writer.name(name.string)
            if found.count == 1 {
                try value(found[0])
            } else {
                writer.beginArray()
                for one in found { try value(one) }
                writer.endArray()
            }
        }
    }

    private mutating func value(_ term: Term) throws(RejectReason) {
        guard valuesLeft > 0, writer.bytes.count <= Self.longest else { throw .tooComplex }
        valuesLeft -= 1
        switch term {
        case .literal(let literal): self.literal(literal)
        case .iri(Self.end): emptyList()
        case .iri: try node(term)
        case .blankNode:
            guard let elements = try elements(term) else { return try node(term) }
            guard path.count + openLists < Self.deepest else { throw .tooComplex }
            openLists += 1
            defer { openLists -= 1 }
            writer.beginObject()
            writer.name("@list")
            writer.beginArray()
            for element in elements { try value(element) }
            writer.endArray()
            writer.endObject()
        }
    }

    private mutating func emptyList() {
        writer.object { writer in
            writer.name("@list")
            writer.array { _ in }
        }
    }

    /// The elements of an RDF list that begins at `node`; nil where it is none.
    private mutating func elements(_ node: Term) throws(RejectReason) -> [Term]? {
        var elements: [Term] = []
        var next = node
        while next != .iri(Self.end) {
            guard let statements = bySubject[next], statements.count == 2,
                let first = statements.first(where: { quads[$0].predicate == .iri(Self.first) }),
                let rest = statements.first(where: { quads[$0].predicate == .iri(Self.rest) })
            else { return nil }
            // A list that bites its tail has no end.
            guard valuesLeft > 0 else { throw .tooComplex }
            valuesLeft -= 1
            elements.append(quads[first].object)
            next = quads[rest].object
        }
        return elements
    }

    private mutating func literal(_ literal: Literal) {
        let text = literal.value.string
        switch literal.datatype {
        case Vocabulary.string: writer.string(text)
        case Vocabulary.boolean where text == "true" || text == "false": writer.bool(text == "true")
        case Vocabulary.integer where Int64(text).map(String.init) == text: writer.integer(Int64(text) ?? 0)
        default:
            writer.object { writer in
                writer.member("@value", text)
                if let language = literal.language {
                    writer.member("@language", language.string)
                } else {
                    writer.member("@type", literal.datatype.string)
                }
            }
        }
    }
}
