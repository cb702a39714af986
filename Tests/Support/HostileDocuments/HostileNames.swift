extension HostileDocument {
    /// Long names, each of which many short members repeat.
    static let names: [HostileDocument] = [
        HostileDocument("a long vocabulary", #"{"@context": {"@vocab": "ex:\#(long(60_000))/"}, \#(list(9_000) { #""m\#($0)":1"# })}"#),
        HostileDocument(
            "a long vocabulary for types",
            #"{"@context": {"@vocab": "ex:\#(long(60_000))/"}, "@type": [\#(list(9_000) { #""m\#($0)""# })]}"#),
        HostileDocument("a long prefix", #"{"@context": {"p": "ex:\#(long(60_000))/"}, \#(list(9_000) { #""p:\#($0)":1"# })}"#),
        HostileDocument(
            "a long prefix in a context",
            #"{"@context": {"p": "ex:\#(long(30_000))/", \#(list(1_800) { #""t\#($0)":"p:\#($0)""# })}, "t1": 1}"#),
        HostileDocument(
            "a long base", #"{"@context": {"@base": "ex:/\#(long(60_000))/"}, "ex:a": [\#(list(6_000) { #"{"@id":"m\#($0)"}"# })]}"#),
        HostileDocument("a long term", #"{"@context": {"p": "ex:\#(long(60_000))"}, "ex:a": [\#(list(4_000) { #"{"p":\#($0)}"# })]}"#),
        HostileDocument("a long subject", #"{"@id": "ex:\#(long(1_000_000))", "ex:p": [\#(list(3_900) { "\($0)" })]}"#),
        HostileDocument("a long predicate", #"{"@id": "ex:s", "ex:\#(long(1_000_000))": [\#(list(3_900) { "\($0)" })]}"#),
        HostileDocument(
            "a long graph", #"{"@id": "ex:\#(long(1_000_000))", "@graph": {"@id": "ex:s", "ex:p": [\#(list(3_900) { "\($0)" })]}}"#),
        HostileDocument("a subject of a thousand octets", #"{"@id": "ex:\#(long(1_000))", "ex:p": [\#(list(3_900) { "\($0)" })]}"#),
        HostileDocument(
            "a long name above much that is dropped", #"{"ex:a": 1, "ex:\#(long(1_000_000))": [\#(list(19_000) { _ in "null" })]}"#),
        HostileDocument(
            "a long name above much that is said", #"{"ex:\#(long(700_000))": {"@id": "ex:s", "ex:p": [\#(list(3_900) { "\($0)" })]}}"#),
        HostileDocument(
            "long names in one another",
            String(repeating: #"{"ex:\#(long(46_000))":"#, count: 30) + "[" + list(19_000) { _ in "null" } + "]" + long(30, "}")),
        HostileDocument(
            "a long language", #"{"ex:a": [\#(list(3_000) { #"{"@value":"v\#($0)","@language":"\#(long(8))-\#(long(8))"}"# })]}"#),
        HostileDocument("names with many colons", #"{\#(list(1_000) { #""ex:\#(long(700, ":"))\#($0)":1"# })}"#),
        HostileDocument(
            "paths with many dots",
            #"{"@context": {"@base": "ex://h/\#(long(20_000, "a/"))"}, "ex:a": [\#(list(40) { #"{"@id":"\#(long(8_000, "../"))\#($0)"}"# })]}"#
        ),
    ]
}
