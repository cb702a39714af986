import Credentials
import JSON
import Trust

/// Everything a gate can learn from an accepted credential, in a form that can be compared.
struct Snapshot {
    /// What must stay as it is, by name.
    private let facts: [(name: String, text: String)]
    private let roles: [(name: String, value: Tree?)]
    private let claims: Tree
    /// How the credential was believed: key, suite and time of the proof.
    let proof: String

    init(_ credential: VerifiedCredential) {
        // The order of statements is not signed, nor of the values of one property; that of JSON and CBOR is.
        let isOrdered = credential.proof?.options == .canonicalJSON || credential.form != .ldpVC
        claims = Self.canonical(Tree(credential.claims.root), isOrdered: isOrdered)
        roles = ClaimRole.allCases.map { role in
            (role.rawValue, credential.claim(role).map { Self.canonical(Tree($0), isOrdered: isOrdered) })
        }
        // These say that something unsigned, or a key binding, is there: the sender may add or leave away both.
        let notes = credential.notes.subtracting([.typeNotSigned, .keyBindingNotFresh, .proofsIgnored]).map(\.code).sorted()
        facts = [
            ("issuer", credential.issuer), ("issuer's name", credential.issuerName ?? "none"), ("form", credential.form.rawValue),
            ("type", credential.type), ("validity", "\(credential.validity)"), ("status", "\(credential.status)"), ("notes", "\(notes)"),
            ("portrait", credential.portrait ?? "none"),
        ]
        proof = (credential.keyID ?? "no key") + (credential.proof.map { " \($0.suite) \($0.algorithm) \($0.created ?? 0)" } ?? "")
    }

    /// What differs from the original; empty for a mutant that says the same.
    ///
    /// - Parameters:
    ///   - mayWithhold: whether fewer claims are no difference: the holder chooses what to disclose of an SD-JWT.
    ///   - proofs: other proofs by which the same statements are known to be signed.
    func differences(from original: Snapshot, mayWithhold: Bool, proofs: Set<String>) -> [String] {
        var found: [String] = []
        if proof != original.proof, !proofs.contains(proof) { found.append("proof: \(original.proof) became \(proof)") }
        for (mine, theirs) in zip(facts, original.facts) where Array(mine.text.utf8) != Array(theirs.text.utf8) {
            if mayWithhold, mine.name == "portrait", mine.text == "none" { continue }
            found.append("\(mine.name): \(Self.short(theirs.text)) became \(Self.short(mine.text))")
        }
        for (mine, theirs) in zip(roles, original.roles) where mine.value != theirs.value {
            if mayWithhold, mine.value.map({ value in theirs.value.map { Self.isPart(value, of: $0) } ?? false }) ?? true { continue }
            found.append("\(mine.name): \(Self.short(theirs.value?.text ?? "none")) became \(Self.short(mine.value?.text ?? "none"))")
        }
        if claims != original.claims, !(mayWithhold && Self.isPart(claims, of: original.claims)) {
            found.append("claims: \(Self.short(original.claims.text)) became \(Self.short(claims.text))")
        }
        return found
    }

    /// The claims with one leaf changed, for seeing that the comparison sees.
    func altered(_ leaf: Int) -> Snapshot? {
        let leaves = claims.leaves
        guard leaves.indices.contains(leaf) else { return nil }
        var changed = claims
        changed.set(leaves[leaf], .string("altered"))
        return Snapshot(facts: facts, roles: roles, claims: changed, proof: proof)
    }

    private init(facts: [(name: String, text: String)], roles: [(name: String, value: Tree?)], claims: Tree, proof: String) {
        self.proof = proof
        self.facts = facts
        self.roles = roles
        self.claims = claims
    }

    /// Members by name; elements in the order of their octets, except those of a list.
    private static func canonical(_ tree: Tree, isOrdered: Bool) -> Tree {
        switch tree {
        case .scalar: return tree
        case .array(let elements):
            let inner = elements.map { canonical($0, isOrdered: isOrdered) }
            return .array(isOrdered ? inner : inner.map { ($0, $0.octets) }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0))
        case .object(let members):
            let inner = members.map { member -> Tree.Member in
                guard member.isNamed("@list"), let elements = member.value.elements else {
                    return Tree.Member(name: member.name, value: canonical(member.value, isOrdered: isOrdered))
                }
                return Tree.Member(name: member.name, value: .array(elements.map { canonical($0, isOrdered: isOrdered) }))
            }
            return .object(inner.sorted { $0.name.lexicographicallyPrecedes($1.name) })
        }
    }

    /// Whether everything in `part` is in `whole`, at the same place and, in arrays, in the same order.
    private static func isPart(_ part: Tree, of whole: Tree) -> Bool {
        switch (part, whole) {
        case (.object(let mine), .object(let all)):
            return mine.allSatisfy { member in all.contains { $0.name == member.name && isPart(member.value, of: $0.value) } }
        case (.array(let mine), .array(let all)):
            var rest = all[...]
            for element in mine {
                guard let place = rest.firstIndex(where: { isPart(element, of: $0) }) else { return false }
                rest = rest[(place + 1)...]
            }
            return true
        default: return part == whole
        }
    }

    private static func short(_ text: String) -> String { text.utf8.count <= 1500 ? text : text.prefix(700) + " … " + text.suffix(700) }
}
