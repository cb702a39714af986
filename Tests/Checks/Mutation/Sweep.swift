import TestSupport

/// Every place of one sample, none left to chance.
struct Sweep {
    let sample: Sample
    private(set) var tally = Tally()
    private let log: VerdictLog?

    init(_ sample: Sample, log: VerdictLog? = nil) {
        self.sample = sample
        self.log = log
    }

    /// Beyond this many octets, pairs of leaves are left to chance.
    private static let pairLimit = 20_000

    mutating func run() throws {
        switch sample.form {
        case .sdJWT: try presentation()
        case .cwt: try token()
        case .ldpVC:
            for (place, document) in sample.documents.enumerated() {
                try leaves(of: document, place == 0 ? Self.replacements[...] : Self.replacements[6...])
            }
            guard let document = sample.documents.first else { return }
            try portraits(in: document)
            if document.octets.count < Self.pairLimit { try pairs(in: document) }
        case .jwtVC, .mdoc, .anoncreds, .trustedKey, .unknown:
            throw CheckFailed(reason: "\(sample.name): nothing says how a credential of this form is changed in every place")
        }
        try wrappers()
    }

    private mutating func check(_ mutant: [UInt8], _ how: @autoclosure () -> String) throws {
        let verdict = sample.verdict(mutant)
        try log?.add(sample, tally.mutants, "sweep: " + how(), mutant)
        tally.count(verdict)
        let differences = sample.differences(verdict)
        guard differences.isEmpty else {
            throw Violation(sample: sample.name, how: ["sweep: " + how()], differences: differences, mutant: mutant)
        }
    }

    // MARK: JSON-LD

    private static let replacements = [
        Tree.string("forged"), .string(""), .json("1"), .json("true"), .json("null"), .array([]), .object([]),
        .json(#"{"@id":"urn:forged"}"#),
        .json(#"{"@value":"forged"}"#), .string(Mutator.portrait),
    ]

    /// Each leaf replaced by each of several values, and each value and member removed.
    private mutating func leaves(of document: Tree, _ replacements: ArraySlice<Tree>) throws {
        for path in document.leaves {
            for value in replacements {
                var mutant = document
                mutant.set(path, value)
                try check(mutant.octets, "the leaf at \(path) replaced by \(value.text)")
            }
        }
        for path in document.paths.dropFirst() {
            var mutant = document
            mutant.remove(path)
            try check(mutant.octets, "the value at \(path) removed")
        }
    }

    private mutating func pairs(in document: Tree) throws {
        let subject = document.members?.firstIndex { $0.isNamed("credentialSubject") } ?? 0
        let leaves = document.leaves.filter { $0.first == subject }
        for (place, one) in leaves.enumerated() {
            for other in leaves.dropFirst(place + 1) {
                var mutant = document
                Mutator.swap(one, other, in: &mutant)
                try check(mutant.octets, "the leaves at \(one) and \(other) swapped")
            }
        }
    }

    /// A portrait in every object, under every name trust has for it, those that a context of the sender's makes mean it, and those people
    /// use.
    private mutating func portraits(in document: Tree) throws {
        let names = ["face", "photo", "picture", "portrait", "image", "compressedFace", "forgedFace"]
        let forged = Tree.string(Mutator.portrait)
        let values = [forged, .array([forged]), .object([Tree.Member("@value", forged)]), .object([Tree.Member("@id", forged)])]
        for path in document.paths(where: { $0.members != nil }) {
            for name in names + sample.portraits {
                for value in values { try inject(Tree.Member(name, value), document, path, context: nil) }
            }
            for name in ["face", "forgedFace"] {
                for iri in sample.portraits {
                    try inject(Tree.Member(name, forged), document, path, context: .object([Tree.Member(name, .string(iri))]))
                }
            }
        }
    }

    /// With the context at the top, and inside the object itself.
    private mutating func inject(_ member: Tree.Member, _ document: Tree, _ path: [Int], context: Tree?) throws {
        var mutant = document
        mutant.edit(path) { object in object = .object((object.members ?? []).filter { $0.name != member.name } + [member]) }
        if let context {
            var inside = mutant
            inside.edit(path) { object in
                if object["@context"] == nil { object = .object([Tree.Member("@context", context)] + (object.members ?? [])) }
            }
            try check(inside.octets, "\(Tree.object([member]).text) at \(path) with \(context.text) inside")
            mutant["@context"] = .array((mutant["@context"]?.elements ?? []) + [context])
        }
        try check(mutant.octets, "\(Tree.object([member]).text) at \(path) with \(context?.text ?? "no context")")
    }

    // MARK: SD-JWT and CWT

    private mutating func presentation() throws {
        guard let parts = PresentationParts(sample.message) else { return }
        for (place, text) in parts.disclosures.enumerated() {
            for isBound in [true, false] {
                var mutant = parts
                mutant.disclosures.remove(at: place)
                if !isBound { mutant.binding = [] }
                try check(mutant.text, "disclosure \(place) withheld")
                mutant.disclosures.insert(contentsOf: [text, text], at: place)
                try check(mutant.text, "disclosure \(place) twice")
                for leaf in PresentationParts.tree(text)?.leaves ?? [] {
                    for value in Self.replacements {
                        guard var edited = PresentationParts.tree(text) else { continue }
                        edited.set(leaf, value)
                        mutant = parts
                        mutant.disclosures[place] = Base64URL.encode(edited.octets)
                        try check(mutant.text, "disclosure \(place) says \(edited.text)")
                    }
                }
            }
        }
        for place in 0..<2 {
            guard let tree = PresentationParts.tree(parts.token[place]) else { continue }
            for leaf in tree.leaves {
                for value in Self.replacements {
                    var edited = tree, mutant = parts
                    edited.set(leaf, value)
                    mutant.token[place] = Base64URL.encode(edited.octets)
                    try check(mutant.text, "part \(place), the leaf at \(leaf) replaced by \(value.text)")
                }
            }
        }
        for name in ["face", "photo", "portrait"] + sample.portraits {
            var mutant = parts
            mutant.disclosures.append(Base64URL.encode(#"["c2FsdA","\#(name)","\#(Mutator.portrait)"]"#))
            try check(mutant.text, "a disclosure of \(name)")
        }
    }

    private mutating func token() throws {
        guard let token = Hex.decode(sample.message) else { return }
        for place in token.indices {
            for octet in [UInt8(0), 0xFF, 0xF6] + (0..<8).map({ token[place] ^ 1 << UInt8($0) }) {
                var mutant = token
                mutant[place] = octet
                try check(Array(Hex.text(mutant).utf8), "octet \(place) is \(octet)")
                try check(mutant, "octet \(place) is \(octet), no hexadecimal")
            }
            var mutant = token
            mutant.remove(at: place)
            try check(Array(Hex.text(mutant).utf8), "octet \(place) removed")
            try check(Array(Hex.text(token.prefix(place)).utf8), "cut at \(place)")
        }
    }

    // MARK: All

    /// A credential in the wallet's wrappers, the newer first, beside what a wallet might say there.
    private func wrapped(inner: [Tree.Member] = [], outer: [Tree.Member] = []) -> [[UInt8]] {
        let credential: Tree = sample.documents.first ?? .scalar(Array("\"".utf8) + sample.message + Array("\"".utf8))
        let holder = Tree.object([Tree.Member("credential", credential)] + inner)
        return [holder, credential].map { Tree.object(outer + [Tree.Member("verifiableCredential", $0)]).octets }
    }

    /// Where no wrapper of this form is read at all, forged ones prove nothing.
    private func checkWrapping() throws {
        let isRead = wrapped().contains { message in
            guard let found = sample.verdict(message).credential.map(Snapshot.init) else { return false }
            return found.differences(from: sample.original, mayWithhold: false, proofs: sample.proofs).isEmpty
        }
        guard isRead else { throw CheckFailed(reason: "\(sample.name): no wrapper of it is accepted, so forged ones test nothing") }
    }

    /// The wallet's own copies of portrait and verdict, around the credential.
    private mutating func wrappers() throws {
        try checkWrapping()
        let face = Tree.Member(
            "credential", .object([Tree.Member("biometrics", .object([Tree.Member("face", .string(Mutator.portrait))]))]))
        let metadata = Tree.Member("vcMetadata", .json(#"{"isVerified":true,"format":"ldp_vc","issuer":"forged"}"#))
        for name in ["face", "portrait", "16"] + sample.portraits {
            let forged = Tree.Member(name, .string(Mutator.portrait))
            let messages = wrapped(
                inner: [forged, Tree.Member("processedCredential", .object([forged]))], outer: [forged, face, metadata])
            for (message, place) in zip(messages, ["wrapper", "older wrapper"]) { try check(message, "\(name) in the \(place)") }
        }
    }
}
