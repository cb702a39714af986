import JSON

/// A context the program itself brings along for documents to be read under. Kept in the cache by this object, so use one object for all documents.
public final class PinnedContext: Sendable {
    let local: JSONValue

    /// - Parameter local: the context itself, as it would stand behind `@context`.
    public init(_ local: JSONValue) { self.local = local }
}
