import JSON
import LinkedData

/// Texts of the tests as documents and datasets.
enum Document {
    static func parse(_ text: String, depth: Int = 256) throws -> JSONValue {
        try JSONDocument(parsing: Array(text.utf8), limits: JSONLimits(depth: depth, nodes: 1_000_000)).root
    }

    static func processor(_ documents: [String: String] = [:], limits: LinkedDataLimits = .standard) -> LinkedDataProcessor {
        LinkedDataProcessor(store: ContextStore(documents.mapValues { Array($0.utf8) }), limits: limits)
    }

    static func nquads(_ text: String, _ documents: [String: String] = [:]) throws -> String {
        var processor = processor(documents)
        let result = try processor.dataset(of: try parse(text))
        return String(decoding: try Canonicalization.canonicalize(result.dataset).nquads, as: UTF8.self)
    }

    /// What the document says and its dataset does not.
    static func dropped(_ text: String) throws -> [DroppedTerm] {
        var processor = processor()
        return try processor.dataset(of: try parse(text)).journal.dropped
    }

    /// Why the document is refused, or nil.
    static func refusal(_ text: String, _ documents: [String: String] = [:], limits: LinkedDataLimits = .standard) throws
        -> LinkedDataError?
    {
        var processor = processor(documents, limits: limits)
        let value = try parse(text)
        do throws(LinkedDataError) {
            _ = try processor.dataset(of: value)
            return nil
        } catch {
            return error
        }
    }
}
