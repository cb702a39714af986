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
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
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
}
