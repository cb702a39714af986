import JSON
import LinkedData

/// What a JSON-LD document says, so that the same can be said in other words.
struct Statements {
    /// IRIs by the pointer of the value they are the property of.
    let properties: [(pointer: String, iri: String)]
    private let quads: [Quad]
    private let credential: Term

    private static let vocabulary = "https://www.w3.org/2018/credentials#"

    /// Nil for a document that is no credential.
    init?(_ document: Tree, _ contexts: ContextStore) {
        var unsecured = document
        unsecured["proof"] = nil
        var processor = LinkedDataProcessor(store: contexts)
        guard let json = try? JSONDocument(parsing: unsecured.octets), let (dataset, journal) = try? processor.dataset(of: json.root) else {
            return nil
        }
        let type = Term.iri(Text(Self.vocabulary + "VerifiableCredential"))
        guard let credential = dataset.quads.first(where: { $0.object == type })?.subject else { return nil }
        quads = dataset.quads
        self.credential = credential
        properties = zip(dataset.quads, dataset.origins).compactMap { quad, origin in
            guard case .iri(let iri) = quad.predicate else { return nil }
            return (journal.pointer(origin), iri.string)
        }
    }

    /// The document with everything but the names that the data model asks for spelled out: by IRIs, by names of the sender's own, and by
    /// IRIs without the issuer's contexts, which would protect their terms.
    func disguises(of document: Tree) -> [Tree] {
        let kept = ["@context", "type", "issuer", "issuanceDate", "proof"]
        guard let members = document.members, let contexts = document["@context"]?.elements else { return [] }
        var plain = Tree.object(members.filter { member in kept.contains { member.isNamed($0) } })
        if let id = document["id"] { plain["id"] = id }
        let about = Term.iri(Text(Self.vocabulary + "credentialSubject"))
        guard let subject = quads.first(where: { $0.subject == credential && $0.predicate == about })?.object else { return [] }
        plain.append(Tree.Member("credentialSubject", node(subject, [credential])))
        for quad in quads where quad.subject == credential && quad.predicate != .iri(Vocabulary.type) && quad.predicate != about {
            guard case .iri(let iri) = quad.predicate, !["issuer", "issuanceDate"].contains(where: { iri.string == Self.vocabulary + $0 })
            else { continue }
            plain.append(Tree.Member(iri.string, value(quad.object, [credential])))
        }
        // Members that are not signed are not said again; `type` is, and may need its context.
        let aliased = Self.aliased(plain, contexts)
        var bare = plain
        bare["@context"] = .array(Array(contexts.prefix(1)))
        let types = quads.filter { $0.subject == credential && $0.predicate == .iri(Vocabulary.type) }.map { Self.name($0.object) }
        bare["type"] = .array(types.map { .string($0 == Self.vocabulary + "VerifiableCredential" ? "VerifiableCredential" : $0) })
        let issuer = quads.first { $0.subject == credential && $0.predicate == .iri(Text(Self.vocabulary + "issuer")) }?.object
        if let issuer, document["issuer"]?.members != nil {
            bare["issuer"] = .object([Tree.Member("id", .string(Self.name(issuer)))] + (node(issuer, []).members ?? []).dropFirst())
        }
        return [plain] + (aliased.map { [$0] } ?? []) + [bare]
    }

    /// The same with each IRI that is a member's name replaced by a term of an inline context.
    private static func aliased(_ plain: Tree, _ contexts: [Tree]) -> Tree? {
        var terms: [Tree.Member] = []
        func rename(_ tree: Tree, isTop: Bool) -> Tree {
            switch tree {
            case .scalar: return tree
            case .array(let elements): return .array(elements.map { rename($0, isTop: false) })
            case .object(let members):
                return .object(
                    members.map { member in
                        if isTop, member.isNamed("proof") || member.isNamed("@context") { return member }
                        let name = String(decoding: member.name.dropFirst().dropLast(), as: UTF8.self)
                        guard name.contains(":") else { return Tree.Member(name: member.name, value: rename(member.value, isTop: false)) }
                        let known = terms.firstIndex { $0.value["@id"] == .scalar(member.name) }
                        if known == nil { terms.append(Tree.Member("own\(terms.count)", .object([Tree.Member("@id", .string(name))]))) }
                        return Tree.Member(name: terms[known ?? terms.count - 1].name, value: rename(member.value, isTop: false))
                    })
            }
        }
        var renamed = rename(plain, isTop: true)
        renamed["@context"] = .array(contexts + [.object(terms)])
        return renamed
    }

    private func node(_ term: Term, _ path: [Term]) -> Tree {
        var members: [Tree.Member] = []
        switch term {
        case .iri(let iri): members.append(Tree.Member("@id", .string(iri.string)))
        case .blankNode(let label) where isShared(term): members.append(Tree.Member("@id", .string("_:" + label.string)))
        default: break
        }
        guard !path.contains(term) else { return .object(members) }
        let own = quads.filter { $0.subject == term && $0.graph == nil }
        let types = own.filter { $0.predicate == .iri(Vocabulary.type) }.map(\.object)
        if !types.isEmpty { members.append(Tree.Member("@type", .array(types.map { .string(Self.name($0)) }))) }
        for quad in own where quad.predicate != .iri(Vocabulary.type) {
            guard case .iri(let iri) = quad.predicate else { continue }
            let value = value(quad.object, path + [term])
            if let place = members.firstIndex(where: { $0.isNamed(iri.string) }), case .array(let values) = members[place].value {
                members[place].value = .array(values + [value])
            } else {
                members.append(Tree.Member(iri.string, .array([value])))
            }
        }
        return .object(members)
    }

    private func value(_ term: Term, _ path: [Term]) -> Tree {
        guard case .literal(let literal) = term else { return node(term, path) }
        var members = [Tree.Member("@value", .string(literal.value.string))]
        if let language = literal.language {
            members.append(Tree.Member("@language", .string(language.string)))
        } else {
            members.append(Tree.Member("@type", .string(literal.datatype.string)))
        }
        return .object(members)
    }

    private func isShared(_ term: Term) -> Bool { quads.count { $0.object == term } > 1 }

    private static func name(_ term: Term) -> String {
        switch term {
        case .iri(let iri): iri.string
        case .blankNode(let label): "_:" + label.string
        case .literal(let literal): literal.value.string
        }
    }
}
