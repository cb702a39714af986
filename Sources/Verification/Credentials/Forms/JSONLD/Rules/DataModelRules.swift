import Envelopes
import JSON
import Trust

/// The shape a JSON-LD credential must have: the W3C data models 1.1 and 2.0 as Inji's verifier reads them, before any signature is looked
/// at.
///
/// Rules about names in the received JSON. Nothing is believed because of them: claims, dates and status are read from signed statements.
struct DataModelRules {
    /// A member whose objects have a `type` and may or must have an `id`.
    private struct Part {
        let member: CredentialMember
        let type: CredentialMember
        let id: CredentialMember
        var needsID: [DataModelVersion] = []
    }

    private static let parts = [
        Part(member: .proof, type: .proofType, id: .proofID),
        Part(member: .credentialStatus, type: .statusType, id: .statusID, needsID: [.v1]),
        Part(member: .evidence, type: .evidenceType, id: .evidenceID),
        Part(member: .credentialSchema, type: .schemaType, id: .schemaID, needsID: [.v1, .v2]),
        Part(member: .refreshService, type: .refreshType, id: .refreshID, needsID: [.v1]),
        Part(member: .termsOfUse, type: .termsType, id: .termsID),
    ]

    private let document: JSONValue
    private let version: DataModelVersion
    private var faults: [DataModelFault] = []

    /// Every fault once, in the order Inji looks for them: the first is the one Inji reports. Empty for a credential of good shape.
    static func faults(of document: JSONValue) -> [DataModelFault] {
        guard let context = document["@context"] else { return [.missing(.context)] }
        guard var elements = context.elements, let first = elements.next() else { return [.malformed(.context)] }
        guard let version = DataModelVersion.allCases.first(where: { first.isString($0.rawValue) }) else { return [.invalid(.context)] }
        var rules = DataModelRules(document: document, version: version)
        rules.checkPresence()
        rules.checkDates()
        rules.checkParts()
        if version == .v2 { rules.checkNames() }
        rules.checkSubjects()
        rules.checkIdentity()
        return rules.faults
    }

    private init(document: JSONValue, version: DataModelVersion) {
        self.document = document
        self.version = version
    }

    /// Each fault once: a sender can repeat one in thousands of objects.
    private mutating func add(_ fault: DataModelFault) {
        if !faults.contains(fault) { faults.append(fault) }
    }

    private mutating func checkPresence() {
        let mandatory: [CredentialMember] = [.type, .credentialSubject, .issuer, .proof] + (version == .v1 ? [.issuanceDate] : [])
        for member in mandatory where document[member.rawValue] == nil { add(.missing(member)) }
    }

    private mutating func checkDates() {
        let dates: [CredentialMember] = version == .v1 ? [.issuanceDate, .expirationDate] : [.validFrom, .validUntil]
        for member in dates {
            guard let value = document[member.rawValue] else { continue }
            if value.string.flatMap(Timestamp.isoDateTime) == nil { add(.invalid(member)) }
        }
    }

    private mutating func checkParts() {
        for part in Self.parts {
            for object in objects(part.member) {
                check(type: object["type"], part.type)
                if let id = object["id"] {
                    if !Self.isURI(id) { add(.invalid(part.id)) }
                } else if part.needsID.contains(version) {
                    add(.missing(part.id))
                }
            }
        }
    }

    /// The objects a member has, one or an array of them; a fault for anything else in it.
    private mutating func objects(_ member: CredentialMember) -> [JSONValue] {
        guard let value = document[member.rawValue] else { return [] }
        if value.kind == .object { return [value] }
        guard let elements = value.elements.map(Array.init) else {
            add(.invalid(member))
            return []
        }
        if elements.contains(where: { $0.kind != .object }) { add(.malformed(member)) }
        return elements.filter { $0.kind == .object }
    }

    /// One type, or an array of them, none of them blank.
    private mutating func check(type: JSONValue?, _ member: CredentialMember) {
        guard let type else { return add(.missing(member)) }
        let types = type.elements.map(Array.init) ?? [type]
        if types.isEmpty || !types.allSatisfy({ $0.stringBytes?.contains { $0 > 0x20 } == true }) { add(.invalid(member)) }
    }

    /// Text, or a language value object or several of them (data model 2.0 section 11.1). Inji looks no further at the first of the two
    /// that is a string, and knows an array's elements by `language`, not by `@language`: those are taken as well.
    private mutating func checkNames() {
        for member in [CredentialMember.name, .description] {
            guard let value = document[member.rawValue] else { continue }
            if value.kind == .string { return }
            guard let elements = value.elements else {
                if !Self.isLanguageValue(value) { add(.invalid(member)) }
                continue
            }
            for element in elements {
                if element.kind != .object {
                    add(.malformed(member))
                } else if element["language"] == nil, !Self.isLanguageValue(element) {
                    add(.invalid(member))
                }
            }
        }
    }

    /// `@value`, a text, and beside it nothing but the language and the direction of that text.
    private static func isLanguageValue(_ value: JSONValue) -> Bool {
        guard let members = value.members, value["@value"]?.kind == .string else { return false }
        return members.allSatisfy { member in
            if member.key.isString("@direction") {
                return member.value.isString("ltr") || member.value.isString("rtl") || member.value.isNull
            }
            if member.key.isString("@language") { return member.value.kind == .string }
            return member.key.isString("@value")
        }
    }

    private mutating func checkSubjects() {
        let subjects = objects(.credentialSubject)
        if document["credentialSubject"]?.kind == .array, subjects.isEmpty { add(.invalid(.credentialSubject)) }
        for subject in subjects {
            if let id = subject["id"], !Self.isURI(id) { add(.invalid(.subjectID)) }
        }
    }

    private mutating func checkIdentity() {
        if let id = document["id"] {
            if id.kind != .string { add(.malformed(.id)) } else if !Self.isURI(id) { add(.invalid(.id)) }
        }
        if let type = document["type"] {
            let types = type.elements.map(Array.init) ?? [type]
            if !types.contains(where: { $0.isString("VerifiableCredential") }) { add(.invalid(.type)) }
        }
        if let issuer = document["issuer"] {
            // Inji means to read an object's `id` and, by the class of the object it is given, never does.
            let id = issuer.kind == .object ? issuer["id"] : issuer
            if !Self.isURI(id) { add(.invalid(.issuer)) }
        }
    }

    private static func isURI(_ value: JSONValue?) -> Bool { value?.string.map(AbsoluteURI.isValid) == true }
}
