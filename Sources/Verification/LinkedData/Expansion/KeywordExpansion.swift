import JSON

extension Expansion {
    /// Step 13.4: a member whose name is a keyword or an alias of one.
    mutating func expandKeyword(
        _ keyword: Text, _ member: Member, _ origin: Origin, _ frame: Frame, into result: inout ExpandedObject
    ) throws(LinkedDataError) {
        if frame.property == .atReverse { throw .invalidReversePropertyMap }
        // Terms that are reverse properties make an @reverse too, before or after: two that are written are looked for in `expandMembers`.
        if keyword != .atIncluded, keyword != .atType, keyword != .atReverse, result[keyword] != nil { throw .collidingKeywords }
        let value = member.value
        let (active, depth) = (frame.active, frame.depth + 1)
        switch keyword {
        case .atID: result[.atID] = try expandIdentifier(value, origin, active)
        case .atType: try expandType(value, origin, frame, into: &result)
        case .atGraph:
            let graph = try expand(value, origin, property: .atGraph, active, depth: depth)
            result[.atGraph] = graph?.asArray ?? Expanded(.array([]), origin)
        case .atIncluded: try expandIncluded(value, origin, frame, into: &result)
        case .atValue: result[.atValue] = try expandLiteral(value, origin, frame)
        case .atLanguage:
            guard let text = value.string else { throw .invalidLanguageTaggedString }
            result[.atLanguage] = Expanded(.string(Text(text)), origin)
        case .atDirection:
            guard let text = value.string.map(Text.init), text == "ltr" || text == "rtl" else { throw .invalidBaseDirection }
            result[.atDirection] = Expanded(.string(text), origin)
        case .atIndex:
            guard let text = value.string else { throw .invalidIndex }
            result[.atIndex] = Expanded(.string(Text(text)), origin)
        case .atList:
            guard let property = frame.property, property != .atGraph else {
                journal.drop(.freeFloatingValue, origin)
                return
            }
            let list = try expand(value, origin, property: property, active, depth: depth)
            result[.atList] = list?.asArray ?? Expanded(.array([]), origin)
        case .atSet:
            let set = try expand(value, origin, property: frame.property, active, depth: depth)
            result[.atSet] = set ?? Expanded(.null, origin)
        case .atReverse: try expandReverse(value, origin, frame, into: &result)
        default:
            // @container, @prefix and the like mean something in a context only.
            journal.drop(.keywordForm, origin)
        }
    }

    /// Step 13.4.3.
    private mutating func expandIdentifier(
        _ value: JSONValue, _ origin: Origin, _ active: ActiveContext
    ) throws(LinkedDataError) -> Expanded {
        guard let text = value.string else { throw .invalidIdentifier }
        guard let iri = try iri(Text(text), active, documentRelative: true) else {
            journal.drop(.nullMapping, origin)
            return Expanded(.null, origin)
        }
        return Expanded(.string(iri), origin)
    }

    /// Step 13.4.4: types are understood in the context before any of them changes it.
    private mutating func expandType(
        _ value: JSONValue, _ origin: Origin, _ frame: Frame, into result: inout ExpandedObject
    ) throws(LinkedDataError) {
        var types: [Expanded] = []
        var position = 0
        for item in value.elements.map(Array.init) ?? [value] {
            guard let text = item.string else { throw .invalidTypeValue }
            let place = value.kind == .array ? journal.origins.element(position, of: origin) : origin
            position += 1
            try visit(depth: frame.depth)
            guard let iri = try iri(Text(text), frame.typeScoped, documentRelative: true, vocab: true) else {
                journal.drop(.nullMapping, place)
                continue
            }
            types.append(Expanded(.string(iri), place))
        }
        if position == 0 { journal.drop(.emptyArray, origin) }
        let isSingle = value.kind != .array
        if result[.atType] != nil {
            result.add(Expanded(.array(types), origin), to: .atType)
        } else if isSingle, let only = types.first {
            result[.atType] = only
        } else {
            result[.atType] = Expanded(.array(types), origin)
        }
    }

    /// Step 13.4.6.
    private mutating func expandIncluded(
        _ value: JSONValue, _ origin: Origin, _ frame: Frame, into result: inout ExpandedObject
    ) throws(LinkedDataError) {
        guard let included = try expand(value, origin, property: nil, frame.active, depth: frame.depth + 1) else { throw .invalidIncluded }
        if value.kind == .array, let elements = value.elements, elements.contains(where: { $0.kind != .object && $0.kind != .null }) {
            throw .invalidIncluded
        }
        for item in included.elements {
            guard let object = item.object, object[.atValue] == nil, object[.atList] == nil, object[.atSet] == nil else {
                throw .invalidIncluded
            }
        }
        result.add(included, to: .atIncluded)
    }

    /// Step 13.4.7.
    private mutating func expandLiteral(
        _ value: JSONValue, _ origin: Origin, _ frame: Frame
    ) throws(LinkedDataError) -> Expanded {
        if frame.inputType == .atJSON {
            return Expanded(.json(value), origin)
        }
        switch value.kind {
        case .null: return Expanded(.null, origin)
        case .string: return Expanded(.string(Text(value) ?? ""), origin)
        case .number, .yes, .no: return Expanded(.json(value), origin)
        case .array, .object: throw .invalidValueObjectValue
        }
    }

    /// Step 13.4.13.
    private mutating func expandReverse(
        _ value: JSONValue, _ origin: Origin, _ frame: Frame, into result: inout ExpandedObject
    ) throws(LinkedDataError) {
        guard value.kind == .object else { throw .invalidReverse }
        if value.members?.count == 0 { journal.drop(.emptyArray, origin) }
        guard let expanded = try expand(value, origin, property: .atReverse, frame.active, depth: frame.depth + 1)?.object else { return }
        if let twice = expanded[.atReverse]?.object {
            for member in twice.members { result.add(member.value, to: member.key) }
        }
        for member in expanded.members where member.key != .atReverse {
            try addReverse(member.value, member.key, origin, to: &result)
        }
    }

    /// Steps 13.4.13.4 and 13.13: only nodes can be the subject of a statement.
    func addReverse(
        _ values: Expanded, _ property: Text, _ origin: Origin, to result: inout ExpandedObject
    ) throws(LinkedDataError) {
        for value in values.elements {
            guard !value.has(.atValue), !value.has(.atList) else { throw .invalidReversePropertyValue }
        }
        result.add(values, to: property, under: .atReverse, origin)
    }
}
