/// Something the document says and its dataset does not: a signature over the dataset does not cover it.
public struct DroppedTerm: Hashable, Sendable {
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        // Expansion
        /// No context in force gives the name a meaning.
        case undefinedTerm
        /// A context maps the name, or the value of an `@id` or `@type`, to nothing.
        case nullMapping
        /// `@` and letters, but no keyword.
        case keywordForm
        /// A member or element that is null.
        case nullValue
        /// An array, or a map, with nothing in it: no statement is made.
        case emptyArray
        /// A scalar, value or list where only nodes make statements.
        case freeFloatingValue
        /// A node at the top of a graph that says nothing but its own name, or nothing at all.
        case freeFloatingNode
        /// An object that holds a language and no value.
        case valuelessLanguage
        /// The key of a map whose value has a name of its own, or cannot have what the key says.
        case shadowedKey

        // RDF
        /// A subject or object that is no well-formed IRI: relative, with no base to resolve it.
        case relativeIdentifier
        /// A type that is no well-formed IRI.
        case relativeType
        /// A property that is no well-formed IRI.
        case relativeProperty
        /// A property that is a blank node.
        case blankProperty
        /// A graph name that is no well-formed IRI; everything in that graph goes with it.
        case relativeGraph
        /// A value whose datatype is no well-formed IRI.
        case invalidDatatype
        /// A value whose language is no well-formed tag.
        case invalidLanguage
        /// An `@index` or index key: for applications only, never in the dataset.
        case index
        /// A base direction: RDF has no place for it.
        case direction
    }

    /// RFC 6901 pointer into the document; the empty pointer is the whole of it.
    public let pointer: String
    public let reason: Reason

    public init(_ reason: Reason, at pointer: String) {
        self.reason = reason
        self.pointer = pointer
    }
}

/// What was dropped, in the order it was met. Pointers are spelled out on reading.
public struct Journal: Sendable {
    var origins = OriginTree()
    private var entries: [(reason: DroppedTerm.Reason, origin: Origin)] = []

    public var isEmpty: Bool { entries.isEmpty }
    public var count: Int { entries.count }

    /// Octets of all pointers a reader may have spelled out, about: those of what was dropped and those of the statements.
    private(set) var octets = 0

    mutating func drop(_ reason: DroppedTerm.Reason, _ origin: Origin) {
        entries.append((reason, origin))
        point(to: origin)
    }

    /// Something is kept that has its origin there.
    mutating func point(to origin: Origin) { octets += origins.length(origin) }

    /// Every dropped term. A dropped object or array is one entry; what is inside it went with it.
    public var dropped: [DroppedTerm] { entries.map { DroppedTerm($0.reason, at: origins.pointer($0.origin)) } }

    /// The member of the document that a place is in: the first step of its pointer, unescaped. Nil for the document as a whole, and where
    /// it is an array.
    public func topMember(_ origin: Origin) -> Text? { origins.topMember(origin) }

    /// The JSON pointer of a place in the document this journal is about.
    public func pointer(_ origin: Origin) -> String { origins.pointer(origin) }
}
