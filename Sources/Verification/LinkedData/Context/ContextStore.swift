import JSON

/// The context documents a gate knows, by URL. There is no other source: a URL that is not here is an error, never a request.
public struct ContextStore: Sendable {
    private let documents: [Text: [UInt8]]
    /// A context is no credential: it may have as many values as fit into its octets.
    public static let limits = JSONLimits(bytes: LinkedDataLimits.standard.pinnedContextBytes, nodes: 200_000)
    /// Octets of all of them.
    let octets: Int

    /// - Parameter documents: for each absolute URL the document as it was pinned.
    public init(byURL documents: [Text: [UInt8]]) {
        self.documents = documents
        octets = documents.values.reduce(0) { $0 + $1.count }
    }

    /// The same by strings, which Swift compares by canonical equivalence: for URLs that cannot have two spellings.
    public init(_ documents: [String: [UInt8]]) {
        var byURL: [Text: [UInt8]] = [:]
        for (url, bytes) in documents { byURL[Text(url)] = bytes }
        self.init(byURL: byURL)
    }

    /// The pinned octets, or nil.
    public func document(at url: Text) -> [UInt8]? { documents[url] }
}

/// A context the program itself brings along for documents to be read under. Kept in the cache by this object, so use one object for all
/// documents.
public final class PinnedContext: Sendable {
    let local: JSONValue

    /// - Parameter local: the context itself, as it would stand behind `@context`.
    public init(_ local: JSONValue) { self.local = local }
}

/// Contexts already processed, kept by the caller from one document to the next.
///
/// Holds nothing that came from a document: only contexts made of pinned documents alone. Results are the same with and without it.
/// Use one cache with one `ContextStore`.
public struct ContextCache: Sendable {
    enum Source: Hashable {
        case url(Text)
        case term(ObjectIdentifier)
        case given(ObjectIdentifier)
    }

    struct Key: Hashable {
        let active: ObjectIdentifier
        let source: Source
        let overrideProtected: Bool
        let propagate: Bool
    }

    /// The result, and what the key's identifiers name: held so that no other object gets their place.
    private struct Entry: Sendable {
        let active: ActiveContext
        let source: (any AnyObject & Sendable)?
        let result: ActiveContext
        let cost: Int
    }

    private var entries: [Key: Entry] = [:]
    private var initial: [Text?: ActiveContext] = [:]
    private var documents: [Text: JSONDocument] = [:]
    /// A stranger chooses how pinned contexts are combined, so the number kept is bounded. A full cache starts over: what one visitor
    /// filled it with does not stay.
    private let capacity: Int
    /// Terms of all contexts kept. A usual context has less than a hundred.
    private var terms = 0
    static let mostTerms = 64 << 10
    /// Octets of a term nothing else shares.
    static let termSize = 224

    /// - Parameter capacity: contexts to keep.
    public init(capacity: Int = 256) { self.capacity = max(capacity, 1) }

    /// Contexts kept.
    public var count: Int { entries.count }

    func document(_ url: Text) -> JSONDocument? { documents[url] }

    mutating func keep(_ document: JSONDocument, at url: Text) {
        if documents.count < capacity { documents[url] = document }
    }

    mutating func initialContext(base: Text?) -> ActiveContext {
        if let known = initial[base] { return known }
        let context = ActiveContext(ActiveContext.Body(base: base), isPinned: true)
        if initial.count < 16 { initial[base] = context }
        return context
    }

    func result(_ key: Key) -> ActiveContext? { entries[key]?.result }

    /// The steps it took to make the result.
    func cost(_ key: Key) -> Int { entries[key]?.cost ?? 0 }

    mutating func keep(
        _ result: ActiveContext, as key: Key, from active: ActiveContext, _ source: (any AnyObject & Sendable)?, cost: Int = 0
    ) {
        terms += result.body.terms.count
        if entries.count >= capacity || terms > ContextCache.mostTerms {
            entries.removeAll()
            terms = result.body.terms.count
        }
        entries[key] = Entry(active: active, source: source, result: result, cost: cost)
    }
}

extension LinkedDataProcessor {
    /// Why no document can be read under a pinned context; nil where one can.
    ///
    /// A context may lean on what another one said before it, so it is tried alone and then after each of `bases`. Half of what pinned
    /// contexts may cost is for it alone: a document names it with others. What octets allow for ends where it ends for a document, or what
    /// passes here would not pass there.
    public func refusal(ofContext url: Text, after bases: [Text]) -> LinkedDataError? {
        var reason: LinkedDataError?
        for names in [[url]] + bases.filter({ $0 != url }).map({ [$0, url] }) {
            let octets = names.reduce(0) { $0 + (store.document(at: $1)?.count ?? 0) }
            var work = DocumentWork(limits: limits, store: store)
            work.pinned = StepBudget(limits.pinnedSteps / 2 + min(octets, limits.pinnedContextBytes) / LinkedDataLimits.pinnedOctetsPerStep)
            guard let error = refusal(of: names, &work) else { return nil }
            // The first says what is wrong with the context itself.
            reason = reason ?? error
        }
        return reason
    }

    private func refusal(of names: [Text], _ work: inout DocumentWork) -> LinkedDataError? {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("@context")
            writer.array { writer in for name in names { writer.string(name.string) } }
        }
        guard let document = try? JSONDocument(parsing: writer.bytes) else { return .invalidLocalContext }
        var processor = self
        processor.cache = ContextCache()
        do throws(LinkedDataError) {
            _ = try processor.expand(document.root, work: &work)
            return nil
        } catch {
            return error
        }
    }
}
