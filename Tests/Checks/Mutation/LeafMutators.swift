import Foundation
import TestSupport

extension Mutator {
    /// Values changed, swapped, wrapped.
    static let leafMutators: [Mutator] = [
        tree("leaf: replaced", 20) { tree, random, sample in
            guard let path = random.one(of: tree.leaves) else { return }
            let value = replacement(for: tree[path: path], tree, &random, sample)
            tree.set(path, value)
        },
        tree("leaf: same value in other words") { tree, random, _ in
            guard let path = random.one(of: tree.leaves), let leaf = tree[path: path] else { return }
            tree.set(path, rewritten(leaf, &random))
        },
        tree("leaves: swapped") { tree, random, _ in
            let leaves = tree.leaves
            if let (one, other) = random.pair(below: leaves.count) { swap(leaves[one], leaves[other], in: &tree) }
        },
        tree("subject's leaves: swapped") { tree, random, _ in
            guard let subject = tree["credentialSubject"] else { return }
            var changed = subject
            let leaves = subject.leaves
            if let (one, other) = random.pair(below: leaves.count) { swap(leaves[one], leaves[other], in: &changed) }
            tree["credentialSubject"] = changed
        },
        tree("siblings: swapped") { tree, random, _ in
            guard let path = random.one(of: tree.paths { $0.children.count > 1 }),
                let (one, other) = random.pair(below: tree[path: path]?.children.count ?? 0)
            else { return }
            swap(path + [one], path + [other], in: &tree)
        },
        tree("value: copied to another place") { tree, random, _ in
            let paths = tree.paths.dropFirst()
            guard let from = random.one(of: paths), let to = random.one(of: paths), let value = tree[path: from] else { return }
            tree.set(to, value)
        },
        tree("value: wrapped", 15) { tree, random, sample in
            guard let path = random.one(of: tree.paths.dropFirst()), let value = tree[path: path] else { return }
            tree.set(path, wrapped(value, &random, sample))
        },
        tree("value: unwrapped", 5) { tree, random, _ in
            guard let path = random.one(of: tree.paths { $0.children.count > 0 }.dropFirst()),
                let inner = random.one(of: tree[path: path]?.children ?? [])
            else { return }
            tree.set(path, inner)
        },
        tree("text: statements inside", 12) { tree, random, sample in
            guard let path = random.one(of: tree.leaves) else { return }
            let text = tree[path: path]?.string ?? ""
            tree.set(path, .string(statements(after: text, &random, sample)))
        },
        tree("text: other Unicode") { tree, random, _ in
            let wide = tree.leaves.filter { path in tree[path: path]?.string?.utf8.contains { $0 > 0x7F } ?? false }
            guard let path = random.one(of: random.chance(60) && !wide.isEmpty ? wide : tree.leaves), let text = tree[path: path]?.string
            else { return }
            let forms = [
                text.decomposedStringWithCanonicalMapping, text.precomposedStringWithCanonicalMapping,
                text.decomposedStringWithCompatibilityMapping,
                text + "\u{200B}", "\u{FEFF}" + text, text.replacing("a", with: "а"), text.uppercased(), text + "\u{0}", "\u{202E}" + text,
                text + "\u{FFFD}", text + "\u{1F600}", text.replacing("e", with: "e\u{301}"),
            ]
            tree.set(path, .string(random.one(of: forms) ?? text))
        },
    ]

    /// Puts each of two values in the place of the other; a place inside the other stays as it is.
    static func swap(_ one: [Int], _ other: [Int], in tree: inout Tree) {
        guard !one.starts(with: other), !other.starts(with: one), let first = tree[path: one], let second = tree[path: other] else {
            return
        }
        tree.set(one, second)
        tree.set(other, first)
    }

    private static func replacement(for leaf: Tree?, _ tree: Tree, _ random: inout SeededRandom, _ sample: Sample) -> Tree {
        let text = leaf?.string ?? leaf?.text ?? ""
        let known = random.one(of: tree.leaves).flatMap { tree[path: $0] } ?? .json("null")
        return random.one(of: [
            .string("forged"), .string(""), .string(text + " "), .string(" " + text), .string(String(text.dropLast())),
            .string(String(text.dropFirst())),
            .string(text.lowercased()), .json("0"), .json("-0"), .json("1e999"), .json("1.5"), .json("18446744073709551616"), .json("true"),
            .json("false"),
            .json("null"), .array([]), .object([]), .string(iri(&random, sample)),
            .string("did:key:z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2"),
            .string(portrait), .string("_:b0"), .string("_:c14n0"), .string("@id"), .string("2999-01-01T00:00:00Z"),
            .string("1970-01-01T00:00:00Z"), known,
            .string("http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"), .string("https://www.w3.org/2018/credentials#VerifiableCredential"),
        ]) ?? .json("null")
    }

    private static func rewritten(_ leaf: Tree, _ random: inout SeededRandom) -> Tree {
        guard let text = leaf.string else {
            let number = leaf.text
            return random.one(of: [
                .json(number + ".0"), .json(number + "e0"), .string(number), .json("-" + number),
                .json(#"{"@value":"\#(number)","@type":"http://www.w3.org/2001/XMLSchema#integer"}"#),
                .json(#"{"@value":\#(number),"@type":"http://www.w3.org/2001/XMLSchema#double"}"#), .json(#"{"@value":\#(number)}"#),
            ]) ?? leaf
        }
        let escaped =
            "\""
            + text.unicodeScalars.map { scalar in
                scalar.value < 0x10000
                    ? "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count) + String(scalar.value, radix: 16)
                    : "\(scalar)"
            }.joined() + "\""
        return random.one(of: [
            .json(escaped), .object([Tree.Member("@value", leaf)]), .array([leaf]), .array([leaf, leaf]),
            .object([Tree.Member("@set", .array([leaf]))]),
            .object([Tree.Member("@value", leaf), Tree.Member("@type", .string("http://www.w3.org/2001/XMLSchema#string"))]),
            .object([Tree.Member("@value", leaf), Tree.Member("@index", .string("i"))]), .object([Tree.Member("@id", leaf)]),
            .object([Tree.Member("@value", leaf), Tree.Member("@direction", .string("rtl"))]), .array([leaf, .json("null")]),
            .object([Tree.Member("@value", leaf), Tree.Member("@language", .string("en"))]),
        ]) ?? leaf
    }

    private static func wrapped(_ value: Tree, _ random: inout SeededRandom, _ sample: Sample) -> Tree {
        func object(_ name: String, _ value: Tree) -> Tree { .object([Tree.Member(name, value)]) }
        let forged = random.chance(50) ? Tree.string(portrait) : .string("forged")
        return random.one(of: [
            .array([value]), .array([value, value]), .array([value, forged]), .array([forged, value]), .array([.array([value])]),
            object("@value", value), object("@list", .array([value])), object("@list", .array([value, value])),
            object("@set", .array([value])),
            object("@set", .array([value, forged])), object("@id", value), object("@graph", .array([value])),
            object("@included", .array([value])),
            object("@reverse", value), object("@nest", value), object("@index", value), object("value", value), object("@json", value),
            .object([Tree.Member("@value", value), Tree.Member("@type", .string("@json"))]),
            .object([Tree.Member("@value", value), Tree.Member("@type", .string(iri(&random, sample)))]),
            .object([Tree.Member("@id", .string("_:b0")), Tree.Member(iri(&random, sample), value)]),
            .array([value, object("@id", .string("_:b1"))]), .array([value, .json("null"), .array([]), .json(#"{"@value":null}"#)]),
        ]) ?? value
    }

    /// Text that would end its statement and begin others, where texts and IRIs are written down as they come.
    private static func statements(after text: String, _ random: inout SeededRandom, _ sample: Sample) -> String {
        let property = iri(&random, sample)
        return random.one(of: [
            text + "\" .\n_:c14n0 <\(property)> \"forged", text + "> <\(property)> \"forged\" .\n<urn:x",
            text + "\"^^<urn:x> .\n_:c14n0 <\(property)> \"forged",
            text + "\\\" .\\n_:c14n0 <\(property)> \\\"forged", text + "\u{0}", text + "\r\n", text + "\u{2028}", text + "> .\n",
            text + "\\u003E", text + "\"@en",
            text + "\u{7F}", text + "\\", "_:c14n0", "<" + text + ">", text + "\"^^<http://www.w3.org/2001/XMLSchema#integer>",
        ]) ?? text
    }
}
