import LinkedData
import Testing

@Suite struct BaseTests {
    private func subject(_ reference: String, base: Text?) throws -> String {
        var processor = Document.processor()
        processor.base = base
        let result = try processor.dataset(of: try Document.parse(#"{"@id": "\#(reference)", "ex:p": 1}"#))
        guard case .iri(let iri)? = result.dataset.quads.first?.subject else { return "" }
        return iri.string
    }

    /// RFC 3986 section 5.4.
    static let examples: [(String, String)] = [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("g/../h", "http://a/b/c/h"),
        ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
    ]

    @Test(arguments: examples) func resolution(_ reference: String, _ target: String) throws {
        #expect(try subject(reference, base: "http://a/b/c/d;p?q") == target)
    }

    @Test func octetsNotCharacters() throws {
        #expect(try subject("c", base: Text("http://a/b/\u{301}x")) == "http://a/b/c")
    }

    @Test func noBase() throws {
        #expect(try subject("g", base: nil) == "")
        #expect(try subject("ex:g", base: nil) == "ex:g")
    }

    /// JSON-LD 1.1 API section 8.1.2: what is passed over takes its lists along, but not the nodes in them.
    @Test(arguments: [
        #"{"@id": "g", "ex:p": {"@list": [1, 2]}}"#, #"{"@id": "g", "ex:p": {"@list": [[1], []]}}"#,
        #"{"@id": "ex:s", "_:p": {"@list": [1]}}"#,
        #"{"@context": {"p": {"@id": "_:p", "@container": "@list"}}, "@id": "ex:s", "p": ["a"]}"#,
    ])
    func listOfNobody(_ document: String) throws {
        #expect(try Document.nquads(document) == "")
    }

    /// Section 7.2.1 step 5: where there is no subject, a list is added to nothing.
    @Test func listInGraphContainer() throws {
        let context = #"{"g": {"@id": "ex:g", "@container": "@graph"}}"#
        #expect(
            try Document.nquads(#"{"@context": \#(context), "@id": "ex:s", "g": {"@list": [1, {"@id": "ex:n", "ex:q": "v"}]}}"#) == """
                <ex:n> <ex:q> "v" _:c14n0 .
                <ex:s> <ex:g> _:c14n0 .

                """)
    }

    @Test func nodeInListOfNobody() throws {
        let list = #"{"@list": [1, {"@id": "ex:n", "ex:q": {"@list": [2]}}, [{"@id": "ex:m", "ex:q": 3}]]}"#
        let integer = "^^<http://www.w3.org/2001/XMLSchema#integer>", rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        #expect(
            try Document.nquads(#"{"@id": "g", "ex:p": \#(list)}"#) == """
                <ex:m> <ex:q> "3"\(integer) .
                <ex:n> <ex:q> _:c14n0 .
                _:c14n0 <\(rdf)first> "2"\(integer) .
                _:c14n0 <\(rdf)rest> <\(rdf)nil> .

                """)
    }

    /// Section 7.2.1 knows nodes by what they are called, in the dataset or not.
    @Test func indexesOfDroppedNode() throws {
        func document(_ one: String, _ other: String) -> String {
            #"{"ex:p": [{"@id": "g", "@index": "\#(one)"}, {"@id": "g", "@index": "\#(other)"}]}"#
        }
        #expect(try Document.refusal(document("a", "b")) == .conflictingIndexes)
        #expect(try Document.refusal(document("a", "a")) == nil)
    }
}
