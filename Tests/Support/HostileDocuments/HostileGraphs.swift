extension HostileDocument {
    /// Blank nodes that nothing tells apart.
    static let graphs: [HostileDocument] =
        (5...20).map { complete($0) } + [
            disjoint("triangles", 80, of: 3) { [($0 + 1) % 3, ($0 + 2) % 3] },
            disjoint("squares", 60, of: 4) { [($0 + 1) % 4] },
            disjoint("complete graphs of four", 60, of: 4) { node in (0..<4).filter { $0 != node } },
            disjoint("complete graphs of seven", 36, of: 7) { node in (0..<7).filter { $0 != node } },
            disjoint("Petersen graphs", 25, of: 10) { node in
                node < 5 ? [(node + 1) % 5, node + 5] : [(node - 5 + 2) % 5 + 5, node - 5]
            },
            disjoint("one ring", 1, of: 250) { [($0 + 1) % 250] },
            disjoint("one ring both ways", 1, of: 250) { [($0 + 1) % 250, ($0 + 249) % 250] },
            disjoint("two rings", 2, of: 125) { [($0 + 1) % 125] },
            disjoint("tori", 2, of: 121) { node in [(node / 11 * 11) + (node + 1) % 11, (node + 11) % 121] },
            disjoint("cubes", 30, of: 8) { node in [node ^ 1, node ^ 2, node ^ 4] },
            disjoint("bipartite", 12, of: 20) { node in node < 10 ? Array(10..<20) : [] },
            disjoint("hubs of seven leaves", 30, of: 8) { $0 == 0 ? Array(1..<8) : [] },
            disjoint("pairs", 125, of: 2) { [1 - $0] },
            HostileDocument("alone and alike", #"{"ex:p": [\#(list(250) { _ in #"{"ex:q": 1}"# })]}"#),
            HostileDocument(
                "the same neighbour in many graphs",
                "["
                    + list(1_000) { graph in
                        #"{"@id": "ex:g\#(graph)", "@graph": [{"@id": "_:a", "ex:p": {"@id": "_:b"}}, {"@id": "_:b", "ex:p": {"@id": "_:a"}}]}"#
                    } + "]"),
            HostileDocument(
                "look-alikes behind long predicates",
                "["
                    + list(20) { node in
                        #"{"@id": "_:n\#(node)", \#(list(19) { #""ex:\#(long(2_000))\#($0)": {"@id": "_:n\#((node + $0 + 1) % 20)"}"# })}"#
                    } + "]"),
            HostileDocument(
                "ladder of pairs",
                "["
                    + list(120) { node in
                        #"{"@id": "_:n\#(node)", "ex:p": [\#(list(2) { #"{"@id": "_:n\#((node / 2 * 2 + 2 + $0) % 120)"}"# })]}"#
                    } + "]"),
            HostileDocument(
                "many statements of two nodes",
                "["
                    + list(2) { node in
                        #"{"@id": "_:n\#(node)", "ex:p": [\#(list(1_900) { "\($0)" })], "ex:q": {"@id": "_:n\#(1 - node)"}}"#
                    } + "]"),
        ]

    private static func complete(_ size: Int) -> HostileDocument {
        disjoint("complete graph of \(size)", 1, of: size) { node in (0..<size).filter { $0 != node } }
    }

    /// - Parameter neighbours: of one node of a part, by position in the part.
    private static func disjoint(_ name: String, _ parts: Int, of size: Int, _ neighbours: (Int) -> [Int]) -> HostileDocument {
        let nodes = list(parts * size) { node in
            let part = node / size
            let others = neighbours(node % size).map { #"{"@id": "_:p\#(part)n\#($0)"}"# }.joined(separator: ",")
            return #"{"@id": "_:p\#(part)n\#(node % size)", "ex:p": [\#(others)], "ex:q": 1}"#
        }
        return HostileDocument(name, "[\(nodes)]")
    }
}
