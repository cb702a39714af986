import TestSupport

extension Mutator {
    private static let keywords = [
        "@id", "@type", "@value", "@graph", "@included", "@reverse", "@nest", "@list", "@set", "@index", "@language", "@context", "@none",
        "@json",
        "@direction", "id", "type", "face", "proof", "issuer", "credentialSubject", "credentialStatus", "expirationDate", "validUntil",
        "unheardOf", "",
    ]

    /// Members renamed, added, removed, repeated, moved; objects named and divided.
    static let memberMutators: [Mutator] = [
        tree("member: renamed", 25) { tree, random, sample in
            let known = memberName(tree, &random)
            let names = [
                known, iri(&random, sample), "urn:x:\(known)", random.one(of: keywords) ?? "", known + " ", known.uppercased(), "_:b0",
                "sec:" + known,
            ]
            guard let name = random.one(of: names), let path = random.one(of: tree.paths { !($0.members ?? []).isEmpty }) else { return }
            tree.edit(path) { object in
                guard var members = object.members else { return }
                let place = random.below(members.count)
                members[place].name = Tree.quoted(name)
                if random.chance(10), let letter = known.utf8.first {
                    members[place].name = Array("\"\\u00\(String(letter, radix: 16))".utf8) + known.utf8.dropFirst() + [0x22]
                }
                object = .object(members)
            }
        },
        tree("member: added", 25) { tree, random, sample in
            guard let path = random.one(of: random.chance(40) ? [[]] : tree.paths { $0.members != nil }) else { return }
            let member = newMember(tree, &random, sample)
            tree.edit(path) { object in
                guard var members = object.members else { return }
                members.insert(member, at: random.chance(50) ? 0 : members.count)
                object = .object(members)
            }
        },
        tree("member: removed") { tree, random, _ in
            if let path = random.one(of: tree.paths.dropFirst()) { tree.remove(path) }
        },
        tree("member: repeated") { tree, random, _ in
            guard let path = random.one(of: tree.paths { !($0.members ?? []).isEmpty }) else { return }
            tree.edit(path) { object in
                guard var member = random.one(of: object.members ?? []) else { return }
                if random.chance(70) { member.value = .string("forged") }
                object = .object(random.chance(50) ? [member] + (object.members ?? []) : (object.members ?? []) + [member])
            }
        },
        tree("member: moved", 20) { tree, random, _ in
            guard let from = random.one(of: tree.paths { !($0.members ?? []).isEmpty }),
                let place = random.one(of: (tree[path: from]?.members ?? []).indices),
                let member = tree[path: from]?.members?[place]
            else { return }
            tree.remove(from + [place])
            guard let to = random.one(of: tree.paths { $0.members != nil }) else { return }
            tree.edit(to) { $0.append(member) }
        },
        tree("members: under a keyword", 15) { tree, random, _ in
            guard let path = random.one(of: random.chance(60) ? tree.paths { $0.members != nil } : [[]]),
                let keyword = random.one(of: keywords.prefix(12))
            else { return }
            tree.edit(path) { object in
                guard let members = object.members else { return }
                let kept = members.filter { _ in random.chance(50) }, moved = members.filter { !kept.contains($0) }
                object = .object(kept + [Tree.Member(keyword, random.chance(50) ? .object(moved) : .array([.object(moved)]))])
            }
        },
        tree("order: shuffled") { tree, random, _ in
            guard let path = random.one(of: tree.paths { $0.children.count > 1 }) else { return }
            tree.edit(path) { value in
                if var members = value.members {
                    random.shuffle(&members)
                    value = .object(members)
                } else if var elements = value.elements {
                    random.shuffle(&elements)
                    value = .array(elements)
                }
            }
        },
        tree("subject: two", 20) { tree, random, _ in
            if let subject = tree["credentialSubject"] { tree["credentialSubject"] = subjects(subject, &random) }
        },
        tree("node: named", 15) { tree, random, _ in
            guard let path = random.one(of: tree.paths { $0.members != nil }) else { return }
            let name =
                random.one(of: [
                    "_:b0", "_:b1", "_:c14n0", "_:", "_:b0 b", "", "urn:x", "#", tree["id"]?.string ?? "", tree["issuer"]?.string ?? "",
                ]) ?? ""
            tree.edit(path) { $0[$0["id"] == nil ? "@id" : "id"] = .string(name) }
        },
        tree("nodes: merged") { tree, random, _ in
            let nodes = tree.paths { $0.members != nil && $0["@value"] == nil }.dropFirst()
            guard let one = random.one(of: nodes), let other = random.one(of: nodes) else { return }
            for path in [one, other] { tree.edit(path) { $0[$0["id"] == nil ? "@id" : "id"] = .string("_:same") } }
        },
        tree("part: of another credential", 15) { tree, random, sample in
            guard let other = random.one(of: sample.others), let member = random.one(of: other.members ?? []) else { return }
            let name = Tree.scalar(member.name).string ?? ""
            tree[random.chance(85) ? name : memberName(tree, &random)] = member.value
        },
        tree("nodes: many alike", 1) { tree, random, sample in
            let property = iri(&random, sample), count = 2 + random.below(6)
            let nodes = (0..<count).map { node in
                Tree.object([
                    Tree.Member("@id", .string("_:n\(node)")),
                    Tree.Member(property, .array((0..<count).map { .object([Tree.Member("@id", .string("_:n\($0)"))]) })),
                ])
            }
            tree["credentialSubject"]?.append(Tree.Member(property, .array(nodes)))
        },
    ]

    private static func newMember(_ tree: Tree, _ random: inout SeededRandom, _ sample: Sample) -> Tree.Member {
        let subject = Tree.object([Tree.Member("id", .string("did:example:forged")), Tree.Member("face", .string(portrait))])
        let status = Tree.json(
            #"{"id":"urn:s","type":"BitstringStatusListEntry","statusPurpose":"message","statusListIndex":"0","statusListCredential":"urn:l"}"#
        )
        let known = memberName(tree, &random)
        return random.one(of: [
            Tree.Member("face", .string(portrait)), Tree.Member(iri(&random, sample), .string(portrait)),
            Tree.Member("isVerified", .json("true")),
            Tree.Member("expirationDate", .string("2999-01-01T00:00:00Z")), Tree.Member("validUntil", .string("2999-01-01T00:00:00Z")),
            Tree.Member("https://www.w3.org/2018/credentials#validUntil", .string("2999-01-01T00:00:00Z")),
            Tree.Member("credentialStatus", status), Tree.Member("https://www.w3.org/2018/credentials#credentialStatus", status),
            Tree.Member("credentialSubject", subject), Tree.Member("https://www.w3.org/2018/credentials#credentialSubject", subject),
            Tree.Member(
                "https://www.w3.org/2018/credentials#issuer", .object([Tree.Member("@id", .string(random.one(of: sample.issuers) ?? ""))])),
            Tree.Member("@context", contextValue(tree, &random, sample)),
            Tree.Member("@type", .string("https://www.w3.org/2018/credentials#VerifiableCredential")),
            Tree.Member("type", .string("VerifiableCredential")), Tree.Member("@included", .array([subject])),
            Tree.Member("@graph", .array([subject])),
            Tree.Member("@reverse", .object([Tree.Member("https://www.w3.org/2018/credentials#credentialSubject", .object([]))])),
            Tree.Member("@nest", subject), Tree.Member("@index", .string("i")), Tree.Member("@value", .string("forged")),
            Tree.Member("proof", tree["proof"] ?? .array([])),
            Tree.Member(known, .string("forged")), Tree.Member("verifiableCredential", subject), Tree.Member("", .string("forged")),
            Tree.Member("@list", .array([])),
            Tree.Member("@set", .array([])), Tree.Member("@graph", .array([])), Tree.Member("@included", .array([])),
            Tree.Member(iri(&random, sample), .json("null")),
        ]) ?? Tree.Member("face", .string(portrait))
    }

    /// One subject and another, or one divided in two.
    private static func subjects(_ subject: Tree, _ random: inout SeededRandom) -> Tree {
        var forged = subject
        if let path = random.one(of: subject.leaves) { forged.set(path, .string("forged")) }
        let members = subject.members ?? []
        let id = members.filter { $0.isNamed("id") || $0.isNamed("@id") }, rest = members.filter { !id.contains($0) }
        let half = rest.count / 2
        return random.one(of: [
            .array([subject, forged]), .array([forged, subject]), .array([subject, subject]), .array([subject, .object([])]),
            .array([.object(id), subject]),
            .array([.object(id + rest.prefix(half)), .object(id + rest.dropFirst(half))]),
            .array([.object(rest.prefix(half) + []), .object(id + rest.dropFirst(half))]),
            .array([subject, .string("did:example:forged")]), .array([]), .object([Tree.Member("@graph", .array([subject]))]),
            .array([.object(members + [Tree.Member("@id", .string("_:s"))]), .json(#"{"@id":"_:s","face":"forged"}"#)]), .json("null"),
            .object([Tree.Member("@set", .array([subject]))]), .object([Tree.Member("@list", .array([subject]))]),
        ]) ?? subject
    }
}
