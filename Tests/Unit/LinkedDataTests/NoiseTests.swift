import JSON
import LinkedData
import Testing

/// Spoiled documents: whatever becomes of them, the process goes on.
@Suite struct NoiseTests {
    private static let document = #"""
        {"@context": [{"@version": 1.1, "ex": "http://example.org/", "@vocab": "ex:", "id": "@id", "type": "@type", "@protected": true,
         "list": {"@id": "ex:list", "@container": "@list"}, "lang": {"@id": "ex:lang", "@container": ["@language", "@set"]},
         "idx": {"@id": "ex:idx", "@container": ["@graph", "@index"]}, "ids": {"@id": "ex:ids", "@container": "@id", "@context": {"inner": "ex:in"}},
         "types": {"@id": "ex:types", "@container": "@type"}, "back": {"@reverse": "ex:back"}, "lit": {"@id": "ex:lit", "@type": "@json"},
         "Kind": {"@id": "ex:Kind", "@context": {"@propagate": true, "only": {"@id": "ex:only", "@type": "@vocab"}}},
         "prop": {"@id": "ex:prop", "@container": "@index", "@index": "ex:name"}, "nest": {"@id": "@nest"}}, "ex:remote"],
         "id": "_:n", "type": ["Kind", "ex:Other"], "only": "Kind", "list": [1, [2.5, [true]], {"@value": "x", "@language": "en"}],
         "lang": {"en": "a", "de": ["b", null], "@none": "c"}, "idx": {"k": {"p": 1}}, "ids": {"ex:1": {"inner": 2}}, "types": {"Kind": {"p": 3}},
         "back": [{"id": "ex:b"}], "lit": {"z": [1e3, null], "a": "\u00e9"}, "prop": {"nm": {"p": 4}}, "nest": {"q": 5},
         "@reverse": {"ex:r": {"id": "ex:c"}}, "@included": [{"id": "ex:d", "p": 6}], "@graph": [{"id": "ex:e", "p": {"@set": [7, 8]}}]}
        """#
    private static let remote = [
        "ex:remote": #"{"@context": {"@import": "ex:base", "far": "ex:far"}}"#, "ex:base": #"{"@context": {"base": "ex:b"}}"#,
    ]

    /// Gives true when a dataset came of it.
    private func survive(_ bytes: [UInt8], _ processor: inout LinkedDataProcessor) -> Bool {
        guard let parsed = try? JSONDocument(parsing: bytes) else { return false }
        guard let result = try? processor.dataset(of: parsed.root) else { return false }
        _ = result.journal.dropped
        return (try? Canonicalization.canonicalize(result.dataset)) != nil
    }

    @Test func theDocumentItself() throws {
        var processor = Document.processor(NoiseTests.remote)
        #expect(survive(Array(NoiseTests.document.utf8), &processor))
    }

    @Test func cutAtEveryLength() throws {
        let bytes = Array(NoiseTests.document.utf8)
        var processor = Document.processor(NoiseTests.remote)
        for length in bytes.indices { #expect(!survive(Array(bytes.prefix(length)), &processor)) }
    }

    @Test func mutated() throws {
        let bytes = Array(NoiseTests.document.utf8)
        let atoms = [
            "null", "{}", "[]", "\"\"", "\"@id\"", "\"@type\"", "\"@json\"", "\"@none\"", "1", "true", "\"_:\"", "\":\"", "\"@\"",
            "\"ex:\"", "\"a:\"",
        ]
        .map { Array($0.utf8) }
        let parsed = try JSONDocument(parsing: bytes)
        var ranges: [Range<Int>] = []
        func collect(_ value: JSONValue) {
            ranges.append(value.sourceRange)
            for member in value.members.map(Array.init) ?? [] {
                ranges.append(member.key.sourceRange)
                collect(member.value)
            }
            for element in value.elements.map(Array.init) ?? [] { collect(element) }
        }
        collect(parsed.root)
        var processor = Document.processor(NoiseTests.remote)
        var accepted = 0
        for range in ranges {
            for atom in atoms where survive(Array(bytes[..<range.lowerBound]) + atom + Array(bytes[range.upperBound...]), &processor) {
                accepted += 1
            }
            for other in ranges.indices.filter({ $0 % 11 == range.lowerBound % 11 }).map({ ranges[$0] }) where !other.overlaps(range) {
                if survive(Array(bytes[..<range.lowerBound]) + bytes[other] + Array(bytes[range.upperBound...]), &processor) {
                    accepted += 1
                }
            }
        }
        print("noise: \(accepted) spoiled documents still had a dataset")
    }

    /// A cache that has seen anything gives what a fresh one gives.
    @Test func theCacheChangesNothing() throws {
        var warm = Document.processor(NoiseTests.remote)
        let value = try Document.parse(NoiseTests.document)
        let first = try Canonicalization.canonicalize(try warm.dataset(of: value).dataset).nquads
        _ = try? warm.dataset(of: try Document.parse(#"{"@context": ["ex:remote", {"far": "ex:other"}], "far": 1}"#))
        let second = try Canonicalization.canonicalize(try warm.dataset(of: value).dataset).nquads
        #expect(first == second)
        #expect(warm.cache.count > 0)
    }
}
