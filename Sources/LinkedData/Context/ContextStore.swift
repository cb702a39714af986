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
