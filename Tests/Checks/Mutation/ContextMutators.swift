import TestSupport

extension Mutator {
    /// What the names in the document mean: a stranger may add any context of its own and any pinned one.
    static let contextMutators: [Mutator] = [
        tree("contexts: removed, repeated or replaced", 15) { tree, random, sample in
            guard var contexts = tree["@context"]?.elements, !contexts.isEmpty else { return }
            let place = random.below(contexts.count), pinned = Tree.string(random.one(of: sample.contexts) ?? "")
            switch random.below(8) {
            case 0: contexts.remove(at: place)
            case 1: contexts.insert(contexts[place], at: random.below(contexts.count + 1))
            case 2: random.shuffle(&contexts)
            case 3: contexts[place] = pinned
            case 4: contexts.insert(.json("null"), at: place)
            case 5: contexts = [contexts[place]]
            case 6: contexts = [.array(contexts)]
            default: contexts.append(.string("https://attacker.example/context.json"))
            }
            tree["@context"] = random.chance(90) ? .array(contexts) : contexts.first ?? .array([])
        },
        tree("contexts: another pinned one", 20) { tree, random, sample in
            insert(.string(random.one(of: sample.contexts) ?? ""), into: &tree, &random)
        },
        tree("context: terms", 50) { tree, random, sample in insert(inlineContext(tree, &random, sample), into: &tree, &random) },
        tree("context: settings", 15) { tree, random, sample in insert(settings(&random, sample), into: &tree, &random) },
        tree("context: inside the document", 25) { tree, random, sample in
            guard let path = random.one(of: tree.paths { $0.members != nil }.dropFirst()) else { return }
            let value = contextValue(tree, &random, sample)
            tree.edit(path) { $0 = .object([Tree.Member("@context", value)] + ($0.members ?? []).filter { !$0.isNamed("@context") }) }
        },
        tree("term: one claim under a new name, its name for another", 30) { tree, random, sample in disguise(&tree, &random, sample) },
        tree("terms: two exchanged", 20) { tree, random, sample in
            guard let subject = tree["credentialSubject"]?.members, let (one, other) = random.pair(below: subject.count) else { return }
            let names = [one, other].map { Tree.scalar(subject[$0].name).string ?? "" }
            let iris = names.map { property(of: $0, sample) ?? iri(&random, sample) }
            insert(.object([Tree.Member(names[0], definition(iris[1])), Tree.Member(names[1], definition(iris[0]))]), into: &tree, &random)
            guard random.chance(50) else { return }
            var members = subject
            (members[one].value, members[other].value) = (members[other].value, members[one].value)
            tree["credentialSubject"] = .object(members)
        },
        tree("term: for the proof's own words", 15) { tree, random, sample in
            let name = random.one(of: [
                "assertionMethod", "authentication", "proofPurpose", "created", "verificationMethod", "type", "sec", "DataIntegrityProof",
                "cryptosuite", "proof",
            ])
            insert(.object([Tree.Member(name ?? "", termValue(tree, &random, sample))]), into: &tree, &random)
        },
        tree("term: for what decides", 25) { tree, random, sample in
            let names = [
                "credentialSubject", "issuer", "credentialStatus", "expirationDate", "validUntil", "validFrom", "issuanceDate", "id",
                "type", "VerifiableCredential",
            ]
            guard let name = random.one(of: names) else { return }
            insert(.object([Tree.Member(name, termValue(tree, &random, sample))]), into: &tree, &random)
            guard random.chance(50), let value = tree[name] else { return }
            // The signed value by its IRI, and the name free for something else.
            let iri = property(of: name, sample) ?? "https://www.w3.org/2018/credentials#" + name
            tree[random.chance(50) ? iri : name + "Signed"] = value
            if let forged = random.one(of: [
                Tree.string("forged"), .object([]), .array([]), .json("null"), .string(random.one(of: sample.issuers) ?? ""),
            ]) {
                tree[name] = forged
            }
        },
    ]

    private static func insert(_ context: Tree, into tree: inout Tree, _ random: inout SeededRandom) {
        var contexts = tree["@context"]?.elements ?? [tree["@context"]].compactMap { $0 }
        // Later contexts say more, and the first one has to be the data model's.
        contexts.insert(context, at: random.chance(70) ? contexts.count : random.below(contexts.count + 1))
        tree["@context"] = .array(contexts)
    }

    /// The IRI of the subject's or the credential's member of that name.
    private static func property(of name: String, _ sample: Sample) -> String? {
        sample.properties.first { $0.pointer.hasSuffix("/" + name) || $0.pointer.contains("/\(name)/") }?.iri
    }

    private static func definition(_ iri: String) -> Tree { .object([Tree.Member("@id", .string(iri))]) }

    static func contextValue(_ tree: Tree, _ random: inout SeededRandom, _ sample: Sample) -> Tree {
        switch random.below(8) {
        case 0: .json("null")
        case 1: .object([])
        case 2: .string(random.one(of: sample.contexts) ?? "")
        case 3: settings(&random, sample)
        case 4: .array([.json("null"), inlineContext(tree, &random, sample)])
        case 5: .array([])
        default: inlineContext(tree, &random, sample)
        }
    }

    private static func inlineContext(_ tree: Tree, _ random: inout SeededRandom, _ sample: Sample) -> Tree {
        var members: [Tree.Member] = []
        for _ in 0...random.below(3) {
            let subject = tree["credentialSubject"]?.members?.compactMap { Tree.scalar($0.name).string } ?? []
            let names = [
                "face", "portrait", "x", "isVerified", "credentialStatus", "expirationDate", "VerifiableCredential",
                memberName(tree, &random), iri(&random, sample),
            ]
            let name = random.chance(50) ? random.one(of: subject) : random.one(of: names)
            let term = Tree.Member(name ?? "x", termValue(tree, &random, sample))
            if !members.contains(where: { $0.name == term.name }) { members.append(term) }
        }
        if random.chance(20), let setting = random.one(of: settings(&random, sample).members ?? []) { members.append(setting) }
        return .object(members)
    }

    private static func termValue(_ tree: Tree, _ random: inout SeededRandom, _ sample: Sample) -> Tree {
        let known = iri(&random, sample)
        func with(_ name: String, _ value: Tree) -> Tree { .object([Tree.Member("@id", .string(known)), Tree.Member(name, value)]) }
        let keyword = random.one(of: [
            "@id", "@type", "@graph", "@nest", "@included", "@reverse", "@value", "@language", "@index", "@list", "@set", "@none", "@json",
            "@context",
        ])
        let type = random.one(of: [
            "@id", "@vocab", "@json", "@none", "http://www.w3.org/2001/XMLSchema#dateTime", "http://www.w3.org/2001/XMLSchema#integer",
            "urn:x",
        ])
        let container = random.one(of: ["@language", "@index", "@graph", "@id", "@type", "@list", "@set"]) ?? ""
        return random.one(of: [
            .json("null"), .string(known), .string(known), .string("urn:harmless"), .string(keyword ?? ""),
            with("@type", .string(type ?? "")),
            with("@container", .string(container)), with("@container", .array([.string(container), .string("@set")])),
            .object([Tree.Member("@reverse", .string(known))]),
            with("@context", .json(#"{"x":"urn:x","value":null,"language":"@language"}"#)), with("@context", .json("null")),
            with("@nest", .string("@nest")),
            with("@language", .string("en")), with("@direction", .string("rtl")), with("@protected", .json("false")),
            with("@protected", .json("true")),
            with("@prefix", .json("true")), definition(keyword ?? ""), .json(#"{"@id":null}"#), .string("_:b0"), .string("relative"),
            .string(""),
            with("@index", .string("urn:index")), .string(memberName(tree, &random)),
        ]) ?? .json("null")
    }

    private static func settings(_ random: inout SeededRandom, _ sample: Sample) -> Tree {
        let known = iri(&random, sample)
        return random.one(of: [
            .json(#"{"@vocab":"urn:v:"}"#), .json(#"{"@vocab":""}"#), .json(#"{"@vocab":null}"#),
            .json(#"{"@vocab":"https://schema.org/"}"#),
            .object([Tree.Member("@vocab", .string(known))]), .json(#"{"@vocab":"_:b"}"#), .json(#"{"@base":"https://issuer.example/"}"#),
            .json(#"{"@base":null}"#),
            .json(#"{"@language":"en"}"#), .json(#"{"@language":null}"#), .json(#"{"@direction":"rtl"}"#), .json(#"{"@propagate":false}"#),
            .json(#"{"@propagate":false,"x":"urn:x"}"#), .json(#"{"@protected":true}"#), .json(#"{"@version":1.1}"#),
            .json(#"{"@version":1.0}"#),
            .object([Tree.Member("@import", .string(random.one(of: sample.contexts) ?? ""))]),
            .object([Tree.Member("@import", .string(random.one(of: sample.contexts) ?? "")), Tree.Member("face", .string(known))]),
            .object([
                Tree.Member(
                    "VerifiableCredential",
                    .json(#"{"@id":"https://www.w3.org/2018/credentials#VerifiableCredential","@context":{"face":"urn:f"}}"#))
            ]),
            .object([
                Tree.Member(
                    "Typed",
                    .object([Tree.Member("@id", .string("urn:t")), Tree.Member("@context", .object([Tree.Member("face", .string(known))]))])
                )
            ]),
        ]) ?? .object([])
    }

    /// A claim goes on under a name that is the sender's, and its old name says something else somewhere.
    private static func disguise(_ tree: inout Tree, _ random: inout SeededRandom, _ sample: Sample) {
        guard var subject = tree["credentialSubject"]?.members, let place = random.one(of: subject.indices) else { return }
        let old = subject[place].name, name = Tree.scalar(old).string ?? ""
        guard let iri = property(of: name, sample) ?? (name.contains(":") ? name : nil) else { return }
        subject[place].name = Tree.quoted("signed")
        let meaning = random.one(of: [
            Tree.json("null"), .string("urn:harmless"), .string("@nest"), .string("@index"), .string("@language"),
            .json(#"{"@id":"@type"}"#),
        ])
        insert(
            .object([Tree.Member("signed", definition(iri))] + (random.chance(70) ? [Tree.Member(name, meaning ?? .json("null"))] : [])),
            into: &tree, &random)
        let forged = Tree.Member(name: old, value: random.chance(50) ? .string("forged") : .string(portrait))
        switch random.below(4) {
        case 0: subject.append(forged)
        case 1: tree.append(forged)
        case 2: subject.append(Tree.Member("nested", .object([forged])))
        default: break
        }
        tree["credentialSubject"] = .object(subject)
    }
}
