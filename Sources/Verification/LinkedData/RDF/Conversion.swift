import JSON

/// Deserialize JSON-LD to RDF (JSON-LD 1.1 API section 8): expanded document in, dataset out.
///
/// The node map of section 7.2 is not built: a dataset is a set, so emitting statements node by node gives the same result.
struct Conversion {
    /// Where statements go.
    enum Graph: Hashable {
        case standard
        case named(Term)
        /// A graph whose name cannot stand in a dataset.
        case dropped

        var name: Term? {
            if case .named(let name) = self { name } else { nil }
        }
    }

    private struct Place: Hashable {
        let graph: Graph
        /// As the document has it: a name that is dropped still names one node.
        let node: Text
    }

    private(set) var dataset = Dataset()
    var journal: Journal
    private let limits: LinkedDataLimits
    private var labels: [Text: Text] = [:]
    private var blankNodes = 0
    private var indexes: [Place: Text] = [:]
    private(set) var steps: StepBudget

    init(journal: Journal, limits: LinkedDataLimits, steps: StepBudget) {
        self.journal = journal
        self.limits = limits
        self.steps = steps
    }

    mutating func convert(_ document: [Expanded]) throws(LinkedDataError) {
        for item in document { try stand(item, in: .standard) }
        guard journal.octets <= limits.octets else { throw .tooComplex }
        // Whoever asks what was dropped has the pointers spelled out.
        try steps.spend(StepCost.pointers(journal.octets))
    }

    // MARK: Nodes

    /// What no property leads to: at the top of a graph, or included. Expansion has dropped what says nothing, except in containers of
    /// graphs.
    private mutating func stand(_ item: Expanded, in graph: Graph) throws(LinkedDataError) {
        guard let object = item.object else { return journal.drop(.freeFloatingValue, item.origin) }
        if object[.atValue] != nil || object[.atList] != nil {
            journal.drop(.freeFloatingValue, item.origin)
        } else if object.members.allSatisfy({ [.atID, .atIndex, .atIncluded].contains($0.key) }) {
            journal.drop(.freeFloatingNode, object[.atID]?.origin ?? item.origin)
        }
        _ = try term(item, in: graph, isStated: false)
    }

    /// The node's own term; nil when it has no place in a dataset. What is nested in it is converted either way.
    private mutating func node(_ object: ExpandedObject, _ origin: Origin, in graph: Graph) throws(LinkedDataError) -> Term? {
        let subject = try identifier(of: object)
        if subject == nil { journal.drop(.relativeIdentifier, object[.atID]?.origin ?? origin) }
        if let index = object[.atIndex], let text = index.text {
            journal.drop(.index, index.origin)
            if let name = object[.atID]?.text, indexes.updateValue(text, forKey: Place(graph: graph, node: name)) ?? text != text {
                throw .conflictingIndexes
            }
        }
        for member in object.members {
            switch member.key {
            case .atID, .atIndex: continue
            case .atType: try types(member.value, of: subject, in: graph)
            case .atGraph:
                if subject == nil { journal.drop(.relativeGraph, member.value.origin) }
                let inner: Graph = subject.map { .named($0) } ?? .dropped
                for item in member.value.elements { try stand(item, in: inner) }
            case .atIncluded:
                for item in member.value.elements { try stand(item, in: graph) }
            case .atReverse: try reversed(member.value, of: subject, in: graph)
            default: try property(member.key, member.value, of: subject, in: graph)
            }
        }
        return subject
    }

    private mutating func identifier(of object: ExpandedObject) throws(LinkedDataError) -> Term? {
        guard let written = object[.atID] else { return try freshNode() }
        guard let text = written.text else { return nil }
        return try resource(text)
    }

    /// A blank node or a well-formed IRI; nil for anything else.
    private mutating func resource(_ text: Text) throws(LinkedDataError) -> Term? {
        if text.isBlankNode {
            if let known = labels[text] { return .blankNode(known) }
            let fresh = try freshNode()
            if case .blankNode(let label) = fresh { labels[text] = label }
            return fresh
        }
        return text.isWellFormedIRI ? .iri(text) : nil
    }

    private mutating func freshNode() throws(LinkedDataError) -> Term {
        guard blankNodes < limits.blankNodes else { throw .tooComplex }
        defer { blankNodes += 1 }
        return .blankNode(Text("b\(blankNodes)"))
    }

    mutating func types(_ value: Expanded, of subject: Term?, in graph: Graph) throws(LinkedDataError) {
        for item in value.elements {
            try steps.spend(StepCost.term)
            guard let text = item.text, let type = try resource(text) else {
                journal.drop(.relativeType, item.origin)
                continue
            }
            try emit(subject, .iri(Vocabulary.type), type, in: graph, from: item.origin)
        }
    }

    private mutating func predicate(_ key: Text, _ isWellFormed: Bool, _ origin: Origin) -> Term? {
        if isWellFormed { return .iri(key) }
        journal.drop(key.isBlankNode ? .blankProperty : .relativeProperty, origin)
        return nil
    }

    private mutating func property(
        _ key: Text, _ value: Expanded, of subject: Term?, in graph: Graph
    ) throws(LinkedDataError) {
        let isWellFormed = key.isWellFormedIRI
        for item in value.elements {
            let predicate = predicate(key, isWellFormed, item.origin)
            // A property that is dropped takes along its values and its lists; nodes below it still speak for themselves.
            let object = try term(item, in: graph, isStated: subject != nil && predicate != nil)
            if let predicate, let object { try emit(subject, predicate, object, in: graph, from: item.origin) }
        }
    }

    private mutating func reversed(_ value: Expanded, of subject: Term?, in graph: Graph) throws(LinkedDataError) {
        guard let map = value.object else { return }
        for member in map.members {
            let isWellFormed = member.key.isWellFormedIRI
            for item in member.value.elements {
                let predicate = predicate(member.key, isWellFormed, item.origin)
                let other = try term(item, in: graph)
                if let predicate, let subject { try emit(other, predicate, subject, in: graph, from: item.origin) }
            }
        }
    }

    private mutating func emit(
        _ subject: Term?, _ predicate: Term, _ object: Term, in graph: Graph, from origin: Origin
    ) throws(LinkedDataError) {
        guard let subject, graph != .dropped else { return }
        var cost = StepCost.statement
        if case .literal(let literal) = object { cost += StepCost.literal(literal.value.count) }
        try steps.spend(cost)
        dataset.insert(Quad(subject, predicate, object, graph: graph.name), from: origin)
        journal.point(to: origin)
        guard dataset.quads.count <= limits.quads, dataset.octets <= limits.octets else { throw .tooComplex }
    }

    // MARK: Values

    /// Object to RDF Conversion (section 8.2.2), for nodes, lists and values alike.
    /// - Parameter isStated: whether the statement this is the object of is made. Without it a list makes none of its own (section 8.1.2).
    private mutating func term(_ item: Expanded, in graph: Graph, isStated: Bool = true) throws(LinkedDataError) -> Term? {
        try steps.spend(StepCost.term)
        guard let object = item.object else {
            journal.drop(.freeFloatingValue, item.origin)
            return nil
        }
        if object[.atValue] != nil { return try literal(object) }
        if let list = object[.atList] {
            if let index = object[.atIndex] { journal.drop(.index, index.origin) }
            return try self.list(list, in: graph, isStated)
        }
        return try node(object, item.origin, in: graph)
    }

    /// List Conversion (section 8.3.2).
    private mutating func list(_ list: Expanded, in graph: Graph, _ isStated: Bool) throws(LinkedDataError) -> Term? {
        let items = list.elements
        guard isStated else {
            for item in items { _ = try term(item, in: graph, isStated: false) }
            return nil
        }
        if items.isEmpty { return .iri(Vocabulary.nil) }
        let head = try freshNode()
        var cell = head
        for (position, item) in items.enumerated() {
            if let value = try term(item, in: graph) {
                try emit(cell, .iri(Vocabulary.first), value, in: graph, from: item.origin)
            }
            let next = position + 1 < items.count ? try freshNode() : .iri(Vocabulary.nil)
            try emit(cell, .iri(Vocabulary.rest), next, in: graph, from: item.origin)
            cell = next
        }
        return head
    }

    private mutating func literal(_ object: ExpandedObject) throws(LinkedDataError) -> Term? {
        guard let value = object[.atValue] else { return nil }
        if let index = object[.atIndex] { journal.drop(.index, index.origin) }
        if let direction = object[.atDirection] { journal.drop(.direction, direction.origin) }
        let datatype = object[.atType]?.text
        if datatype == .atJSON {
            let canonical: [UInt8]
            switch value.content {
            case .json(let json): canonical = try CanonicalJSON.bytes(of: json, depth: limits.depth, steps: &steps)
            case .string(let text): canonical = CanonicalJSON.bytes(of: text)
            default: canonical = Array("null".utf8)
            }
            return .literal(Literal(Text(decoding: canonical), datatype: Vocabulary.json))
        }
        if let datatype, !datatype.isWellFormedIRI {
            journal.drop(.invalidDatatype, value.origin)
            return nil
        }
        if let language = object[.atLanguage]?.text, !language.isWellFormedLanguage {
            journal.drop(.invalidLanguage, value.origin)
            return nil
        }
        switch value.content {
        case .string(let text):
            return .literal(Literal(text, datatype: datatype ?? Vocabulary.string, language: object[.atLanguage]?.text))
        case .json(let json):
            if let flag = json.bool { return .literal(Literal(flag ? "true" : "false", datatype: datatype ?? Vocabulary.boolean)) }
            guard let number = json.number else { return nil }
            let (text, type) = try NumberText.literal(number, datatype: datatype)
            return .literal(Literal(text, datatype: type))
        case .null, .array, .object:
            return nil
        }
    }
}
