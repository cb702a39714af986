import LinkedData
import Testing

@Suite struct JournalTests {
    static let cases: [(String, [DroppedTerm])] = [
        (#"{"ex:a": "said"}"#, []),
        (#"{"ex:a": "said", "face": "unsaid"}"#, [DroppedTerm(.undefinedTerm, at: "/face")]),
        (#"{"ex:a": {"ex:b": 1, "a/b~c": {"deep": [1]}}}"#, [DroppedTerm(.undefinedTerm, at: "/ex:a/a~1b~0c")]),
        (
            #"{"ex:a": [{"x": 1}, {"ex:b": {"y": 2}}]}"#,
            [DroppedTerm(.undefinedTerm, at: "/ex:a/0/x"), DroppedTerm(.undefinedTerm, at: "/ex:a/1/ex:b/y")]
        ),
        (#"{"@context": {"gone": null}, "ex:a": 1, "gone": 2}"#, [DroppedTerm(.nullMapping, at: "/gone")]),
        (#"{"ex:a": 1, "@ignored": 2}"#, [DroppedTerm(.keywordForm, at: "/@ignored")]),
        (#"{"ex:a": 1, "ex:b": null}"#, [DroppedTerm(.nullValue, at: "/ex:b")]),
        (#"{"ex:a": 1, "ex:b": []}"#, [DroppedTerm(.emptyArray, at: "/ex:b")]),
        (#"{"ex:z": 1, "ex:a": {"@value": null}}"#, [DroppedTerm(.nullValue, at: "/ex:a")]),
        (#"{"ex:z": 1, "ex:a": {"@language": "en"}}"#, [DroppedTerm(.valuelessLanguage, at: "/ex:a")]),
        (
            #"["loose", {"@value": "too"}, {"@id": "ex:only"}, {"ex:a": 1}]"#,
            [
                DroppedTerm(.freeFloatingValue, at: "/0"), DroppedTerm(.freeFloatingValue, at: "/1"),
                DroppedTerm(.freeFloatingNode, at: "/2"),
            ]
        ),
        (#"{"@graph": ["loose", {"ex:a": 1}]}"#, [DroppedTerm(.freeFloatingValue, at: "/@graph/0")]),
        (#"{"@type": ["ex:Kind", "Relative"], "ex:a": 1}"#, [DroppedTerm(.relativeType, at: "/@type/1")]),
        (#"{"@type": "Relative", "ex:a": 1}"#, [DroppedTerm(.relativeType, at: "/@type")]),
        (#"{"@id": "relative", "ex:a": 1}"#, [DroppedTerm(.relativeIdentifier, at: "/@id")]),
        (#"{"ex:a": {"@id": "relative"}}"#, [DroppedTerm(.relativeIdentifier, at: "/ex:a/@id")]),
        (
            #"{"@id": "relative", "@graph": [{"ex:a": 1}]}"#,
            [DroppedTerm(.relativeIdentifier, at: "/@id"), DroppedTerm(.relativeGraph, at: "/@graph")]
        ),
        (#"{"_:p": 1, "ex:a b": 2}"#, [DroppedTerm(.blankProperty, at: "/_:p"), DroppedTerm(.relativeProperty, at: "/ex:a b")]),
        (#"{"ex:a": {"@value": "x", "@language": "not a tag"}}"#, [DroppedTerm(.invalidLanguage, at: "/ex:a/@value")]),
        (#"{"ex:a": {"@value": "x", "@index": "i"}}"#, [DroppedTerm(.index, at: "/ex:a/@index")]),
        (#"{"@context": {"m": {"@id": "ex:m", "@container": "@index"}}, "m": {"key": {"ex:a": 1}}}"#, [DroppedTerm(.index, at: "/m/key")]),
        (#"{"ex:a": {"@value": "x", "@direction": "rtl"}}"#, [DroppedTerm(.direction, at: "/ex:a/@direction")]),
        (
            #"{"@context": {"m": {"@id": "ex:m", "@container": "@index"}}, "m": {"key": {"ex:a": 1, "@index": "own"}}}"#,
            [DroppedTerm(.index, at: "/m/key"), DroppedTerm(.index, at: "/m/key/@index")]
        ),
        (
            #"{"@context": {"m": {"@id": "ex:m", "@container": "@id"}}, "m": {"ex:k": {"@id": "ex:own", "ex:a": 1}, "ex:l": "value", "ex:m": {"ex:a": 1}}}"#,
            [DroppedTerm(.shadowedKey, at: "/m/ex:k"), DroppedTerm(.shadowedKey, at: "/m/ex:l")]
        ),
        (
            #"{"@context": {"m": {"@id": "ex:m", "@container": ["@graph", "@id"]}}, "m": {"ex:k": {"@id": "ex:own", "@graph": [{"ex:a": 1}]}}}"#,
            [DroppedTerm(.shadowedKey, at: "/m/ex:k")]
        ),
        // Expansion keeps these: a container puts each into a graph of its own.
        (
            #"{"@context": {"g": {"@id": "ex:g", "@container": "@graph"}}, "g": ["loose", {"@list": [1]}, {"@id": "ex:only"}, {"ex:a": 1}]}"#,
            [
                DroppedTerm(.freeFloatingValue, at: "/g/0"), DroppedTerm(.freeFloatingValue, at: "/g/1"),
                DroppedTerm(.freeFloatingNode, at: "/g/2/@id"),
            ]
        ),
        (#"{"@id": "ex:only", "@included": [{"ex:a": 1}]}"#, [DroppedTerm(.freeFloatingNode, at: "/@id")]),
    ]

    @Test(arguments: cases)
    func everythingUnsaidIsNamed(_ text: String, _ expected: [DroppedTerm]) throws {
        #expect(try Document.dropped(text) == expected)
    }

    @Test func theTopMemberIsTheFirstStep() throws {
        for (text, expected) in [
            (#"{"ex:a~b/c": {"ex:d": [{"ex:e": 1}]}}"#, "ex:a~b/c"), (#"{"@id": "ex:s", "ex:a": 1}"#, "ex:a"),
            (#"[{"ex:a": 1}]"#, nil as Text?),
        ] {
            var processor = Document.processor()
            let (dataset, journal) = try processor.dataset(of: try Document.parse(text))
            let origin = try #require(dataset.origins.last)
            #expect(journal.topMember(origin) == expected)
        }
    }

    @Test func eachStatementKnowsWhereItWasWritten() throws {
        var processor = Document.processor()
        let result = try processor.dataset(of: try Document.parse(#"{"ex:a": ["one", {"@type": "ex:K", "ex:b": 2}]}"#))
        let places = result.dataset.origins.map(result.journal.pointer)
        #expect(places == ["/ex:a/0", "/ex:a/1/@type", "/ex:a/1/ex:b", "/ex:a/1"])
    }

    /// Names that only normalisation makes equal are different names.
    @Test func termsAreTheirOctets() throws {
        let text = "{\"@context\": {\"caf\u{E9}\": \"ex:cafe\"}, \"caf\u{E9}\": 1, \"cafe\u{301}\": 2}"
        #expect(try Document.dropped(text) == [DroppedTerm(.undefinedTerm, at: "/cafe\u{301}")])
        #expect(Text("caf\u{E9}") != Text("cafe\u{301}"))
    }
}
