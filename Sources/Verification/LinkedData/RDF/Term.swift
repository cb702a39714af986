/// A node or value of a dataset (RDF 1.1 Concepts section 3).
public enum Term: Hashable, Sendable {
    case iri(Text)
    /// The label, without `_:`.
    case blankNode(Text)
    case literal(Literal)
}

public struct Literal: Hashable, Sendable {
    public let value: Text
    /// `rdf:langString` when there is a language.
    public let datatype: Text
    public let language: Text?

    public init(_ value: Text, datatype: Text = Vocabulary.string, language: Text? = nil) {
        self.value = value
        self.datatype = language == nil ? datatype : Vocabulary.langString
        self.language = language
    }
}

/// One statement. The default graph has no name.
public struct Quad: Hashable, Sendable {
    public let subject: Term
    public let predicate: Term
    public let object: Term
    public let graph: Term?

    public init(_ subject: Term, _ predicate: Term, _ object: Term, graph: Term? = nil) {
        self.subject = subject
        self.predicate = predicate
        self.object = object
        self.graph = graph
    }

    /// The label, if the term is a blank node.
    static func label(_ term: Term?) -> Text? {
        if case .blankNode(let label) = term { label } else { nil }
    }
}

/// The IRIs the conversion itself writes.
public enum Vocabulary {
    public static let type: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    public static let langString: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
    public static let json: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON"
    static let first: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#first"
    static let rest: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest"
    static let `nil`: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"
    public static let string: Text = "http://www.w3.org/2001/XMLSchema#string"
    public static let boolean: Text = "http://www.w3.org/2001/XMLSchema#boolean"
    public static let integer: Text = "http://www.w3.org/2001/XMLSchema#integer"
    public static let double: Text = "http://www.w3.org/2001/XMLSchema#double"
}
