import JSON

/// An active context while the terms of one local context are being added to it.
struct ContextDraft {
    var local: LocalContext
    var body: ActiveContext.Body
    let scope: ContextProcessor.Scope
    /// The `@protected` of the context as a whole.
    let isProtected: Bool
    /// Terms under definition that wait for one another.
    var depth = 0
}

extension ContextProcessor {
    /// IRI Expansion inside a context (section 5.2.2 steps 3 and 6.3): names are defined before they are used.
    mutating func expand(
        _ value: Text, documentRelative: Bool = false, in draft: inout ContextDraft
    ) throws(LinkedDataError) -> Text? {
        if value.isKeyword { return value }
        if value.looksLikeKeyword { return nil }
        try require(value, in: &draft)
        if value.contains(":"), draft.body.terms[value] == nil, let (prefix, suffix) = value.splitAtColon, prefix != "_",
            !suffix.utf8.starts(with: "//".utf8)
        {
            try require(prefix, in: &draft)
        }
        let iri = draft.body.expand(value, documentRelative: documentRelative, vocab: true)
        try charge(iri, for: value)
        return iri
    }

    /// Defines `name` if this context has it and it is not defined yet.
    mutating func require(_ name: Text, in draft: inout ContextDraft) throws(LinkedDataError) {
        guard let position = draft.local.position(of: name) else { return }
        try createTerm(position, in: &draft)
    }

    /// Create Term Definition (section 4.2.2).
    mutating func createTerm(_ position: Int, in draft: inout ContextDraft) throws(LinkedDataError) {
        let (name, value, progress) = draft.local.members[position]
        switch progress {
        case .done: return
        case .begun: throw .cyclicIRIMapping
        case .open: break
        }
        guard !name.isEmpty else { throw .invalidTermDefinition }
        draft.local.note(.begun, at: position)
        draft.depth += 1
        defer { draft.depth -= 1 }
        guard draft.scope.depth + draft.depth <= 2 * limits.depth else { throw .tooComplex }
        try charge(StepCost.definition)
        if name == .atType {
            try checkTypeKeyword(value)
        } else if name.isKeyword {
            throw .keywordRedefinition
        } else if name.looksLikeKeyword {
            return
        }
        let previous = draft.body.terms.removeValue(forKey: name)
        let written = WrittenTerm(value)
        guard value.isNull || value.kind == .string || value.kind == .object else { throw .invalidTermDefinition }
        var term = TermDefinition.Content()
        term.isProtected = draft.isProtected
        if let flag = written.isProtected {
            guard let isProtected = flag.bool else { throw .invalidProtected }
            term.isProtected = isProtected
        }
        try setType(written, of: &term, in: &draft)
        if let reverse = written.reverse {
            guard try setReverse(reverse, written, of: &term, in: &draft) else {
                draft.body.terms[name] = previous
                return
            }
        } else {
            let simple = value.kind == .string || value.isNull ? value : nil
            guard try setIRI(of: name, position, simple ?? written.id, written, isSimple: value.kind == .string, &term, in: &draft) else {
                draft.body.terms[name] = previous
                return
            }
        }
        try setContainer(written, of: &term)
        try setIndex(written, of: &term, in: &draft)
        try setContext(written, of: &term, in: draft)
        try setLanguage(written, of: &term)
        try setNest(written, of: &term)
        try setPrefix(written, of: &term, name)
        guard !written.hasUnknown else { throw .invalidTermDefinition }
        var definition: TermDefinition?
        if !draft.scope.overrideProtected, let previous, previous.content.isProtected {
            if let context = term.context { try charge(StepCost.context(context.local.sourceRange.count)) }
            guard previous.means(term) else { throw .protectedTermRedefinition }
            definition = previous
        }
        draft.body.terms[name] = definition ?? TermDefinition(term)
        draft.local.note(.done, at: position)
    }

    /// Step 4: `@type` may be given a container and protection, nothing else.
    private func checkTypeKeyword(_ value: JSONValue) throws(LinkedDataError) {
        guard let members = value.members else { throw .keywordRedefinition }
        var count = 0
        for member in members {
            count += 1
            let isSet = member.key.isString("@container") && member.value.isString("@set")
            guard isSet || member.key.isString("@protected") else { throw .keywordRedefinition }
        }
        guard count > 0 else { throw .keywordRedefinition }
    }
}
