import CBOR
import Envelopes
import Mdoc

/// What is asked of one kind of document, and what an answer has to have: a `MdocAlternative` as it goes to the phone.
struct MdocQuestion: Sendable {
    let request: DocumentRequest
    /// Without these nobody is let in.
    private let required: [MdocAlternative.Element]
    /// Where age and date of birth stand.
    private let nameSpace: String?
    /// Where the portrait stands that is asked for; nil where none is. A site may want it from another name space than the usual one.
    private let portraitSpace: String?
    private let leastAge: Int?
    /// A licence releases its portrait with anything that is (ISO/IEC 18013-5 7.2.1). Of a PID the person may leave it out.
    private let owesPortrait: Bool

    static let portrait = "portrait"

    /// The years that `age_over_NN` can say.
    private static let ages = 0...99

    /// Throws what `DocumentRequest` throws: an alternative that asks for nothing, or for too much.
    init(_ alternative: MdocAlternative, needsPortrait: Bool) throws(RequestError) {
        let kind = DocumentType(named: alternative.docType), known = kind?.nameSpace
        var elements = alternative.elements
        let stated = elements.first { $0.name.isExactly(Self.portrait) }?.nameSpace
        let nameSpace = known ?? stated ?? elements.first?.nameSpace
        if needsPortrait, stated == nil, let known, kind?.hasPortrait == true {
            // Whether it may be missing is the policy's to say, which compares faces.
            elements.append(.init(known, Self.portrait, isRequired: false))
        }
        portraitSpace = elements.first { $0.name.isExactly(Self.portrait) }?.nameSpace
        owesPortrait = kind != .identification && portraitSpace != nil
        let age = alternative.leastAge.flatMap { Self.ages.contains($0) ? $0 : nil }
        if let age, let nameSpace {
            let name = (kind ?? DocumentType.drivingLicence).age(age)
            if !elements.contains(where: { $0.name.isExactly(name) }) { elements.append(.init(nameSpace, name, isRequired: false)) }
        }
        // A request has to ask for something.
        if elements.isEmpty, let kind, let known { elements.append(.init(known, kind.least, isRequired: false)) }
        request = try DocumentRequest(docType: alternative.docType, Self.nameSpaces(elements))
        required = elements.filter(\.isRequired)
        self.nameSpace = nameSpace
        leastAge = alternative.leastAge
    }

    private static func nameSpaces(_ elements: [MdocAlternative.Element]) -> [DocumentRequest.NameSpace] {
        var names: [String] = []
        for element in elements where !names.contains(where: { $0.isExactly(element.nameSpace) }) { names.append(element.nameSpace) }
        return names.map { name in
            DocumentRequest.NameSpace(
                name, elements.filter { $0.nameSpace.isExactly(name) }.map { DocumentRequest.Element($0.name, isRetained: false) })
        }
    }

    /// Why a document without a fault is not enough; nil where it is.
    ///
    /// - Parameter now: seconds since 1970; the day is that of UTC.
    func shortcoming(of document: DocumentResult, at now: Seconds) -> MdocReason? {
        let claims = document.claims(asked: request).claims
        for element in required where claims.value(element.nameSpace, element.name) == nil { return .elementMissing(element.name) }
        // Also of a document from which nothing at all is handed over: where faces are compared with what is there, none would be.
        if owesPortrait, document.withholdsPortrait(of: request) || portraitValue(in: claims) == nil { return .portraitWithheld }
        guard let leastAge else { return nil }
        guard let nameSpace, let isOldEnough = claims.isAtLeast(leastAge, in: nameSpace, at: now) else { return .ageUnknown }
        return isOldEnough ? nil : .tooYoung
    }

    /// The portrait as the issuer signed it; nil without one.
    func portrait(of document: DocumentResult) -> MdocPortrait? {
        guard let value = portraitValue(in: document.claims(asked: request).claims) else { return nil }
        guard let octets = value.bytes else { return .unreadable }
        return .picture(String(decoding: Base64.encodeStandard(octets), as: UTF8.self))
    }

    private func portraitValue(in claims: MdocClaims) -> CBORItem? { portraitSpace.flatMap { claims.value($0, Self.portrait) } }
}

/// A portrait that came with a document.
public enum MdocPortrait: Sendable {
    /// In base64.
    case picture(String)
    /// It is no byte string.
    case unreadable
}
