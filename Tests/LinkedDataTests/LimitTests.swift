import LinkedData
import Testing

@Suite struct LimitTests {
    private func nested(_ depth: Int) -> String {
        String(repeating: #"{"ex:a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    }

    @Test func depth() throws {
        #expect(try Document.refusal(nested(30)) == nil)
        #expect(try Document.refusal(nested(34)) == .tooComplex)
        #expect(try Document.refusal(nested(250)) == .tooComplex)
    }

    @Test func nodes() throws {
        let wide = #"{"ex:a": ["# + (0..<200).map { "\($0)" }.joined(separator: ",") + "]}"
        #expect(try Document.refusal(wide) == nil)
        #expect(try Document.refusal(wide, limits: LinkedDataLimits(nodes: 200)) == .tooComplex)
        #expect(try Document.refusal(wide, limits: LinkedDataLimits(quads: 199)) == .tooComplex)
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
        let large = #"{"@context": {"a": "ex:"# + String(repeating: "a", count: 64 << 10) + #""}}"#
        #expect(try Document.refusal(large) == .tooComplex)
        #expect(try Document.refusal(#"{"@context": "ex:c"}"#, ["ex:c": large]) == .tooComplex)
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
