import TestSupport

/// One change of one place of an accepted presentation.
struct ProofChange {
    let name: String
    /// Whether the value is another one, and not another way to write the same.
    let isOfValue: Bool
    /// Nil removes the place; two and more put all of them there, in an object under the same name.
    let values: [Tree]

    /// All changes of a place, in the same order each time.
    ///
    /// - Parameters:
    ///   - value: what is there now.
    ///   - others: what stands at the same place of other presentations.
    static func all(of value: Tree, others: [Tree], _ random: inout SeededRandom) -> [ProofChange] {
        let isNothing = value.octets == Array("null".utf8) || (!value.isScalar && value.children.isEmpty)
        var changes = [
            ProofChange(name: "removed", isOfValue: !isNothing, values: []),
            ProofChange(name: "doubled", isOfValue: false, values: [value, value]),
        ]
        for other in others where other != value {
            changes.append(ProofChange(name: "of another presentation", isOfValue: true, values: [other]))
            changes.append(ProofChange(name: "beside another's", isOfValue: true, values: [value, other]))
        }
        if let octets = numbers(value) {
            changes += ofOctets(octets, &random)
        } else if let elements = value.elements {
            if elements.count > 1 {
                changes.append(
                    ProofChange(name: "reversed", isOfValue: elements.reversed() != elements, values: [.array(elements.reversed())]))
            }
        } else if let text = value.string {
            changes += ofText(text, &random)
        } else if value.isScalar {
            changes += ofLiteral(value)
        }
        return changes
    }

    /// The octets of an array of them.
    private static func numbers(_ value: Tree) -> [UInt8]? {
        guard let elements = value.elements, !elements.isEmpty else { return nil }
        var octets: [UInt8] = []
        for element in elements {
            guard case .scalar(let text) = element, let octet = UInt8(String(decoding: text, as: UTF8.self)) else { return nil }
            octets.append(octet)
        }
        return octets
    }

    private static func array(_ octets: [UInt8]) -> Tree { .array(octets.map { .json("\($0)") }) }

    private static func ofOctets(_ octets: [UInt8], _ random: inout SeededRandom) -> [ProofChange] {
        var flipped = octets, cut = octets
        flipped[random.below(octets.count)] ^= 1 << UInt8(random.below(8))
        cut.remove(at: random.below(octets.count))
        return [
            ProofChange(name: "one more", isOfValue: true, values: [array(DecimalText.stepped(octets, up: true))]),
            ProofChange(name: "one less", isOfValue: true, values: [array(DecimalText.stepped(octets, up: false))]),
            ProofChange(name: "bit", isOfValue: true, values: [array(flipped)]),
            ProofChange(name: "octet removed", isOfValue: true, values: [array(cut)]),
            ProofChange(name: "octet added", isOfValue: true, values: [array(octets + [0])]),
            ProofChange(name: "zero before", isOfValue: false, values: [array([0] + octets)]),
            ProofChange(name: "octet of 256", isOfValue: true, values: [.array(octets.dropLast().map { .json("\($0)") } + [.json("256")])]),
        ]
    }

    private static func ofText(_ text: String, _ random: inout SeededRandom) -> [ProofChange] {
        func change(_ name: String, _ text: String, isOfValue: Bool = true) -> ProofChange {
            ProofChange(name: name, isOfValue: isOfValue, values: [.string(text)])
        }
        var changes = [
            change("empty", "", isOfValue: !text.isEmpty), change("blank behind", text + " "), change("quoted", "\"" + text + "\""),
        ]
        let decimal = text.hasPrefix("-") ? String(text.dropFirst()) : text
        if DecimalText.isNumber(decimal) {
            let octets = DecimalText.octets(decimal)
            changes += [
                change("one more", DecimalText.text(DecimalText.stepped(octets, up: true))),
                change("one less", DecimalText.text(DecimalText.stepped(octets, up: false))),
                change("lowest bit", DecimalText.text(DecimalText.flipped(octets, bit: 0))),
                change("bit", DecimalText.text(DecimalText.flipped(octets, bit: random.below(max(octets.count * 8, 1))))),
                change("a bit more", DecimalText.text(DecimalText.flipped(octets, bit: octets.count * 8))),
                change("negated", text.hasPrefix("-") ? decimal : "-" + text), change("zero", "0", isOfValue: text != "0"),
                // The same number, where it is a text that has one.
                change("zero before", "0" + text, isOfValue: false), change("plus before", "+" + text, isOfValue: false),
                change("digit removed", String(text.dropLast())),
            ]
        } else if let other = otherHexadecimal(text, &random) {
            changes.append(change("digit", other))
        } else if let scalar = text.unicodeScalars.first {
            var octets = Array(text.utf8)
            let place = random.below(octets.count)
            octets[place] = octets[place] < 0x80 ? (octets[place] == 0x61 ? 0x62 : 0x61) : octets[place]
            changes += [
                change("character", String(decoding: octets, as: UTF8.self), isOfValue: String(decoding: octets, as: UTF8.self) != text),
                change("letters", text == text.uppercased() ? text.lowercased() : text.uppercased(), isOfValue: false),
                change("combining", String(scalar) + "\u{301}" + text.dropFirst()),
                // The same to `==` of String, and to nobody who signs.
                change("equivalent", text.replacing("\u{151}", with: "o\u{30B}").replacing("\u{F3}", with: "o\u{301}"), isOfValue: false),
            ]
        }
        return changes
    }

    /// AMCL's text with one digit of one residue another, and scalars likewise: any digit counts, as 16 to any power times 15 is less than
    /// the primes. Nil for other texts.
    private static func otherHexadecimal(_ text: String, _ random: inout SeededRandom) -> String? {
        var words = text.split(separator: " ", omittingEmptySubsequences: false).map { Array($0.utf8) }
        guard words.allSatisfy({ !$0.isEmpty && $0.allSatisfy { Hex.decode([UInt8(ascii: "0"), $0]) != nil } }), text.utf8.count >= 40
        else {
            return nil
        }
        let residues = words.count == 1 ? [0] : Array(stride(from: 1, to: words.count, by: 2))
        guard let word = random.one(of: residues) else { return nil }
        let place = random.below(words[word].count)
        words[word][place] = words[word][place] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
        return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    private static func ofLiteral(_ value: Tree) -> [ProofChange] {
        guard case .scalar(let octets) = value, let number = Int64(String(decoding: octets, as: UTF8.self)) else {
            return ["true", "false", "null", "0", "\"\""].filter { Array($0.utf8) != value.octets }.map {
                ProofChange(name: "another literal", isOfValue: true, values: [.json($0)])
            }
        }
        return [number + 1, number - 1, -number, number ^ 1 << 20, 1 << 40].filter { $0 != number }.map {
            ProofChange(name: "another number", isOfValue: true, values: [.json("\($0)")])
        } + [ProofChange(name: "as a text", isOfValue: false, values: [.string("\(number)")])]
    }
}

extension Tree {
    /// With what stands at `path` removed, replaced, or doubled: in an object under the same name, in an array as the next element.
    mutating func put(_ values: [Tree], at path: [Int]) {
        guard let last = path.last else { return self = values.first ?? .array([]) }
        edit(path.dropLast()) { tree in
            switch tree {
            case .object(var members) where members.indices.contains(last):
                let name = members[last].name
                members.replaceSubrange(last...last, with: values.map { Member(name: name, value: $0) })
                tree = .object(members)
            case .array(var elements) where elements.indices.contains(last):
                elements.replaceSubrange(last...last, with: values)
                tree = .array(elements)
            default: break
            }
        }
    }

    /// Names of members and places of elements on the way.
    func names(_ path: [Int]) -> [String] {
        var tree = self, names: [String] = []
        for place in path {
            if let members = tree.members, members.indices.contains(place) {
                names.append(Tree.scalar(members[place].name).string ?? "?")
            } else {
                names.append("\(place)")
            }
            tree = tree.children.indices.contains(place) ? tree.children[place] : .array([])
        }
        return names
    }

    /// Places of everything inside, arrays of numbers as one place each.
    var proofPaths: [[Int]] {
        func places(_ tree: Tree, _ path: [Int]) -> [[Int]] {
            if tree.elements?.first.map({ $0.isScalar && $0.string == nil }) == true { return [path] }
            return [path] + tree.children.enumerated().flatMap { places($1, path + [$0]) }
        }
        return Array(places(self, []).dropFirst())
    }
}
