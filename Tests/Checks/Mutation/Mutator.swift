import TestSupport

/// What is sent instead of a sample, while it is being changed: JSON as long as it is any, then octets.
struct Mutant {
    private enum Content {
        case tree(Tree)
        case octets([UInt8])
    }

    private var content: Content

    init(_ tree: Tree) { content = .tree(tree) }
    init(_ octets: [UInt8]) { content = .octets(octets) }

    var octets: [UInt8] {
        switch content {
        case .tree(let tree): tree.octets
        case .octets(let octets): octets
        }
    }

    /// Nil once it is octets.
    var tree: Tree? { if case .tree(let tree) = content { tree } else { nil } }

    mutating func edit(_ change: (inout Tree) -> Void) {
        guard case .tree(var tree) = content else { return }
        change(&tree)
        content = .tree(tree)
    }

    mutating func editOctets(_ change: (inout [UInt8]) -> Void) {
        var octets = octets
        change(&octets)
        content = .octets(octets)
    }
}

/// One way of changing a credential, as a stranger might.
struct Mutator: Sendable {
    let name: String
    /// How often it is chosen, against the others of its form.
    let weight: Int
    let change: @Sendable (inout Mutant, inout SeededRandom, Sample) -> Void

    init(_ name: String, _ weight: Int = 10, _ change: @escaping @Sendable (inout Mutant, inout SeededRandom, Sample) -> Void) {
        self.name = name
        self.weight = weight
        self.change = change
    }

    /// One that changes JSON.
    static func tree(_ name: String, _ weight: Int = 10, _ change: @escaping @Sendable (inout Tree, inout SeededRandom, Sample) -> Void)
        -> Mutator
    {
        Mutator(name, weight) { mutant, random, sample in mutant.edit { change(&$0, &random, sample) } }
    }

    static func octets(
        _ name: String, _ weight: Int = 10, _ change: @escaping @Sendable (inout [UInt8], inout SeededRandom, Sample) -> Void
    )
        -> Mutator
    {
        Mutator(name, weight) { mutant, random, sample in mutant.editOctets { change(&$0, &random, sample) } }
    }

    /// Those for a sample, in the order in which several are applied: first the meaning, then the shape, then the octets.
    static func all(for sample: Sample) -> [Mutator] {
        switch sample.form {
        case .sdJWT: disclosureMutators + octetMutators
        case .cwt: tokenMutators + octetMutators
        case .ldpVC: leafMutators + memberMutators + contextMutators + proofMutators + wrapperMutators + octetMutators
        case .jwtVC, .mdoc, .anoncreds, .trustedKey, .unknown: octetMutators
        }
    }

    /// What an attacker would like the gate to believe.
    static let portrait = "data:image/jpeg;base64,/9j/Zm9yZ2Vk"

    /// An IRI some claim is signed under, or one of nobody's.
    static func iri(_ random: inout SeededRandom, _ sample: Sample) -> String {
        random.chance(25)
            ? "urn:harmless" : random.chance(20) ? random.one(of: sample.portraits) ?? "" : random.one(of: sample.properties)?.iri ?? ""
    }

    /// The name of a member somewhere in the document.
    static func memberName(_ tree: Tree, _ random: inout SeededRandom) -> String {
        let objects = tree.paths { !($0.members ?? []).isEmpty }
        guard let path = random.one(of: objects), let member = random.one(of: tree[path: path]?.members ?? []) else { return "x" }
        return Tree.scalar(member.name).string ?? "x"
    }
}
