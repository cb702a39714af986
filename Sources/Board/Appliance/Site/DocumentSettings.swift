import Envelopes
import JSON
import Mdoc
import Trust
import Visit

/// What the gate asks of documents in phones (mdoc.md sections 4 and 7), as a site says it: `{"gatehouse-documents": 1, "ask": [...]}`.
///
/// Where nobody says more, as little as the decision needs: three kinds of documents, of which each alone is enough, and of these the
/// portrait where faces are compared. Nothing is ever kept.
public struct DocumentSettings: Hashable, Sendable {
    public struct Element: Hashable, Sendable {
        public let nameSpace: String
        public let name: String
        /// Without it nobody is let in.
        public let isRequired: Bool
    }

    /// A document that is enough alone. The portrait is asked for by whoever compares faces.
    public struct Document: Hashable, Sendable {
        public let docType: String
        public let elements: [Element]
        /// Whole years that its holder has to have; nil asks for no age.
        public let leastAge: Int?
    }

    /// In the site's order: the first that is there and enough decides.
    public let documents: [Document]

    /// A site with more kinds of documents asks a person to read a list.
    static let mostDocuments = 8
    /// What `age_over_NN` can say, without the age that everybody has.
    static let ages: ClosedRange<Int64> = 1...99

    /// Where nobody says otherwise.
    public static let standard = DocumentSettings(
        documents: standardTypes.map { Document(docType: $0.rawValue, elements: [], leastAge: nil) })
    private static let standardTypes: [DocumentType] = [.drivingLicence, .identification, .photoID]

    private init(documents: [Document]) {
        self.documents = documents
    }

    /// - Parameter file: the object, with its name for messages about faults.
    init(_ file: TrustMember) throws(TrustError) {
        guard let version = file.value[Self.versionMember] else {
            throw TrustError(file: file.file, member: Self.versionMember, reason: file.value.members == nil ? .wrongType : .missing)
        }
        guard version.int64 == 1 else { throw TrustError(file: file.file, member: Self.versionMember, reason: .unsupportedVersion) }
        let found = try file.object(known: [Self.versionMember, "ask", "age", "name"])
        let wishes = Wishes(
            age: try found["age"].map { (member) throws(TrustError) in try Self.age(member) }, name: try Self.flag(found["name"]))
        guard let ask = found["ask"] else {
            documents = try Self.standardTypes.map { (type) throws(TrustError) in
                try wishes.document(type.rawValue, type, [], age: nil, file)
            }
            return
        }
        guard let elements = ask.value.elements.map(Array.init), !elements.isEmpty else { throw ask.fault(.wrongType) }
        guard elements.count <= Self.mostDocuments else { throw ask.fault(.tooLarge, allowed: "\(Self.mostDocuments) documents at most") }
        var documents: [Document] = []
        for (place, value) in elements.enumerated() {
            let member = TrustMember(file: ask.file, path: "\(ask.path)[\(place)]", value: value)
            let document = try Self.document(member, wishes)
            guard !documents.contains(where: { $0.docType.utf8.elementsEqual(document.docType.utf8) }) else {
                throw member.fault(.duplicate)
            }
            documents.append(document)
        }
        self.documents = documents
    }

    private static let versionMember = "gatehouse-documents"

    // MARK: Reading

    private static func flag(_ member: TrustMember?) throws(TrustError) -> Bool {
        guard let member else { return false }
        guard let flag = member.value.bool else { throw member.fault(.wrongType, allowed: "true or false") }
        return flag
    }

    private static func age(_ member: TrustMember) throws(TrustError) -> Int {
        guard let number = member.value.int64 else { throw member.fault(.wrongType, allowed: "whole years") }
        guard ages.contains(number) else { throw member.fault(.wrongValue, allowed: "\(ages.lowerBound) to \(ages.upperBound) years") }
        return Int(number)
    }

    /// A docType alone, or an object that says what is asked of it.
    private static func document(_ member: TrustMember, _ wishes: Wishes) throws(TrustError) -> Document {
        guard member.value.kind == .object else { return try wishes.document(try docType(member), member) }
        let found = try member.object(known: ["docType", "required", "optional", "age"])
        let docType = try docType(found.required("docType", of: member))
        let elements = try self.elements(found["required"], isRequired: true) + self.elements(found["optional"], isRequired: false)
        let age = try found["age"].map { (member) throws(TrustError) in try Self.age(member) }
        return try wishes.document(docType, DocumentType(named: docType), elements, age: age, member)
    }

    private static func docType(_ member: TrustMember) throws(TrustError) -> String {
        let text = try member.text()
        guard text.utf8.count <= VICALLimits.text else { throw member.fault(.tooLarge) }
        return text
    }

    /// `{name space: [element]}`.
    private static func elements(_ member: TrustMember?, isRequired: Bool) throws(TrustError) -> [Element] {
        guard let member else { return [] }
        guard let spaces = member.value.members.map(Array.init), !spaces.isEmpty else { throw member.fault(.wrongType) }
        var elements: [Element] = []
        for space in spaces {
            let inside = TrustMember(file: member.file, path: "\(member.path).\(space.name)", value: space.value)
            guard !space.name.utf8.elementsEqual(passportData.utf8) else {
                throw inside.fault(.unknown, allowed: "another name space: what is in a passport's chip is more than a gate may ask for")
            }
            guard let names = space.value.elements.map(Array.init), !names.isEmpty else { throw inside.fault(.wrongType) }
            for (place, name) in names.enumerated() {
                let element = TrustMember(file: member.file, path: "\(inside.path)[\(place)]", value: name)
                elements.append(Element(nameSpace: space.name, name: try element.text(), isRequired: isRequired))
            }
        }
        return elements
    }

    /// The data groups of a passport (mdoc.md section 7).
    private static let passportData = "org.iso.23220.dtc.1"
}

/// What is wanted of every document.
private struct Wishes {
    let age: Int?
    let name: Bool

    func document(_ docType: String, _ member: TrustMember) throws(TrustError) -> DocumentSettings.Document {
        try document(docType, DocumentType(named: docType), [], age: nil, member)
    }

    /// - Parameters:
    ///   - type: nil for a kind that is not known here.
    ///   - stated: what is asked of this one beside what is asked of all.
    func document(
        _ docType: String, _ type: DocumentType?, _ stated: [DocumentSettings.Element], age own: Int?, _ member: TrustMember
    ) throws(TrustError) -> DocumentSettings.Document {
        var elements = stated
        // What the elements of a kind are called is known of a few.
        guard type?.nameSpace != nil || !elements.isEmpty else {
            throw TrustError(
                file: member.file, member: member.path, reason: .wrongValue, found: docType,
                allowed: "an object with docType and required: what this kind of document has is not known here")
        }
        if let type, name {
            guard !type.nameElements.isEmpty, let nameSpace = type.nameSpace else {
                throw TrustError(
                    file: member.file, member: member.path, reason: .wrongValue, found: docType,
                    allowed: "a document with a name in it, where name is true")
            }
            for name in type.nameElements where !elements.contains(where: { $0.nameSpace == nameSpace && $0.name == name }) {
                elements.append(DocumentSettings.Element(nameSpace: nameSpace, name: name, isRequired: true))
            }
        }
        let years = own ?? age
        if let type, years != nil, !type.hasAge {
            throw TrustError(
                file: member.file, member: member.path, reason: .wrongValue, found: docType, allowed: "a document that says an age")
        }
        try check(docType, elements, years, member)
        return DocumentSettings.Document(docType: docType, elements: elements, leastAge: years)
    }

    /// What would be refused where the request is made is refused here.
    private func check(
        _ docType: String, _ elements: [DocumentSettings.Element], _ years: Int?, _ member: TrustMember
    ) throws(TrustError) {
        var spaces: [(name: String, elements: [DocumentRequest.Element])] = []
        for element in elements {
            if let place = spaces.firstIndex(where: { $0.name.utf8.elementsEqual(element.nameSpace.utf8) }) {
                spaces[place].elements.append(DocumentRequest.Element(element.name))
            } else {
                spaces.append((element.nameSpace, [DocumentRequest.Element(element.name)]))
            }
        }
        // The portrait, and the age that is asked for, come with the request.
        let more = [DocumentRequest.NameSpace(" ", [DocumentRequest.Element("portrait")] + (years == nil ? [] : [.init("age_over_00")]))]
        do throws(RequestError) {
            _ = try DocumentRequest(docType: docType, spaces.map { DocumentRequest.NameSpace($0.name, $0.elements) } + more)
        } catch {
            let allowed =
                switch error {
                case .repeated: "each element once"
                case .tooManyAges: "two ages (age_over_NN) at most"
                default: "1 to \(DocumentRequest.mostElements - 2) elements"
                }
            throw TrustError(file: member.file, member: member.path, reason: .wrongValue, found: docType, allowed: allowed)
        }
    }
}

extension DocumentSettings {
    /// Why one of the documents cannot be meant where faces are compared so; nil where all can.
    func obstacle(_ face: Policy.Face) -> String? {
        for document in documents {
            guard face != .off, let type = DocumentType(named: document.docType), !type.hasPortrait else { continue }
            if face == .required { return "\(document.docType) shows nobody's face, and without a face nobody is let in" }
            if type != .ageVerification {
                return "\(document.docType) says of nobody who it is: by itself it opens no door that wants a person"
            }
        }
        return nil
    }
}
