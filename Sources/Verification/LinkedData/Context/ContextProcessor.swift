import JSON

/// Context Processing (JSON-LD 1.1 API section 4.1.2).
struct ContextProcessor {
    /// What a nested run inherits.
    struct Scope {
        var baseURL: Text?
        var remote: [Text] = []
        var overrideProtected = false
        var propagate = true
        var validateScoped = true
        var depth = 0
    }

    let store: ContextStore
    let limits: LinkedDataLimits
    /// The caller's cache: pinned contexts only.
    var kept: ContextCache
    var work: DocumentWork
    private var composed = 0
    /// Whether what is processed now comes from a pinned document.
    private(set) var isPinnedWork = false
    /// Results that were kept, or found again, so far.
    private var found = 0

    init(store: ContextStore, limits: LinkedDataLimits, kept: ContextCache, work: DocumentWork) {
        self.store = store
        self.limits = limits
        self.kept = kept
        self.work = work
    }

    /// The context in force after a term's own context is applied: property-scoped or type-scoped.
    mutating func apply(
        _ term: TermDefinition, to active: ActiveContext, overrideProtected: Bool, propagate: Bool
    ) throws(LinkedDataError) -> ActiveContext {
        guard let scoped = term.content.context else { return active }
        let key = ContextCache.Key(
            active: ObjectIdentifier(active), source: .term(ObjectIdentifier(term)), overrideProtected: overrideProtected,
            propagate: propagate)
        if let known = try recall(key, from: active, term) { return known }
        let scope = Scope(baseURL: scoped.baseURL, overrideProtected: overrideProtected, propagate: propagate)
        return try keeping(key, from: active, term, isPinnedWork: scoped.isPinned) { processor throws(LinkedDataError) in
            try processor.process(scoped.local, on: active, scope, isPinned: active.isPinned)
        }
    }

    /// The context in force at the beginning of a document that is read under `given`.
    mutating func apply(_ given: PinnedContext, to active: ActiveContext) throws(LinkedDataError) -> ActiveContext {
        let key = ContextCache.Key(
            active: ObjectIdentifier(active), source: .given(ObjectIdentifier(given)), overrideProtected: false, propagate: true)
        if let known = try recall(key, from: active, given) { return known }
        return try keeping(key, from: active, given, isPinnedWork: true) { processor throws(LinkedDataError) in
            try processor.process(given.local, on: active, Scope(), isPinned: true)
        }
    }

    /// What the document has already paid for, or pays for now: a result that is kept from another document costs what it cost that one.
    private mutating func recall(
        _ key: ContextCache.Key, from active: ActiveContext, _ source: (any AnyObject & Sendable)?
    ) throws(LinkedDataError) -> ActiveContext? {
        if let known = work.contexts.result(key) {
            found += 1
            return known
        }
        guard let known = kept.result(key) else { return nil }
        try work.pinned.spend(kept.cost(key))
        found += 1
        work.contexts.keep(known, as: key, from: active, source)
        return known
    }

    private mutating func keeping(
        _ key: ContextCache.Key, from active: ActiveContext, _ source: (any AnyObject & Sendable)?, isPinnedWork: Bool,
        _ make: (inout ContextProcessor) throws(LinkedDataError) -> ActiveContext
    ) throws(LinkedDataError) -> ActiveContext {
        let outer = self.isPinnedWork, before = work.pinned.left, others = found
        self.isPinnedWork = isPinnedWork
        defer { self.isPinnedWork = outer }
        let result = try make(&self)
        work.contexts.keep(result, as: key, from: active, source)
        // One that has others inside would pay for those again, or not at all, by what was met before: the steps of a document would hang
        // on the cache.
        let isPlain = found == others
        found += 1
        if isPlain, result.isPinned, active.isPinned { kept.keep(result, as: key, from: active, source, cost: before - work.pinned.left) }
        return result
    }

    /// - Parameter isPinned: whether `local` is from a pinned document.
    mutating func process(
        _ local: JSONValue, on active: ActiveContext, _ scope: Scope, isPinned: Bool
    ) throws(LinkedDataError) -> ActiveContext {
        // Terms under definition count as well: this bounds the stack.
        guard scope.depth <= 2 * limits.depth, isPinnedWork || local.sourceRange.count <= limits.contextBytes else { throw .tooComplex }
        try charge(StepCost.context(local.sourceRange.count))
        var propagate = scope.propagate
        if let value = local["@propagate"] {
            guard let flag = value.bool else { throw .invalidPropagate }
            propagate = flag
        }
        var result = active
        if !propagate, active.body.previous == nil {
            var body = active.body
            body.previous = active
            result = ActiveContext(body, isPinned: active.isPinned)
        }
        if let elements = local.elements {
            for element in elements {
                result = try processOne(element, on: result, scope, propagate: propagate, isPinned: isPinned)
            }
            return result
        }
        return try processOne(local, on: result, scope, propagate: propagate, isPinned: isPinned)
    }

    /// Step 5, for one context of the array.
    private mutating func processOne(
        _ local: JSONValue, on active: ActiveContext, _ scope: Scope, propagate: Bool, isPinned: Bool
    ) throws(LinkedDataError) -> ActiveContext {
        switch local.kind {
        case .null:
            try charge(StepCost.copies(active.body.terms.count))
            if !scope.overrideProtected, active.body.hasProtectedTerms { throw .invalidContextNullification }
            if propagate, active.body.previous == nil { return kept.initialContext(base: active.body.originalBase) }
            var body = ActiveContext.Body(base: active.body.originalBase)
            if !propagate { body.previous = active.body.previous }
            return ActiveContext(body, isPinned: active.isPinned && isPinned)
        case .string:
            return try processRemote(Text(local.string ?? ""), on: active, scope)
        case .object:
            var body = active.body
            try charge(StepCost.copies(body.terms.count))
            try define(LocalContext(local), in: &body, scope)
            return ActiveContext(body, isPinned: active.isPinned && isPinned)
        default:
            throw .invalidLocalContext
        }
    }

    mutating func charge(_ steps: Int) throws(LinkedDataError) {
        if isPinnedWork { try work.pinned.spend(steps) } else { try work.steps.spend(steps) }
    }

    /// Counts what an IRI has more than was written for it.
    /// - Parameter isResolved: whether it was put together by going along its path.
    mutating func charge(_ iri: Text?, for written: Text, isResolved: Bool = false) throws(LinkedDataError) {
        let octets = max(written.count, iri?.count ?? 0)
        try charge(isResolved ? StepCost.resolved(octets) : StepCost.octets(octets))
        guard let iri, iri.count > written.count else { return }
        composed += iri.count - written.count
        guard composed <= limits.octets else { throw .tooComplex }
    }

    // MARK: Pinned documents

    /// Step 5.2.
    private mutating func processRemote(
        _ reference: Text, on active: ActiveContext, _ scope: Scope
    ) throws(LinkedDataError) -> ActiveContext {
        let url = scope.baseURL.map { IRIReference.resolve(reference, against: $0) } ?? reference
        if !scope.validateScoped, scope.remote.contains(url) { return active }
        guard scope.remote.count < limits.contextChain else { throw .tooComplex }
        let key = ContextCache.Key(active: ObjectIdentifier(active), source: .url(url), overrideProtected: false, propagate: true)
        let isOutermost = scope.remote.isEmpty && scope.validateScoped
        if isOutermost, let known = try recall(key, from: active, nil) { return known }
        let inner = Scope(
            baseURL: url, remote: scope.remote + [url], validateScoped: scope.validateScoped, depth: scope.depth + 1)
        let context = try context(at: url)
        guard isOutermost else {
            // A pinned file in a document's own scoped context is a pinned file still.
            let outer = isPinnedWork
            isPinnedWork = true
            defer { isPinnedWork = outer }
            return try process(context, on: active, inner, isPinned: true)
        }
        return try keeping(key, from: active, nil, isPinnedWork: true) { processor throws(LinkedDataError) in
            try processor.process(context, on: active, inner, isPinned: true)
        }
    }

    /// The `@context` of a pinned document.
    private mutating func context(at url: Text) throws(LinkedDataError) -> JSONValue {
        let document: JSONDocument
        if let known = kept.document(url) {
            document = known
        } else {
            guard let bytes = store.document(at: url) else { throw .loadingDocumentFailed }
            guard bytes.count <= limits.pinnedContextBytes else { throw .tooComplex }
            guard let parsed = try? JSONDocument(parsing: bytes, limits: ContextStore.limits) else { throw .loadingRemoteContextFailed }
            kept.keep(parsed, at: url)
            document = parsed
        }
        guard let context = document.root["@context"] else { throw .invalidRemoteContext }
        return context
    }

    /// Step 5.6: a context whose members this one overrides.
    private mutating func imported(_ value: JSONValue, into local: LocalContext, _ scope: Scope) throws(LinkedDataError) -> LocalContext {
        guard let name = value.string else { throw .invalidImport }
        let url = scope.baseURL.map { IRIReference.resolve(Text(name), against: $0) } ?? Text(name)
        let context = try context(at: url)
        guard context.kind == .object else { throw .invalidRemoteContext }
        try charge(StepCost.context(context.sourceRange.count))
        var merged = LocalContext(context)
        guard merged[.atImport] == nil else { throw .invalidContextEntry }
        merged.merge(local)
        return merged
    }

    // MARK: A context's own members

    /// Steps 5.5 to 5.13.
    private mutating func define(
        _ written: LocalContext, in body: inout ActiveContext.Body, _ scope: Scope
    ) throws(LinkedDataError) {
        if let version = written[.atVersion] { guard version.double == 1.1 else { throw .invalidVersion } }
        var local = written
        if let value = written[.atImport] { local = try imported(value, into: written, scope) }
        if let value = local[.atBase], scope.remote.isEmpty { try setBase(value, in: &body) }
        if let value = local[.atVocab] { try setVocab(value, in: &body) }
        if let value = local[.atLanguage] {
            guard value.isNull || value.kind == .string else { throw .invalidDefaultLanguage }
            body.language = value.string.map(Text.init)
        }
        if let value = local[.atDirection] {
            guard value.isNull || value.isString("ltr") || value.isString("rtl") else { throw .invalidBaseDirection }
            body.direction = value.string.map(Text.init)
        }
        if let value = local[.atPropagate], value.bool == nil { throw .invalidPropagate }
        var isProtected = false
        if let value = local[.atProtected] {
            guard let flag = value.bool else { throw .invalidProtected }
            isProtected = flag
        }
        var draft = ContextDraft(local: local, body: body, scope: scope, isProtected: isProtected)
        // One owner of the terms at a time, or each new term copies them all.
        body.terms = [:]
        for position in local.members.indices {
            let name = local.members[position].name
            guard name.mayBeKeyword else {
                try createTerm(position, in: &draft)
                continue
            }
            switch name {
            case .atBase, .atDirection, .atImport, .atLanguage, .atPropagate, .atProtected, .atVersion, .atVocab: continue
            default: try createTerm(position, in: &draft)
            }
        }
        body = draft.body
    }

    /// Step 5.7.
    private func setBase(_ value: JSONValue, in body: inout ActiveContext.Body) throws(LinkedDataError) {
        if value.isNull {
            body.base = nil
            return
        }
        guard let text = value.string.map(Text.init) else { throw .invalidBaseIRI }
        if text.hasScheme {
            body.base = text
        } else if let base = body.base {
            body.base = IRIReference.resolve(text, against: base)
        } else {
            throw .invalidBaseIRI
        }
    }

    /// Step 5.8.
    private func setVocab(_ value: JSONValue, in body: inout ActiveContext.Body) throws(LinkedDataError) {
        if value.isNull {
            body.vocab = nil
            return
        }
        guard let text = value.string.map(Text.init), let iri = body.expand(text, documentRelative: true, vocab: true), !iri.isKeyword
        else {
            throw .invalidVocabMapping
        }
        body.vocab = iri
    }
}
