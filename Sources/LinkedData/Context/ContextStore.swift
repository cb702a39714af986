/// The context documents a gate knows, by URL. There is no other source: a URL that is not here is an error, never a request.
public struct ContextStore: Sendable {
    private let documents: [Text: [UInt8]]

    /// - Parameter documents: for each absolute URL, compared octet for octet, the document as it was pinned.
    public init(_ documents: [String: [UInt8]]) {
        var byURL: [Text: [UInt8]] = [:]
        for (url, bytes) in documents { byURL[Text(url)] = bytes }
        self.documents = byURL
    }

    /// The pinned octets, or nil.
    public func document(at url: Text) -> [UInt8]? { documents[url] }
}
