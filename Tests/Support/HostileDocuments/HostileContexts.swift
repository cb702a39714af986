extension HostileDocument {
    /// Contexts that are long, deep, wide, or met again and again.
    static let contexts: [HostileDocument] = [
        chain(15), chain(17),
        HostileDocument("contexts in contexts", #"{"@context": {"a": {"@id": "ex:a", "@context": \#(nested(13))}}, "a": {"a": {"a": 1}}}"#),
        HostileDocument("one inline context as large as allowed", #"{"@context": {\#(terms(3_000))}, "t1": 1}"#),
        HostileDocument("the same in every node", "[" + list(9) { node in #"{"@context": {\#(terms(1_050))}, "t1": \#(node)}"# } + "]"),
        HostileDocument("terms that wait for one another", #"{"@context": {\#(list(2_500) { #""t\#($0)":"t\#($0 + 1):x""# })}}"#),
        HostileDocument(
            "terms that wait for a few",
            #"{"@context": {"z":"ex:z",\#(list(2_500) { #""t\#($0)":"t\#($0 % 50 == 49 ? "z" : "\($0 + 1)"):x""# })}}"#),
        HostileDocument(
            "a large context that every node extends",
            #"{"@context": {\#(terms(2_000))}, "ex:a": [\#(list(2_000) { #"{"@context":{"u":"ex:u\#($0)"},"u":1}"# })]}"#),
        HostileDocument(
            "a large pinned context that every node extends",
            #"{"@context": "ex:large", "ex:a": [\#(list(2_500) { #"{"@context":{"u":"ex:u\#($0)"},"u":1}"# })]}"#,
            contexts: ["ex:large": #"{"@context": {\#(terms(2_000))}}"#]),
        HostileDocument(
            "wide contexts of a type on nodes that differ",
            #"{"@context": {"T": {"@id": "ex:T", "@context": {\#(terms(1_500))}}}, "ex:a": [\#(differing)]}"#),
        HostileDocument(
            "wide contexts of a type on nodes that are alike",
            #"{"@context": {"T": {"@id": "ex:T", "@context": {\#(terms(1_500))}}}, "ex:a": [\#(list(4_000) { _ in #"{"@type":"T"}"# })]}"#),
        HostileDocument(
            "protected terms with large contexts defined again",
            #"{"@context": {\#(protected)}, "ex:a": [\#(list(8) { _ in #"{"@context": {\#(protected)}}"# })]}"#),
        HostileDocument(
            "a protected context of a type that is met on nodes that differ",
            #"{"@context": {"T": {"@id": "ex:T", "@context": {\#(protected)}}, \#(protected)}, "ex:a": [\#(differing)]}"#),
        HostileDocument(
            "pinned contexts in every order",
            "["
                + list(1_500) { node in
                    #"{"@context":["ex:c\#(node % 7)","ex:c\#(node / 7 % 7)","ex:c\#(node / 49 % 7)","ex:c\#(node / 343 % 7)"],"t1":1}"#
                } + "]", contexts: Dictionary(uniqueKeysWithValues: (0..<7).map { ("ex:c\($0)", #"{"@context": {\#(terms(1_000))}}"#) })),
        HostileDocument(
            "the largest pinned context in every order",
            "["
                + list(60) { node in
                    #"{"@context":["ex:c\#(node % 3)","ex:c\#(node / 3 % 3)","ex:c\#(node / 9 % 3)"],"t1":1}"#
                } + "]", contexts: Dictionary(uniqueKeysWithValues: (0..<3).map { ("ex:c\($0)", #"{"@context": {\#(terms(3_000))}}"#) })),
        HostileDocument(
            "a vocabulary on top of another",
            #"{"@context": [{"@vocab": "ex:"},\#(list(2_000) { _ in #"{"@vocab": "aaaaaaaaaa"}"# })], "b": 1}"#),
        HostileDocument(
            "terms that take meaning away", #"{"@context": {\#(list(3_000) { #""t\#($0)":null"# })}, \#(list(3_000) { #""t\#($0)":1"# })}"#),
        HostileDocument("contexts that are null", "[" + list(6_000) { _ in #"{"@context":null}"# } + "]"),
        HostileDocument(
            "nested nodes with contexts", String(repeating: #"{"@context":{\#(terms(320))},"ex:a":"#, count: 29) + "1" + long(29, "}")),
    ]

    /// What whoever pins a context as large as allowed has to expect: met for the first time, and by somebody who names it in every order
    /// with others.
    public static let large: [HostileDocument] = [
        HostileDocument("a pinned context of 1 MiB", #"{"@context":"ex:large","t1":1}"#, contexts: vocabulary),
        HostileDocument(
            "a pinned context of 1 MiB in every order",
            "["
                + list(20) { node in
                    #"{"@context":["ex:c\#(node % 5)","ex:c\#(node / 5)","ex:large"],"t1":1}"#
                } + "]", contexts: vocabulary.merging((0..<5).map { ("ex:c\($0)", #"{"@context": {\#(terms(20))}}"#) }) { $1 }),
    ]

    private static let vocabulary = ["ex:large": #"{"@context": {\#(list(27_000) { #""t\#($0)": {"@id": "ex:name\#($0)"}"# })}}"#]

    private static func terms(_ count: Int) -> String { list(count) { #""t\#($0)":"ex:\#($0)""# } }

    private static let differing = list(1_900) { #"{"@context":{"u":"ex:u\#($0)"},"@type":"T"}"# }

    private static let protected = #""@protected":true,"p":{"@id":"ex:p","@context":{\#(terms(600))}}"#

    private static func nested(_ depth: Int) -> String {
        depth == 0 ? #"{"b": "ex:b"}"# : #"{"a": {"@id": "ex:a", "@context": \#(nested(depth - 1))}, "b\#(depth)": "ex:b"}"#
    }

    /// That many pinned contexts that name one another.
    private static func chain(_ length: Int) -> HostileDocument {
        var documents = ["ex:c\(length - 1)": #"{"@context": {\#(terms(2_000))}}"#]
        for link in 0..<length - 1 { documents["ex:c\(link)"] = #"{"@context": ["ex:c\#(link + 1)", {\#(terms(1_000))}]}"# }
        return HostileDocument("\(length) contexts that name one another", #"{"@context": "ex:c0", "t1": 1}"#, contexts: documents)
    }
}
