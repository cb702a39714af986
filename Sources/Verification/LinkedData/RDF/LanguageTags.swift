/// How language tags stand in the statements a signature is over.
///
/// RDF 1.1 Concepts section 3.3: the value space is lower case, and tags may be converted to it. jsonld.js, PyLD and others convert, and
/// others do not.
public enum LanguageTags: String, Hashable, Sendable {
    case asWritten = "as-written"
    case lowerCase = "lower-case"
}

extension Dataset {
    /// Whether it is another dataset with its tags in lower case.
    public var hasCapitalLanguage: Bool {
        quads.contains { quad in
            guard case .literal(let literal) = quad.object, let language = literal.language else { return false }
            return language.withOctets { octets in octets.contains { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 } }
        }
    }

    /// The same statements with every tag like that; two that become one are one.
    public func with(_ tags: LanguageTags) -> Dataset {
        guard tags == .lowerCase, hasCapitalLanguage else { return self }
        var lowered = Dataset()
        for (quad, origin) in zip(quads, origins) {
            guard case .literal(let literal) = quad.object, let language = literal.language else {
                lowered.insert(quad, from: origin)
                continue
            }
            // A tag in a dataset is well-formed: ASCII.
            let object = Term.literal(Literal(literal.value, language: Text(language.string.lowercased())))
            lowered.insert(Quad(quad.subject, quad.predicate, object, graph: quad.graph), from: origin)
        }
        return lowered
    }
}
