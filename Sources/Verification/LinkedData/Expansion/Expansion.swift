import JSON

/// The Expansion Algorithm (JSON-LD 1.1 API section 5.1.2).
struct Expansion {
    /// What stays the same while the members of one object are read.
    struct Frame {
        var active: ActiveContext
        let typeScoped: ActiveContext
        /// The term the object is a value of.
        let property: Text?
        /// The meaning of the last `@type`.
        let inputType: Text?
        let depth: Int
    }

    var contexts: ContextProcessor
    var journal = Journal()
    let documentURL: Text?
    let ordered: Bool
    /// The member of the outermost object that counts as absent.
    let omitted: String?
    private var visited = 0

    init(contexts: ContextProcessor, documentURL: Text?, ordered: Bool, omitted: String?) {
        self.contexts = contexts
        self.documentURL = documentURL
        self.ordered = ordered
        self.omitted = omitted
    }

    /// Section 5.1.2 as a whole, with the last steps of `expand()` (section 9.1): an array, always.
    mutating func document(_ element: JSONValue, _ active: ActiveContext) throws(LinkedDataError) -> [Expanded] {
        guard let result = try expand(element, .root, property: nil, active, depth: 0) else { return [] }
        if let object = result.object, object.count == 1, let graph = object[.atGraph] { return graph.elements }
        return result.elements
    }

    mutating func visit(depth: Int) throws(LinkedDataError) {
        visited += 1
        guard visited <= contexts.limits.nodes, depth <= contexts.limits.depth else { throw .tooComplex }
        try contexts.work.steps.spend(StepCost.value)
    }

    /// IRI Expansion of something the document says.
    mutating func iri(
        _ value: Text, _ active: ActiveContext, documentRelative: Bool = false, vocab: Bool = false
    ) throws(LinkedDataError) -> Text? {
        let iri = active.expand(value, documentRelative: documentRelative, vocab: vocab)
        let isResolved = documentRelative && active.body.base != nil && !value.hasScheme
        try contexts.charge(iri, for: value, isResolved: isResolved)
        return iri
    }

    /// Nil is the specification's null.
    mutating func expand(
        _ element: JSONValue, _ origin: Origin, property: Text?, _ active: ActiveContext, fromMap: Bool = false, depth: Int
    ) throws(LinkedDataError) -> Expanded? {
        try visit(depth: depth)
        switch element.kind {
        case .null:
            journal.drop(.nullValue, origin)
            return nil
        case .array:
            return try expandArray(element, origin, property: property, active, fromMap: fromMap, depth: depth)
        case .object:
            return try expandObject(element, origin, property: property, active, fromMap: fromMap, depth: depth)
        case .string, .number, .yes, .no:
            guard let property, property != .atGraph else {
                journal.drop(.freeFloatingValue, origin)
                return nil
            }
            let context = try propertyScoped(property, active)
            let content = Text(element).map { Expanded.Content.string($0) } ?? .json(element)
            return try expandValue(content, origin, property: property, context)
        }
    }

    /// Steps 3, 4.2 and 8.
    mutating func propertyScoped(_ property: Text?, _ active: ActiveContext) throws(LinkedDataError) -> ActiveContext {
        guard let property, let term = active.term(property), term.content.context != nil else { return active }
        return try contexts.apply(term, to: active, overrideProtected: true, propagate: true)
    }

    /// Step 5.
    private mutating func expandArray(
        _ element: JSONValue, _ origin: Origin, property: Text?, _ active: ActiveContext, fromMap: Bool, depth: Int
    ) throws(LinkedDataError) -> Expanded? {
        guard let elements = element.elements else { return nil }
        let isList = property.flatMap { active.term($0) }?.content.container.contains(.list) ?? false
        var result: [Expanded] = []
        var position = 0
        for item in elements {
            let place = journal.origins.element(position, of: origin)
            position += 1
            guard let expanded = try expand(item, place, property: property, active, fromMap: fromMap, depth: depth + 1) else { continue }
            // Each array is copied into the one around it.
            try contexts.work.steps.spend(StepCost.copies(expanded.elements.count))
            if isList, expanded.isArray {
                result.append(Expansion.list(expanded, place))
            } else {
                result.append(contentsOf: expanded.elements)
            }
        }
        if position == 0 { journal.drop(.emptyArray, origin) }
        return Expanded(.array(result), origin)
    }

    static func list(_ items: Expanded, _ origin: Origin) -> Expanded {
        var object = ExpandedObject()
        object[.atList] = items.asArray
        return Expanded(.object(object), origin)
    }

    /// Value Expansion (section 5.3.2).
    mutating func expandValue(
        _ content: Expanded.Content, _ origin: Origin, property: Text, _ active: ActiveContext
    ) throws(LinkedDataError) -> Expanded {
        let term = active.term(property)?.content
        var object = ExpandedObject()
        let value = Expanded(content, origin)
        let text = value.text
        if let text, term?.type == .atID || term?.type == .atVocab {
            let iri = try iri(Text(text.string), active, documentRelative: true, vocab: term?.type == .atVocab)
            if iri == nil { journal.drop(.nullMapping, origin) }
            object[.atID] = Expanded(iri.map { .string($0) } ?? .null, origin)
            return Expanded(.object(object), origin)
        }
        object[.atValue] = value
        if let type = term?.type, type != .atID, type != .atVocab, type != .atNone {
            object[.atType] = Expanded(.string(type), origin)
        } else if text != nil {
            setLanguage(of: &object, term, active, origin)
        }
        return Expanded(.object(object), origin)
    }

    private func setLanguage(
        of object: inout ExpandedObject, _ term: TermDefinition.Content?, _ active: ActiveContext, _ origin: Origin
    ) {
        switch term?.language ?? .inherited {
        case .inherited: if let language = active.body.language { object[.atLanguage] = Expanded(.string(language), origin) }
        case .value(let language): object[.atLanguage] = Expanded(.string(language), origin)
        case .none: break
        }
        if let direction = direction(of: term, active) { object[.atDirection] = Expanded(.string(direction), origin) }
    }

    func direction(of term: TermDefinition.Content?, _ active: ActiveContext) -> Text? {
        switch term?.direction ?? .inherited {
        case .inherited: active.body.direction
        case .value(let direction): direction
        case .none: nil
        }
    }
}
