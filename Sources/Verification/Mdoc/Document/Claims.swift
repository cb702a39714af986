import CBOR
import Envelopes

/// Elements of a document by namespace, in the order in which they came. Names are compared octet for octet.
public struct MdocClaims: Sendable {
    public struct Element: Sendable {
        public let identifier: String
        public let value: CBORItem
    }

    public struct NameSpace: Sendable {
        public let name: String
        public internal(set) var elements: [Element]

        /// The value of an element; nil where it was not handed over.
        public subscript(identifier: String) -> CBORItem? { elements.first { $0.identifier.isExactly(identifier) }?.value }
    }

    public internal(set) var nameSpaces: [NameSpace] = []

    public var isEmpty: Bool { nameSpaces.allSatisfy(\.elements.isEmpty) }

    /// The value of an element; nil where it was not handed over.
    public func value(_ nameSpace: String, _ identifier: String) -> CBORItem? {
        nameSpaces.first { $0.name.isExactly(nameSpace) }?[identifier]
    }

    mutating func append(_ nameSpace: String, _ elements: [Element]) {
        nameSpaces.append(NameSpace(name: nameSpace, elements: elements))
    }
}

/// Names of elements by namespace, without values.
public struct MdocElementNames: Hashable, Sendable {
    public struct NameSpace: Hashable, Sendable {
        public let name: String
        public let identifiers: [String]
    }

    public internal(set) var nameSpaces: [NameSpace] = []

    init() {}

    init(_ claims: MdocClaims) {
        nameSpaces = claims.nameSpaces.map { NameSpace(name: $0.name, identifiers: $0.elements.map(\.identifier)) }
    }
}
