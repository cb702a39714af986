/// The context in force at one place of a document (JSON-LD 1.1 API section 4.1). Frozen once made; a new context is a new object.
final class ActiveContext: Sendable {
    struct Body: Sendable {
        var terms: [Text: TermDefinition] = [:]
        var base: Text?
        let originalBase: Text?
        var vocab: Text?
        var language: Text?
        var direction: Text?
        /// The context to return to where a type-scoped context ends.
        var previous: ActiveContext?

        /// A newly-initialized active context.
        init(base: Text?) {
            self.base = base
            originalBase = base
        }

        var hasProtectedTerms: Bool { terms.values.contains { $0.content.isProtected } }

        /// IRI Expansion (section 5.2.2) once the terms it needs are defined. Nil: the value has the form of a keyword, or a term takes its meaning away.
        func expand(_ value: Text, documentRelative: Bool, vocab useVocab: Bool) -> Text? {
            if value.mayBeKeyword {
                if value.isKeyword { return value }
                if value.looksLikeKeyword { return nil }
            }
            if let term = terms[value]?.content {
                if useVocab { return term.iri }
                if let iri = term.iri, iri.isKeyword { return iri }
            }
            if value.contains(":"), let (prefix, suffix) = value.splitAtColon {
                if prefix == "_" || suffix.utf8.starts(with: "//".utf8) { return value }
                if let term = terms[prefix]?.content, term.isPrefix, let iri = term.iri { return iri + suffix }
                if value.hasScheme { return value }
            }
            if useVocab, let vocab { return vocab + value }
            if documentRelative, let base { return IRIReference.resolve(value, against: base) }
            return value
        }
    }

    let body: Body
    /// Made of pinned documents alone, so worth keeping for the next document and free of this one's data.
    let isPinned: Bool

    init(_ body: Body, isPinned: Bool) {
        self.body = body
        self.isPinned = isPinned
    }

    /// Whether `name` is that keyword or an alias of it: the same as expanding it, without making a text.
    func isAlias(_ name: Text, of keyword: Text) -> Bool {
        if name.mayBeKeyword, name == keyword || name.isKeyword || name.looksLikeKeyword { return name == keyword }
        if let term = body.terms[name]?.content { return term.iri == keyword }
        // Nothing that is put together from a prefix is a keyword, and only the shortest vocabulary could make one.
        guard !name.contains(":"), let vocab = body.vocab, vocab.utf8.count < keyword.utf8.count else { return false }
        return vocab + name == keyword
    }

    func term(_ name: Text) -> TermDefinition? { body.terms[name] }

    func expand(_ value: Text, documentRelative: Bool = false, vocab: Bool = false) -> Text? {
        body.expand(value, documentRelative: documentRelative, vocab: vocab)
    }
}
