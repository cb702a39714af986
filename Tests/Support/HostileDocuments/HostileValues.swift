extension HostileDocument {
    /// As many values, statements and containers as go into a message.
    static let values: [HostileDocument] = [
        HostileDocument("four thousand statements", #"{"@id": "ex:s", "ex:p": [\#(list(4_000) { #""value number \#($0)""# })]}"#),
        HostileDocument("statements said twice", #"{"@id": "ex:s", "ex:p": [\#(list(19_000) { "\($0 % 3_000)" })]}"#),
        HostileDocument(
            "every statement of other terms",
            "[" + list(3_900) { #"{"@id":"ex:subject/of/some/length/\#($0)","ex:predicate/of/some/length/\#($0)":"\#($0)"}"# } + "]"),
        HostileDocument(
            "lists of lists", #"{"@context": {"l": {"@id": "ex:l", "@container": "@list"}}, "l": [\#(list(2_000) { "[\($0),[\($0)]]" })]}"#),
        HostileDocument("one list", #"{"ex:l": {"@list": [\#(list(19_000) { "\($0)" })]}}"#),
        HostileDocument("empty lists", #"{"@id": "ex:s", "ex:l": [\#(list(6_000) { _ in #"{"@list":[]}"# })]}"#),
        HostileDocument(
            "graph containers",
            #"{"@context": {"g": {"@id": "ex:g", "@container": ["@graph", "@id"]}}, "g": {\#(list(4_000) { #""ex:\#($0)":{"ex:p":1}"# })}}"#
        ),
        HostileDocument(
            "graphs in graphs",
            String(repeating: #"{"@graph":[{"@id":"ex:a","ex:p":1},"#, count: 15) + "{}" + String(repeating: "]}", count: 15)),
        HostileDocument(
            "index maps",
            #"{"@context": {"i": {"@id": "ex:i", "@container": "@index", "@index": "ex:n"}}, "i": {\#(list(4_800) { #""k\#($0)":{"@id":"ex:\#($0)"}"# })}}"#
        ),
        HostileDocument(
            "language maps",
            #"{"@context": {"l": {"@id": "ex:l", "@container": "@language"}}, "@id": "ex:s", "l": {\#(list(9_000) { #""k\#($0)":"v""# })}}"#
        ),
        HostileDocument(
            "type maps",
            #"{"@context": {"t": {"@id": "ex:t", "@container": "@type"}}, "t": {\#(list(4_800) { #""ex:k\#($0)":{"@id":"ex:\#($0)"}"# })}}"#
        ),
        HostileDocument(
            "aliases of @type", #"{"@context": {\#(list(3_500) { #""t\#($0)":"@type""# })}, \#(list(3_500) { #""t\#($0)":"ex:\#($0)""# })}"#
        ),
        HostileDocument("many types", #"{"@id": "ex:s", "@type": [\#(list(19_000) { #""ex:\#($0)""# })]}"#),
        HostileDocument(
            "reverse properties",
            #"{"@context": {\#(list(1_800) { #""t\#($0)":{"@reverse":"ex:\#($0)"}"# })}, "@id": "ex:s", \#(list(1_800) { #""t\#($0)":{"@id":"ex:o"}"# })}"#
        ),
        HostileDocument("a reverse map", #"{"@id": "ex:s", "@reverse": {\#(list(4_800) { #""ex:\#($0)":{"@id":"ex:o\#($0)"}"# })}}"#),
        HostileDocument("nests", #"{"@id": "ex:s", "@nest": [\#(list(6_000) { #"{"ex:p":\#($0)}"# })]}"#),
        HostileDocument("included nodes", #"{"@id": "ex:s", "@included": [\#(list(6_000) { #"{"@id":"ex:\#($0)"}"# })]}"#),
        HostileDocument(
            "sets in sets", String(repeating: #"{"@set":["#, count: 15) + list(9_000) { "\($0)" } + String(repeating: "]}", count: 15)),
        HostileDocument("nothing but undefined members", #"{\#(list(9_900) { #""undefined\#($0)":1"# })}"#),
        HostileDocument("a wide object", #"{"@id": "ex:s", \#(list(3_900) { #""ex:\#($0)":"\#($0)""# })}"#),
        HostileDocument(
            "long literals that differ in the middle",
            #"{"@id": "ex:s", "ex:p": ["#
                + list(330) {
                    #""\#(long(2_100))\#(String(10_000 + $0).dropFirst())\#(long(2_100))""#
                } + "]}"),
        HostileDocument("long literals of look-alikes", #"{"ex:p": [\#(list(250) { _ in #"{"ex:q":"\#(long(5_000))"}"# })]}"#),
        HostileDocument("one literal as long as the message", #"{"@id": "ex:s", "ex:p": "\#(long(1_400_000))"}"#),
        HostileDocument("a literal that is all escapes", #"{"@id": "ex:s", "ex:p": "\#(long(700_000, "\\n"))"}"#),
        HostileDocument("a literal that becomes six times as long", #"{"@id": "ex:s", "ex:p": "\#(long(1_400_000, "\u{7F}"))"}"#),
        HostileDocument("an identifier as long as the message", #"{"@id": "ex:s", "ex:p": {"@id": "ex:\#(long(1_400_000))"}}"#),
        HostileDocument(
            "a JSON literal", #"{"@id": "ex:s", "ex:p": {"@type": "@json", "@value": [\#(list(19_000) { "\($0).5e\($0 % 300)" })]}}"#),
        HostileDocument(
            "a wide JSON literal",
            #"{"@id": "ex:s", "ex:p": {"@type": "@json", "@value": {\#(list(9_000) { #""\#(long(100))\#($0 * 7_919 % 9_000)":1"# })}}}"#),
        HostileDocument("numbers", #"{"@id": "ex:s", "ex:p": [\#(list(3_900) { "\($0).\(long(200, "7"))e\($0 % 300)" })]}"#),
        HostileDocument("a document of objects", "[" + list(19_000) { _ in "{}" } + "]"),
        HostileDocument("objects with an identifier each", "[" + list(6_500) { #"{"@id":"ex:\#($0)"}"# } + "]"),
        HostileDocument(
            "value objects with everything",
            #"{"@id": "ex:s", "ex:p": [\#(list(2_200) { #"{"@value":"some text \#($0)","@language":"en","@index":"i\#($0)","@direction":"ltr"}"# })]}"#
        ),
    ]
}
