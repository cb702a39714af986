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

/// The members of a term definition as they are written. Most of a context is such definitions, so they are looked through once.
struct WrittenTerm {
    private(set) var container: JSONValue?
    private(set) var context: JSONValue?
    private(set) var direction: JSONValue?
    private(set) var id: JSONValue?
    private(set) var index: JSONValue?
    private(set) var isProtected: JSONValue?
    private(set) var language: JSONValue?
    private(set) var nest: JSONValue?
    private(set) var prefix: JSONValue?
    private(set) var reverse: JSONValue?
    private(set) var type: JSONValue?
    /// Step 26: it has a member of another name.
    private(set) var hasUnknown = false

    /// Empty when `value` is not an object.
    init(_ value: JSONValue) {
        guard let members = value.members else { return }
        for member in members {
            let (name, value) = (member.key, member.value)
            if name.isString("@id") {
                id = value
            } else if name.isString("@type") {
                type = value
            } else if name.isString("@container") {
                container = value
            } else if name.isString("@context") {
                context = value
            } else if name.isString("@protected") {
                isProtected = value
            } else if name.isString("@reverse") {
                reverse = value
            } else if name.isString("@language") {
                language = value
            } else if name.isString("@direction") {
                direction = value
            } else if name.isString("@index") {
                index = value
            } else if name.isString("@nest") {
                nest = value
            } else if name.isString("@prefix") {
                prefix = value
            } else {
                hasUnknown = true
            }
        }
    }
}

/// The members of a term definition, each checked and taken over (JSON-LD 1.1 API section 4.2.2 steps 12 to 25).
extension ContextProcessor {
    /// Step 12.
    mutating func setType(
        _ written: WrittenTerm, of term: inout TermDefinition.Content, in draft: inout ContextDraft
    ) throws(LinkedDataError) {
        guard let value = written.type else { return }
        guard let text = value.string.map(Text.init), let type = try expand(text, in: &draft) else { throw .invalidTypeMapping }
        switch type {
        case .atID, .atVocab, .atJSON, .atNone: break
        default: guard type.hasScheme else { throw .invalidTypeMapping }
        }
        term.type = type
    }

    /// Step 13. False: the name is reserved and the term is ignored.
    mutating func setReverse(
        _ value: JSONValue, _ written: WrittenTerm, of term: inout TermDefinition.Content, in draft: inout ContextDraft
    ) throws(LinkedDataError) -> Bool {
        guard written.id == nil, written.nest == nil else { throw .invalidReverseProperty }
        guard let text = value.string.map(Text.init) else { throw .invalidIRIMapping }
        if text.looksLikeKeyword { return false }
        guard let iri = try expand(text, in: &draft), iri.hasScheme || iri.isBlankNode else { throw .invalidIRIMapping }
        if let container = written.container, !container.isNull {
            guard container.isString("@set") || container.isString("@index") else { throw .invalidReverseProperty }
        }
        term.iri = iri
        term.isReverse = true
        return true
    }

    /// Steps 14 to 18. False: the name is reserved and the term is ignored.
    mutating func setIRI(
        of name: Text, _ position: Int, _ value: JSONValue?, _ written: WrittenTerm, isSimple: Bool, _ term: inout TermDefinition.Content,
        in draft: inout ContextDraft
    ) throws(LinkedDataError) -> Bool {
        if let value, !value.isString(name.string) {
            if value.isNull { return true }
            guard let text = value.string.map(Text.init) else { throw .invalidIRIMapping }
            if text.looksLikeKeyword, !text.isKeyword { return false }
            guard let iri = try expand(text, in: &draft), iri.isKeyword || iri.hasScheme || iri.isBlankNode else {
                throw .invalidIRIMapping
            }
            guard iri != .atContext else { throw .invalidKeywordAlias }
            term.iri = iri
            let hasInnerColon = name.utf8.dropFirst().dropLast().contains(UInt8(ascii: ":"))
            if hasInnerColon || name.contains("/") {
                draft.local.note(.done, at: position)
                guard try expand(name, in: &draft) == iri else { throw .invalidIRIMapping }
            }
            if isSimple, !name.contains(":"), !name.contains("/") {
                term.isPrefix = iri.isBlankNode || iri.utf8.last.map { ":/?#[]@".utf8.contains($0) } ?? false
            }
        } else if let (prefix, suffix) = name.splitAtColon {
            try require(prefix, in: &draft)
            term.iri = draft.body.terms[prefix]?.content.iri.map { $0 + suffix } ?? name
        } else if name.contains("/") {
            guard let iri = draft.body.expand(name, documentRelative: false, vocab: true), iri.hasScheme else { throw .invalidIRIMapping }
            term.iri = iri
        } else if name == .atType {
            term.iri = .atType
        } else {
            guard let vocab = draft.body.vocab else { throw .invalidIRIMapping }
            term.iri = vocab + name
        }
        try charge(term.iri, for: name)
        return true
    }

    /// Step 19.
    func setContainer(_ written: WrittenTerm, of term: inout TermDefinition.Content) throws(LinkedDataError) {
        guard let value = written.container, !(term.isReverse && value.isNull) else { return }
        var container: Container = []
        if let elements = value.elements {
            for element in elements {
                guard let one = element.string.flatMap({ Container(keyword: Text($0)) }) else { throw .invalidContainerMapping }
                container.insert(one)
            }
        } else {
            guard let one = value.string.flatMap({ Container(keyword: Text($0)) }) else { throw .invalidContainerMapping }
            container = one
        }
        guard container.isAllowed else { throw .invalidContainerMapping }
        if container.contains(.type) {
            let type = term.type ?? .atID
            guard type == .atID || type == .atVocab else { throw .invalidTypeMapping }
            term.type = type
        }
        term.container = container
    }

    /// Step 20.
    mutating func setIndex(
        _ written: WrittenTerm, of term: inout TermDefinition.Content, in draft: inout ContextDraft
    ) throws(LinkedDataError) {
        guard let value = written.index else { return }
        guard term.container.contains(.index), let text = value.string.map(Text.init),
            let iri = try expand(text, in: &draft), iri.hasScheme
        else { throw .invalidTermDefinition }
        term.index = text
    }

    /// Step 21: the context must hold now, but it is applied when the term is used.
    mutating func setContext(
        _ written: WrittenTerm, of term: inout TermDefinition.Content, in draft: ContextDraft
    ) throws(LinkedDataError) {
        guard let value = written.context else { return }
        var scope = draft.scope
        scope.overrideProtected = true
        scope.propagate = true
        scope.validateScoped = false
        scope.depth += draft.depth
        do throws(LinkedDataError) {
            _ = try process(value, on: ActiveContext(draft.body, isPinned: false), scope, isPinned: false)
        } catch {
            switch error {
            case .tooComplex, .loadingDocumentFailed: throw error
            default: throw .invalidScopedContext
            }
        }
        term.context = ScopedContext(local: value, baseURL: draft.scope.baseURL, isPinned: isPinnedWork)
    }

    /// Steps 22 and 23.
    func setLanguage(_ written: WrittenTerm, of term: inout TermDefinition.Content) throws(LinkedDataError) {
        guard written.type == nil else { return }
        if let value = written.language {
            guard value.isNull || value.kind == .string else { throw .invalidLanguageMapping }
            term.language = value.string.map { .value(Text($0)) } ?? Override.none
        }
        if let value = written.direction {
            guard value.isNull || value.isString("ltr") || value.isString("rtl") else { throw .invalidBaseDirection }
            term.direction = value.string.map { .value(Text($0)) } ?? Override.none
        }
    }

    /// Step 24.
    func setNest(_ written: WrittenTerm, of term: inout TermDefinition.Content) throws(LinkedDataError) {
        guard let value = written.nest else { return }
        guard let text = value.string.map(Text.init), text == .atNest || !text.isKeyword else { throw .invalidNest }
        term.nest = text
    }

    /// Step 25.
    func setPrefix(_ written: WrittenTerm, of term: inout TermDefinition.Content, _ name: Text) throws(LinkedDataError) {
        guard let value = written.prefix else { return }
        guard !name.contains(":"), !name.contains("/") else { throw .invalidTermDefinition }
        guard let isPrefix = value.bool else { throw .invalidPrefix }
        term.isPrefix = isPrefix
        if isPrefix, let iri = term.iri, iri.isKeyword { throw .invalidTermDefinition }
    }
}
