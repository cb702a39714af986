import JSON

/// JSON-LD documents as datasets, with nothing but pinned contexts (JSON-LD 1.1 API section 9.1). Processing mode is `json-ld-1.1`.
///
/// A value, and a function of what it is given: keep it, and with it `cache`, to have the next document cost less.
public struct LinkedDataProcessor: Sendable {
    public let store: ContextStore
    public var limits: LinkedDataLimits
    /// What relative references are resolved against. Nil: they stay relative, and are dropped on the way to RDF.
    public var base: Text?
    /// Read the members of objects in the order of their names, not as written.
    public var ordered = false
    public var cache: ContextCache

    public init(store: ContextStore, limits: LinkedDataLimits = .standard, base: Text? = nil, cache: ContextCache = ContextCache()) {
        self.store = store
        self.limits = limits
        self.base = base
        self.cache = cache
    }

    /// The expanded document, and what expansion left out of it.
    /// - Parameters:
    ///   - context: a context to begin with (the API's `expandContext`), itself or an object that has it as `@context`.
    ///   - pinned: the same, brought along by the program.
    ///   - omitted: a member of the outermost object that is read as if it were not there.
    ///   - work: of the document, to be given to every call that has to do with it.
    public mutating func expand(
        _ document: JSONValue, context: JSONValue? = nil, pinned: PinnedContext? = nil, omitting omitted: String? = nil,
        work: inout DocumentWork
    ) throws(LinkedDataError) -> (document: [Expanded], journal: Journal) {
        guard document.sourceRange.count <= limits.documentBytes else { throw .tooComplex }
        var expansion = Expansion(
            contexts: ContextProcessor(store: store, limits: limits, kept: cache, work: work.take()), documentURL: base, ordered: ordered,
            omitted: omitted)
        // One owner at a time, or the first context kept copies all of them.
        cache = ContextCache()
        // What was learned about pinned contexts stays true when the document is refused.
        defer {
            cache = expansion.contexts.kept
            work = expansion.contexts.work
        }
        var active = expansion.contexts.kept.initialContext(base: base)
        if let pinned { active = try expansion.contexts.apply(pinned, to: active) }
        if let context {
            active = try expansion.contexts.process(
                context["@context"] ?? context, on: active, ContextProcessor.Scope(baseURL: base), isPinned: false)
        }
        let expanded = try expansion.document(document, active)
        return (expanded, expansion.journal)
    }

    /// The dataset of the document, and everything the document says that is not in it.
    public mutating func dataset(
        of document: JSONValue, context: JSONValue? = nil, pinned: PinnedContext? = nil, omitting omitted: String? = nil,
        work: inout DocumentWork
    ) throws(LinkedDataError) -> (dataset: Dataset, journal: Journal) {
        let (expanded, journal) = try expand(document, context: context, pinned: pinned, omitting: omitted, work: &work)
        var conversion = Conversion(journal: journal, limits: limits, steps: work.steps)
        defer { work.steps = conversion.steps }
        try conversion.convert(expanded)
        return (conversion.dataset, conversion.journal)
    }

    // MARK: Documents with no more to them

    /// The same for a document that is expanded once.
    public mutating func expand(_ document: JSONValue, context: JSONValue? = nil) throws(LinkedDataError) -> (
        document: [Expanded], journal: Journal
    ) {
        var work = DocumentWork(limits: limits, store: store)
        return try expand(document, context: context, work: &work)
    }

    /// The same for a document that is read once.
    public mutating func dataset(
        of document: JSONValue, context: JSONValue? = nil, omitting omitted: String? = nil
    ) throws(LinkedDataError) -> (dataset: Dataset, journal: Journal) {
        var work = DocumentWork(limits: limits, store: store)
        return try dataset(of: document, context: context, omitting: omitted, work: &work)
    }
}
