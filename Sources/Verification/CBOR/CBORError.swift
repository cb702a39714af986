/// Why bytes are not the CBOR this module accepts, and where.
///
/// Compare `reason` in tests and policy; `offset` is for people.
public struct CBORError: Error, Hashable, Sendable {
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        // Limits
        /// More bytes than `CBOROptions.bytes`.
        case tooLong
        /// More open arrays, maps, tags and chunked strings than `CBOROptions.depth`.
        case tooDeep
        /// More items than `CBOROptions.items`.
        case tooManyItems

        // Syntax
        /// The bytes end inside an item, or a length goes past their end.
        case truncated
        /// Additional information 28 to 30, or 31 where no indefinite length exists (RFC 8949 section 3, Appendix F).
        case reservedInformation
        /// A simple value below 32 in two bytes (RFC 8949 section 3.3).
        case invalidSimple
        /// A break outside an item of indefinite length, or between a key and its value.
        case unexpectedBreak
        /// A chunk that is not a definite string of the same type (RFC 8949 section 3.2.3).
        case invalidChunk
        /// Overlong forms, encoded surrogates, values above U+10FFFF, stray continuation bytes in a text.
        case invalidUTF8
        /// Anything after the item.
        case trailingBytes

        // What RFC 8949 allows and the options do not
        case indefiniteLength
        /// An argument or a float in more bytes than it needs (RFC 8949 section 4.2.1).
        case notShortest
        /// Keys not in bytewise order of their encodings (RFC 8949 section 4.2.1).
        case unsortedKeys
        /// The same key twice in one map (RFC 8949 section 5.6).
        case duplicateKey
        /// A key that is neither an integer nor a string of definite length.
        case keyRefused

        // Shapes
        /// An item of another type than the decoder asked for, or an integer beyond the range it can use.
        case wrongType
        /// An array ends or a map lacks a key that the decoder asked for.
        case missing
        /// An array or a map has more than the decoder asked for.
        case leftover

        // Writing
        /// The calls of a writer do not make exactly one item.
        case incomplete
    }

    public let reason: Reason
    /// Bytes from the start of what was given.
    public let offset: Int

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
