import JSON

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
    /// A stranger chooses how pinned contexts are combined, so the number kept is bounded. A full cache starts over: what one visitor filled it
    /// with does not stay.
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
