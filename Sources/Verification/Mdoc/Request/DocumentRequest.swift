import CBOR

/// What is asked of one document: ItemsRequest (mdoc.md section 4).
public struct DocumentRequest: Hashable, Sendable {
    public struct Element: Hashable, Sendable {
        public let name: String
        /// Whether the gate means to keep the value beyond the visit. Wallets show it to their users.
        public let isRetained: Bool

        public init(_ name: String, isRetained: Bool = false) {
            self.name = name
            self.isRetained = isRetained
        }
    }

    public struct NameSpace: Hashable, Sendable {
        public let name: String
        public let elements: [Element]

        public init(_ name: String, _ elements: [Element]) {
            self.name = name
            self.elements = elements
        }
    }

    /// Elements of one document: twice what a driving licence has.
    public static let mostElements = 128
    private static let mostAges = 2
    private static let agePrefix = "age_over_"

    public let docType: String
    /// In the order in which they are written.
    public let nameSpaces: [NameSpace]

    /// Throws `empty`, `tooMuch`, `repeated`, `tooManyAges`.
    public init(docType: String, _ nameSpaces: [NameSpace]) throws(RequestError) {
        let elements = nameSpaces.flatMap(\.elements)
        guard !docType.isEmpty, !elements.isEmpty, nameSpaces.allSatisfy({ !$0.elements.isEmpty }) else { throw .empty }
        guard elements.count <= Self.mostElements else { throw .tooMuch }
        guard Self.areDifferent(nameSpaces.map(\.name)), nameSpaces.allSatisfy({ Self.areDifferent($0.elements.map(\.name)) }) else {
            throw .repeated
        }
        guard elements.count(where: { $0.name.hasPrefix(Self.agePrefix) }) <= Self.mostAges else { throw .tooManyAges }
        self.docType = docType
        self.nameSpaces = nameSpaces
    }

    /// By octets: `String` takes two spellings of a letter for one.
    private static func areDifferent(_ names: [String]) -> Bool { Set(names.map { Array($0.utf8) }).count == names.count }

    /// ItemsRequestBytes, `#6.24(bstr ItemsRequest)`.
    public var itemsRequestBytes: [UInt8] {
        let spaces = nameSpaces.map { space in
            let elements = space.elements.map { (key: CBOREncoding.text($0.name), value: CBOREncoding.bool($0.isRetained)) }
            return (key: CBOREncoding.text(space.name), value: CBOREncoding.map(elements))
        }
        return CBOREncoding.embedded(
            CBOREncoding.map([
                (CBOREncoding.text("docType"), CBOREncoding.text(docType)), (CBOREncoding.text("nameSpaces"), CBOREncoding.map(spaces)),
            ]))
    }
}
