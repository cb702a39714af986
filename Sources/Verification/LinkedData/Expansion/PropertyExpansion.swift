import JSON

extension Expansion {
    /// Steps 13.5 to 13.14: a member whose name is an IRI.
    mutating func expandProperty(
        _ iri: Text, _ member: Member, _ origin: Origin, _ frame: Frame, into result: inout ExpandedObject
    ) throws(LinkedDataError) {
        let term = frame.active.term(member.name)?.content
        let container = term?.container ?? []
        let value = member.value
        var expanded: Expanded?
        if term?.type == .atJSON {
            var literal = ExpandedObject()
            literal[.atValue] = Expanded(.json(value), origin)
            literal[.atType] = Expanded(.string(.atJSON), origin)
            expanded = Expanded(.object(literal), origin)
            try visit(depth: frame.depth)
        } else if container.contains(.language), value.kind == .object {
            expanded = try expandLanguageMap(value, origin, term, frame)
        } else if !container.isDisjoint(with: [.index, .type, .id]), value.kind == .object {
            expanded = try expandIndexMap(value, origin, member.name, container, term, frame)
        } else {
            expanded = try expand(value, origin, property: member.name, frame.active, depth: frame.depth + 1)
        }
        guard var kept = expanded else { return }
        if container.contains(.list), !kept.has(.atList) { kept = Expansion.list(kept, origin) }
        if container.contains(.graph), container.isDisjoint(with: [.id, .index]) {
            kept = Expanded(.array(kept.elements.map(Expansion.graph)), origin)
        }
        if term?.isReverse == true {
            try addReverse(kept, iri, origin, to: &result)
        } else {
            result.add(kept, to: iri)
        }
    }

    private static func graph(_ item: Expanded) -> Expanded {
        var object = ExpandedObject()
        object[.atGraph] = item.asArray
        return Expanded(.object(object), item.origin)
    }

    private func sorted(_ map: JSONValue) -> [Member] {
        let members = (map.members.map(Array.init) ?? []).map { Member(name: Text($0.name), value: $0.value) }
        return ordered ? members.sorted { $0.name < $1.name } : members
    }

    /// Step 13.7.
    private mutating func expandLanguageMap(
        _ map: JSONValue, _ origin: Origin, _ term: TermDefinition.Content?, _ frame: Frame
    ) throws(LinkedDataError) -> Expanded {
        let direction = direction(of: term, frame.active)
        var values: [Expanded] = []
        for member in sorted(map) {
            let place = journal.origins.member(member.name, of: origin)
            let isNone = frame.active.isAlias(member.name, of: .atNone)
            var position = 0
            for item in member.value.elements.map(Array.init) ?? [member.value] {
                let itemPlace = member.value.kind == .array ? journal.origins.element(position, of: place) : place
                position += 1
                try visit(depth: frame.depth + 1)
                if item.isNull {
                    journal.drop(.nullValue, itemPlace)
                    continue
                }
                guard let text = Text(item) else { throw .invalidLanguageMapValue }
                var object = ExpandedObject()
                object[.atValue] = Expanded(.string(text), itemPlace)
                if !isNone { object[.atLanguage] = Expanded(.string(member.name), itemPlace) }
                if let direction { object[.atDirection] = Expanded(.string(direction), itemPlace) }
                values.append(Expanded(.object(object), itemPlace))
            }
            if position == 0 { journal.drop(.emptyArray, place) }
        }
        if map.members?.count == 0 { journal.drop(.emptyArray, origin) }
        return Expanded(.array(values), origin)
    }

    /// Step 13.8.
    private mutating func expandIndexMap(
        _ map: JSONValue, _ origin: Origin, _ property: Text, _ container: Container, _ term: TermDefinition.Content?, _ frame: Frame
    ) throws(LinkedDataError) -> Expanded {
        var values: [Expanded] = []
        let outer = container.isDisjoint(with: [.id, .type]) ? frame.active : frame.active.body.previous ?? frame.active
        for member in sorted(map) {
            let place = journal.origins.member(member.name, of: origin)
            var context = outer
            if container.contains(.type), let type = outer.term(member.name), type.content.context != nil {
                context = try contexts.apply(type, to: outer, overrideProtected: false, propagate: true)
            }
            let key = try iri(member.name, frame.active, vocab: true)
            guard
                let items = try expand(member.value, place, property: property, context, fromMap: true, depth: frame.depth + 1)
            else { continue }
            for item in items.elements {
                var value = item
                if container.contains(.graph), !item.isGraphObject { value = Expansion.graph(item) }
                values.append(try indexed(value, by: member.name, key, place, property, container, term, frame))
            }
        }
        if map.members?.count == 0 { journal.drop(.emptyArray, origin) }
        return Expanded(.array(values), origin)
    }

    /// Steps 13.8.3.7.2 to 13.8.3.7.5: the key of the map becomes a member of the value.
    private mutating func indexed(
        _ value: Expanded, by name: Text, _ key: Text?, _ place: Origin, _ property: Text, _ container: Container,
        _ term: TermDefinition.Content?, _ frame: Frame
    ) throws(LinkedDataError) -> Expanded {
        guard var object = value.object, key != .atNone else { return value }
        if container.contains(.index) {
            if let index = term?.index, index != .atIndex, let iri = try iri(index, frame.active, vocab: true) {
                let expanded = try expandValue(.string(name), place, property: index, frame.active)
                var all = [expanded]
                if let existing = object[iri] { all += existing.elements }
                object[iri] = Expanded(.array(all), place)
                if object[.atValue] != nil { throw .invalidValueObject }
                if object[.atList] != nil { journal.drop(.shadowedKey, place) }
            } else if object[.atIndex] == nil {
                object[.atIndex] = Expanded(.string(name), place)
            } else {
                journal.drop(.index, place)
            }
        } else if container.contains(.id) {
            if object[.atID] != nil || object[.atValue] != nil || object[.atList] != nil { journal.drop(.shadowedKey, place) }
            if object[.atID] == nil {
                let iri = try iri(name, frame.active, documentRelative: true)
                if iri == nil { journal.drop(.nullMapping, place) }
                object[.atID] = Expanded(iri.map { .string($0) } ?? .null, place)
            }
        } else if container.contains(.type) {
            if object[.atValue] != nil || object[.atList] != nil { journal.drop(.shadowedKey, place) }
            if let key {
                var types = [Expanded(.string(key), place)]
                if let existing = object[.atType] { types += existing.elements }
                object[.atType] = Expanded(.array(types), place)
            } else {
                journal.drop(.nullMapping, place)
            }
        }
        return Expanded(.object(object), value.origin)
    }
}
