import CBOR
import Envelopes
import Mdoc

/// What is asked of one kind of document, and what an answer has to have: a `MdocAlternative` as it goes to the phone.
struct MdocQuestion: Sendable {
    let request: DocumentRequest
    /// Without these nobody is let in.
    private let required: [MdocAlternative.Element]
    /// Where portrait, age and date of birth stand.
    private let nameSpace: String?
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
        owesPortrait = kind != .identification && elements.contains { $0.name.isExactly(Self.portrait) }
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
        if owesPortrait, document.withholdsPortrait(of: request) { return .portraitWithheld }
        guard let leastAge else { return nil }
        guard let nameSpace, let isOldEnough = claims.isAtLeast(leastAge, in: nameSpace, at: now) else { return .ageUnknown }
        return isOldEnough ? nil : .tooYoung
    }

    /// The portrait as the issuer signed it; nil without one.
    func portrait(of document: DocumentResult) -> MdocPortrait? {
        guard let nameSpace, let value = document.claims(asked: request).claims.value(nameSpace, Self.portrait) else { return nil }
        guard let octets = value.bytes else { return .unreadable }
        return .picture(String(decoding: Base64.encodeStandard(octets), as: UTF8.self))
    }
}

/// A portrait that came with a document.
public enum MdocPortrait: Sendable {
    /// In base64.
    case picture(String)
    /// It is no byte string.
    case unreadable
}
