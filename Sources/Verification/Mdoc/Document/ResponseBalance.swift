import Envelopes

/// What of a request was answered, and what was answered without having been asked (mdoc.md section 6.4).
extension DeviceResponseResult {
    /// The code of what was not returned without another reason.
    public static let notReturned: Int64 = 0

    /// The documents that were asked for and of which the phone says nothing; with what it says of others.
    public func missing(of requests: [DocumentRequest]) -> [DocumentError] {
        var left = documents.compactMap(\.docType), missing = documentErrors
        for request in requests {
            if let place = left.firstIndex(where: { $0.isExactly(request.docType) }) {
                left.remove(at: place)
            } else if !documentErrors.contains(where: { $0.docType.isExactly(request.docType) }) {
                missing.append(DocumentError(docType: request.docType, code: Self.notReturned))
            }
        }
        return missing
    }
}

extension DocumentResult {
    /// The elements that were asked for and not handed over, with the phone's code where it says one. A question for one age is answered by
    /// a statement about any.
    public func missing(of request: DocumentRequest) -> [ElementError] {
        var missing: [ElementError] = []
        for nameSpace in request.nameSpaces {
            let known = returned.nameSpaces.first { $0.name.isExactly(nameSpace.name) }?.identifiers ?? []
            let hasAge = known.contains { MdocClaims.age($0) != nil }
            for element in nameSpace.elements where !known.contains(where: { $0.isExactly(element.name) }) {
                if hasAge, MdocClaims.age(element.name) != nil { continue }
                let stated = errors.first { $0.nameSpace.isExactly(nameSpace.name) && $0.identifier.isExactly(element.name) }
                missing.append(
                    ElementError(
                        nameSpace: nameSpace.name, identifier: element.name, code: stated?.code ?? DeviceResponseResult.notReturned))
            }
        }
        return missing
    }

    /// Whether the portrait was asked for, something was handed over, and the portrait was not: the standard has it released with anything
    /// that is.
    public func withholdsPortrait(of request: DocumentRequest) -> Bool {
        returned.nameSpaces.contains { !$0.identifiers.isEmpty } && missing(of: request).contains { $0.identifier.isExactly("portrait") }
    }

    /// The claims that were asked for, and how many were handed over besides: those are kept from everybody.
    public func claims(asked request: DocumentRequest) -> (claims: MdocClaims, surplus: Int) {
        var asked = MdocClaims(), surplus = 0
        for nameSpace in claims.nameSpaces {
            let names = request.nameSpaces.first { $0.name.isExactly(nameSpace.name) }?.elements.map(\.name) ?? []
            let asksAge = names.contains { MdocClaims.age($0) != nil }
            let kept = nameSpace.elements.filter { element in
                names.contains { $0.isExactly(element.identifier) } || (asksAge && MdocClaims.age(element.identifier) != nil)
            }
            surplus += nameSpace.elements.count - kept.count
            if !kept.isEmpty { asked.append(nameSpace.name, kept) }
        }
        return (asked, surplus)
    }
}
