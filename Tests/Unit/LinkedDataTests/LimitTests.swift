import Testing

@testable import LinkedData

@Suite struct LimitTests {
    private func nested(_ depth: Int) -> String {
        String(repeating: #"{"ex:a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    }

    @Test func depth() throws {
        #expect(try Document.refusal(nested(30)) == nil)
        #expect(try Document.refusal(nested(34)) == .tooComplex)
        #expect(try Document.refusal(nested(250)) == .tooComplex)
    }

    @Test func documentBytes() throws {
        let text = #"{"ex:a": "b"}"#
        #expect(try Document.refusal(text, limits: LinkedDataLimits(documentBytes: text.utf8.count)) == nil)
        #expect(try Document.refusal(text, limits: LinkedDataLimits(documentBytes: text.utf8.count - 1)) == .tooComplex)
    }

    /// What a document repeats: each of these is allowed more octets only by this limit.
    @Test(arguments: [
        #"{"@context": {"@vocab": "ex:aaaaaaaaaaaaaaaaaaaaaaaa/"}, "b": null, "c": null, "d": null, "e": null}"#,
        #"{"@context": {"p": "ex:aaaaaaaaaaaaaaaaaaaaaaaa/", "t": "p:b", "u": "p:c", "v": "p:d", "w": "p:e"}}"#,
        #"{"@context": {"@vocab": "ex:aaaaaaaaaaaaaaaaaaaaaaaaaa/", "t": {}, "u": {}, "v": {}, "w": {}}}"#,
        #"{"ex:aaaaaaaaaaaaaaaaaaaaaaaaaaaa": [null, null, null, null]}"#,
        #"{"@id": "ex:aaaaaaaaaa", "ex:p": [1, 2, 3, 4]}"#,
    ]) func octets(_ text: String) throws {
        #expect(try Document.refusal(text, limits: LinkedDataLimits(octets: 100)) == .tooComplex)
        #expect(try Document.refusal(text) == nil)
    }

    @Test func keptContexts() {
        var cache = ContextCache()
        let active = cache.initialContext(base: nil)
        var body = ActiveContext.Body(base: nil)
        for term in 0..<1_000 { body.terms[Text("t\(term)")] = TermDefinition(TermDefinition.Content()) }
        for context in 0..<100 {
            let key = ContextCache.Key(
                active: ObjectIdentifier(active), source: .url(Text("ex:\(context)")), overrideProtected: false, propagate: true)
            cache.keep(ActiveContext(body, isPinned: true), as: key, from: active, nil)
            #expect(cache.result(key) != nil)
            #expect(cache.count * 1_000 <= ContextCache.mostTerms)
        }
    }

    @Test func nodes() throws {
        let wide = #"{"ex:a": ["# + (0..<200).map { "\($0)" }.joined(separator: ",") + "]}"
        #expect(try Document.refusal(wide) == nil)
        #expect(try Document.refusal(wide, limits: LinkedDataLimits(nodes: 200)) == .tooComplex)
        #expect(try Document.refusal(wide, limits: LinkedDataLimits(quads: 199)) == .tooComplex)
    }

    /// Equal elements are told apart by their neighbours only: each cell is looked at from each of the others.
    @Test(arguments: ["[1,2,2,3]", "[0,0,0,0]", "[1,1,1,1,1,1,1,1,1,1,1,1]"])
    func listsOfEqualElements(_ list: String) throws {
        let lines = try Document.nquads(#"{"@id":"urn:a","urn:b":{"@list":\#(list)}}"#).split(separator: "\n")
        #expect(lines.count == 1 + 2 * list.split(separator: ",").count)
    }

    @Test func blankNodes() throws {
        let many = #"{"ex:a": ["# + (0..<256).map { _ in "{}" }.joined(separator: ",") + "]}"
        #expect(try Document.refusal(many) == .tooComplex)
        #expect(try Document.refusal(many, limits: LinkedDataLimits(blankNodes: 257)) == nil)
    }

    @Test func contextChain() throws {
        var documents: [String: String] = [:]
        for link in 0..<20 { documents["ex:c\(link)"] = #"{"@context": "ex:c\#(link + 1)"}"# }
        documents["ex:c20"] = #"{"@context": {"a": "ex:a"}}"#
        #expect(try Document.refusal(#"{"@context": "ex:c5", "a": 1}"#, documents) == nil)
        #expect(try Document.refusal(#"{"@context": "ex:c4", "a": 1}"#, documents) == .tooComplex)
        #expect(try Document.refusal(#"{"@context": "ex:self"}"#, ["ex:self": #"{"@context": "ex:self"}"#]) == .tooComplex)
    }

    @Test func contextBytes() throws {
        func context(_ octets: Int) -> String { #"{"@context": {"a": "ex:"# + String(repeating: "a", count: octets - 100) + #""}}"# }
        #expect(try Document.refusal(context(64 << 10)) == nil)
        #expect(try Document.refusal(context(65 << 10)) == .tooComplex)
        let named = #"{"@context": "ex:c", "ex:p": 1}"#
        #expect(try Document.refusal(named, ["ex:c": context(1 << 20)]) == nil)
        #expect(try Document.refusal(named, ["ex:c": context((1 << 20) + 200)]) == .tooComplex)
    }

    /// Thousands of terms, each waiting for the next: the stack must not pay for them.
    @Test func termsThatWaitForOneAnother() throws {
        let terms = (0..<3_000).map { #""t\#($0)":"t\#($0 + 1):x""# }.joined(separator: ",")
        #expect(try Document.refusal(#"{"@context": {\#(terms)}}"#) == .tooComplex)
        #expect(try Document.refusal(#"{"@context": {"a": "b:x", "b": "a:x"}}"#) == .cyclicIRIMapping)
    }

    /// A large context that every one of many nodes extends by a term.
    @Test func contextsCopiedOverAndOver() throws {
        let terms = (0..<2_000).map { #""t\#($0)":"ex:\#($0)""# }.joined(separator: ",")
        let nodes = (0..<2_000).map { #"{"@context":{"u":"ex:u\#($0)"},"u":1}"# }.joined(separator: ",")
        #expect(try Document.refusal(#"{"@context": {\#(terms)}, "ex:a": [\#(nodes)]}"#) == .tooComplex)
    }

    @Test func nothingIsFetched() throws {
        #expect(try Document.refusal(#"{"@context": "https://example.org/context"}"#) == .loadingDocumentFailed)
        #expect(try Document.refusal(#"{"@context": {"@import": "https://example.org/context"}}"#) == .loadingDocumentFailed)
        #expect(try Document.refusal(#"{"@context": "ex:c"}"#, ["ex:c": "not JSON"]) == .loadingRemoteContextFailed)
        #expect(try Document.refusal(#"{"@context": "ex:c"}"#, ["ex:c": "[]"]) == .invalidRemoteContext)
    }
}
