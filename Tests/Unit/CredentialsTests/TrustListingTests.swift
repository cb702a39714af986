import JSON
import Testing

@testable import Trust

/// `contexts.json` and `lists.json` with a row more or a row changed.
@Suite struct TrustListingTests {
    private func listing(_ text: String, _ kind: TrustListing.Kind = .lists) throws(TrustError) -> TrustListing {
        try TrustListing(kind, bytes: Array(text.utf8))
    }

    private func text(_ listing: TrustListing) -> String { String(decoding: listing.bytes, as: UTF8.self) }

    private static let row = #"{"url":"https://a.example/1","file":"lists/a","fetched":"2026-01-01T00:00:00Z"}"#

    @Test func aNewFile() throws {
        var made = TrustListing(.lists)
        #expect(text(made) == "{\n  \"gatehouse-lists\": 1,\n  \"lists\": []\n}\n")
        try made.put("https://a.example/1", [("file", "lists/a"), ("fetched", "2026-01-01T00:00:00Z")])
        #expect(text(made) == "{\n  \"gatehouse-lists\": 1,\n  \"lists\": [\n    \(Self.row)\n  ]\n}\n")
        try made.put("https://b.example/1", [("file", "lists/b")])
        #expect(text(made).hasSuffix("\(Self.row),\n    {\"url\":\"https://b.example/1\",\"file\":\"lists/b\"}\n  ]\n}\n"))
        #expect(try made.member("file", of: "https://b.example/1") == "lists/b")
        #expect(try made.member("file", of: "https://c.example/1") == nil)
        #expect(try made.files(without: "https://b.example/1") == ["lists/a"])
    }

    /// What somebody wrote by hand stays, octet for octet: white space, order, members that this program does not know.
    @Test func onlyTheRowChanges() throws {
        let rows = #"{"note":"d\u00e9j\#u{00e0}", "fetched":"old" ,"url":"https://a.example/1"} ,{"url":"urn:b"}"#
        let before = "\t{ \"lists\" :[ \(rows)],\n\"gatehouse-lists\":1, \"x\":[1]}"
        var changed = try listing(before)
        try changed.put("https://a.example/1", [("fetched", "new \"time\"")])
        #expect(text(changed) == before.replacing("\"old\"", with: "\"new \\\"time\\\"\""))
        try changed.put("urn:b", [("file", "b"), ("fetched", "t")])
        let row = try #require(try JSONDocument(parsing: changed.bytes).root["lists"]?.elements.map(Array.init)?.last)
        #expect(row["file"]?.string == "b" && row["fetched"]?.string == "t" && row["url"]?.string == "urn:b")
        try changed.put("urn:c", [("file", "c")])
        #expect(text(changed).contains("},{\"url\":\"urn:c\",\"file\":\"c\"}],\n\"gatehouse-lists\":1, \"x\":[1]}"))
        #expect(text(changed).hasPrefix("\t{ \"lists\" :[ {\"note\":\"d\\u00e9j\u{00e0}\", "))
    }

    /// As JSON has it, and not as characters look.
    @Test func urlsAreComparedAsTheyAreRead() throws {
        var changed = try listing(#"{"gatehouse-lists":1,"lists":[{"url":"https:\/\/a.example\/1","fetched":"old"}]}"#)
        try changed.put("https://a.example/1", [("fetched", "new")])
        #expect(text(changed) == #"{"gatehouse-lists":1,"lists":[{"url":"https:\/\/a.example\/1","fetched":"new"}]}"#)
        var other = try listing("{\"gatehouse-lists\":1,\"lists\":[{\"url\":\"urn:e\u{301}\"}]}")
        try other.put("urn:\u{e9}", [("file", "f")])
        #expect(try JSONDocument(parsing: other.bytes).root["lists"]?.elements?.count == 2)
    }

    @Test func faults() throws {
        func fault(_ text: String) -> TrustError? {
            do throws(TrustError) { _ = try listing(text) } catch { return error }
            return nil
        }
        #expect(fault("[]") == TrustError(file: "lists.json", reason: .wrongType))
        #expect(fault("{}") == TrustError(file: "lists.json", member: "gatehouse-lists", reason: .missing))
        #expect(fault(#"{"gatehouse-lists":2}"#) == TrustError(file: "lists.json", member: "gatehouse-lists", reason: .unsupportedVersion))
        #expect(fault(#"{"gatehouse-lists":1}"#) == TrustError(file: "lists.json", member: "lists", reason: .missing))
        #expect(fault(#"{"gatehouse-lists":1,"lists":{}}"#) == TrustError(file: "lists.json", member: "lists", reason: .wrongType))
        #expect(fault("{") == TrustError(file: "lists.json", reason: .malformed(JSONError(.truncated, at: 1))))
        #expect(fault(#"{"gatehouse-contexts":1,"contexts":[]}"#)?.reason == .missing)
    }
}
