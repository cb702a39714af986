/// The most memory that a document within `LinkedDataLimits.standard` takes from the allocator, whoever wrote it.
///
/// Measured, not derived: `allocation-check` takes hostile documents through all of it and holds them to the sum.
public enum VerificationBounds {
    public struct Row: Sendable {
        public var name: StaticString
        /// Octets.
        public var size: Int
        public var purpose: StaticString
    }

    public static var rows: [Row] {
        [
            Row(name: "document", size: LinkedDataLimits.standard.documentBytes, purpose: "one JSON-LD document, copied to be read"),
            Row(name: "statements", size: 8 << 20, purpose: "what is made of a document until it is accepted or refused"),
            Row(
                name: "contexts", size: ContextCache.mostTerms * ContextCache.termSize,
                purpose: "pinned contexts, kept for the next document"),
        ]
    }

    /// Octets, all rows together.
    public static var total: Int { rows.reduce(0) { $0 + $1.size } }
}
