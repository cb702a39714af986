import JSON

/// A member of the object at hand.
struct Member {
    let name: Text
    let value: JSONValue
}

extension Expansion {
    /// Steps 6 to 19.
    mutating func expandObject(
        _ element: JSONValue, _ origin: Origin, property: Text?, _ inherited: ActiveContext, fromMap: Bool, depth: Int
    ) throws(LinkedDataError) -> Expanded? {
        guard let written = element.members else { return nil }
        try contexts.work.steps.spend(StepCost.object)
        var members: [Member] = []
        for member in written {
            if depth == 0, let omitted, member.key.isString(omitted) { continue }
            members.append(Member(name: Text(member.name), value: member.value))
        }
        var active = inherited
        if let previous = active.body.previous, !fromMap, !staysInTypeScope(members, active) { active = previous }
        if let property, let term = inherited.term(property), term.content.context != nil {
            active = try contexts.apply(term, to: active, overrideProtected: true, propagate: true)
        }
        if let local = members.first(where: { $0.name == .atContext })?.value {
            active = try contexts.process(local, on: active, ContextProcessor.Scope(baseURL: documentURL), isPinned: false)
        }
        let typeScoped = active
        var types = members.filter { active.isAlias($0.name, of: .atType) }
        if types.count > 1 { types.sort { $0.name < $1.name } }
        active = try typeScopedContext(types, typeScoped)
        let frame = Frame(
            active: active, typeScoped: typeScoped, property: property, inputType: try inputType(types, active), depth: depth)
        var result = ExpandedObject()
        try expandMembers(members, origin, frame, into: &result)
        return try finish(result, origin, property: property)
    }

    /// Step 7: a value object, or an object that is only an `@id`, does not end the type-scoped context.
    private func staysInTypeScope(_ members: [Member], _ active: ActiveContext) -> Bool {
        if members.contains(where: { active.isAlias($0.name, of: .atValue) }) { return true }
        return members.count == 1 && active.isAlias(members[0].name, of: .atID)
    }

    /// Step 11.
    private mutating func typeScopedContext(_ types: [Member], _ typeScoped: ActiveContext) throws(LinkedDataError) -> ActiveContext {
        var active = typeScoped
        for member in types {
            let names = (member.value.elements.map(Array.init) ?? [member.value]).compactMap { $0.string.map(Text.init) }
            for name in names.sorted() {
                guard let term = typeScoped.term(name), term.content.context != nil else { continue }
                active = try contexts.apply(term, to: active, overrideProtected: false, propagate: false)
            }
        }
        return active
    }

    /// Step 12.
    private mutating func inputType(_ types: [Member], _ active: ActiveContext) throws(LinkedDataError) -> Text? {
        guard let first = types.first?.value else { return nil }
        let last = first.elements.map { $0.reduce(nil) { $1 } } ?? first
        guard let text = last?.string else { return nil }
        return try iri(Text(text), active, vocab: true)
    }

    /// Steps 13 and 14. Called again for the members of each `@nest`.
    mutating func expandMembers(
        _ written: [Member], _ origin: Origin, _ frame: Frame, into result: inout ExpandedObject
    ) throws(LinkedDataError) {
        let members = ordered ? written.sorted { $0.name < $1.name } : written
        var nests: [Member] = []
        var hasReverse = false
        for member in members where member.name != .atContext {
            try contexts.work.steps.spend(StepCost.member)
            guard let expanded = try iri(member.name, frame.active, vocab: true) else {
                let place = journal.origins.member(member.name, of: origin)
                journal.drop(member.name.looksLikeKeyword ? .keywordForm : .nullMapping, place)
                continue
            }
            if expanded.isKeyword {
                if expanded == .atNest {
                    if frame.property == .atReverse { throw .invalidReversePropertyMap }
                    nests.append(member)
                } else {
                    if expanded == .atReverse {
                        guard !hasReverse else { throw .collidingKeywords }
                        hasReverse = true
                    }
                    let place = journal.origins.member(member.name, of: origin)
                    try expandKeyword(expanded, member, place, frame, into: &result)
                }
            } else if expanded.contains(":") {
                let place = journal.origins.member(member.name, of: origin)
                try expandProperty(expanded, member, place, frame, into: &result)
            } else {
                journal.drop(.undefinedTerm, journal.origins.member(member.name, of: origin))
            }
        }
        for nest in nests {
            try expandNest(nest, journal.origins.member(nest.name, of: origin), frame, into: &result)
        }
    }

    /// Step 14.
    private mutating func expandNest(
        _ nest: Member, _ origin: Origin, _ frame: Frame, into result: inout ExpandedObject
    ) throws(LinkedDataError) {
        let active = try propertyScoped(nest.name, frame.active)
        let inner = Frame(
            active: active, typeScoped: frame.typeScoped, property: frame.property, inputType: frame.inputType, depth: frame.depth + 1)
        var position = 0
        for value in nest.value.elements.map(Array.init) ?? [nest.value] {
            try visit(depth: inner.depth)
            let place = nest.value.kind == .array ? journal.origins.element(position, of: origin) : origin
            position += 1
            guard let written = value.members else { throw .invalidNest }
            let members = written.map { Member(name: Text($0.name), value: $0.value) }
            if members.isEmpty { journal.drop(.emptyArray, place) }
            guard !members.contains(where: { active.isAlias($0.name, of: .atValue) }) else { throw .invalidNest }
            try expandMembers(members, place, inner, into: &result)
        }
        if position == 0 { journal.drop(.emptyArray, origin) }
    }

    // MARK: The finished object

    /// Steps 15 to 19.
    private mutating func finish(
        _ expanded: ExpandedObject, _ origin: Origin, property: Text?
    ) throws(LinkedDataError) -> Expanded? {
        var result = expanded
        if let value = result[.atValue] {
            try checkValueObject(result, value)
            let isJSON = result[.atType]?.text == .atJSON
            if !isJSON, value.isNull || (value.isArray && value.elements.isEmpty) {
                journal.drop(.nullValue, origin)
                return nil
            }
        } else if let type = result[.atType], !type.isArray {
            result[.atType] = type.asArray
        }
        if result[.atSet] != nil || result[.atList] != nil {
            guard result.count == (result[.atIndex] == nil ? 1 : 2) else { throw .invalidSetOrListObject }
            if let set = result[.atSet] {
                if let index = result[.atIndex] { journal.drop(.index, index.origin) }
                if property == nil || property == .atGraph, set.elements.isEmpty { journal.drop(.freeFloatingNode, origin) }
                return set.isNull ? nil : set
            }
        }
        if result.count == 1, result[.atLanguage] != nil {
            journal.drop(.valuelessLanguage, origin)
            return nil
        }
        if property == nil || property == .atGraph {
            if result[.atValue] != nil || result[.atList] != nil {
                journal.drop(.freeFloatingValue, origin)
                return nil
            }
            if result.count == 0 || (result.count == 1 && result[.atID] != nil) {
                journal.drop(.freeFloatingNode, origin)
                return nil
            }
        }
        return Expanded(.object(result), origin)
    }

    /// Step 15.
    private func checkValueObject(_ object: ExpandedObject, _ value: Expanded) throws(LinkedDataError) {
        for member in object.members {
            switch member.key {
            case .atValue, .atType, .atLanguage, .atDirection, .atIndex: continue
            default: throw .invalidValueObject
            }
        }
        let type = object[.atType]
        if type != nil, object[.atLanguage] != nil || object[.atDirection] != nil { throw .invalidValueObject }
        if type?.text == .atJSON || value.isNull { return }
        // Step 13.4.7 let any value through if `@type` meant `@json` there; here it turns out to mean something else.
        if case .json(let json) = value.content, json.kind == .array || json.kind == .object { throw .invalidValueObjectValue }
        if value.text == nil, object[.atLanguage] != nil { throw .invalidLanguageTaggedValue }
        if let type {
            guard let iri = type.text, iri.isWellFormedIRI else { throw .invalidTypedValue }
        }
    }
}
