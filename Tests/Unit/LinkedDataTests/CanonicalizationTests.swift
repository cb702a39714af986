import Cryptography
import LinkedData
import Testing

@Suite struct CanonicalizationTests {
    private func refusal(_ dataset: Dataset, _ limits: LinkedDataLimits) -> LinkedDataError? {
        do throws(LinkedDataError) {
            _ = try Canonicalization.canonicalize(dataset, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private func digraph(_ size: Int) -> Dataset {
        var quads: [Quad] = []
        for from in 0..<size {
            for to in 0..<size where from != to {
                quads.append(Quad(.blankNode(Text("n\(from)")), .iri("ex:p"), .blankNode(Text("n\(to)"))))
            }
        }
        return Dataset(quads)
    }

    /// Complete digraphs: nothing tells the nodes apart, so every order would have to be tried.
    @Test(arguments: [7, 10, 60]) func poison(_ size: Int) {
        for factor in 1...3 { #expect(refusal(digraph(size), LinkedDataLimits(workFactor: factor)) == .tooComplex) }
    }

    /// Two hubs that look alike, with leaves that look alike: the orders of nine leaves are too many, those of two are not.
    @Test func permutations() {
        for (leaves, expected) in [(2, nil), (9, LinkedDataError.tooComplex)] {
            var quads: [Quad] = []
            for hub in 0..<2 {
                for leaf in 0..<leaves {
                    quads.append(Quad(.blankNode(Text("hub\(hub)")), .iri("ex:p"), .blankNode(Text("leaf\(hub)-\(leaf)"))))
                }
            }
            #expect(refusal(Dataset(quads), LinkedDataLimits(workFactor: 9)) == expected)
        }
    }

    /// The same neighbour again and again, once in each of many graphs.
    @Test func repeatedNeighbour() {
        var quads: [Quad] = []
        for graph in 0..<1_500 {
            quads.append(Quad(.blankNode("a"), .iri("ex:p"), .blankNode("b"), graph: .iri(Text("ex:\(graph)"))))
            quads.append(Quad(.blankNode("b"), .iri("ex:p"), .blankNode("a"), graph: .iri(Text("ex:\(graph)"))))
        }
        #expect(refusal(Dataset(quads), .standard) == .tooComplex)
    }

    @Test func workFactor() {
        #expect(refusal(digraph(2), .standard) == nil)
        #expect(refusal(digraph(2), LinkedDataLimits(workFactor: 0)) == .tooComplex)
        #expect(refusal(digraph(6), .standard) == .tooComplex)
    }

    @Test func neighbours() {
        #expect(refusal(digraph(3), LinkedDataLimits(workFactor: 3)) == nil)
        #expect(refusal(digraph(3), LinkedDataLimits(workFactor: 3, neighbours: 10)) == .tooComplex)
    }

    /// A long literal is not copied into its line: it must sort and hash as if it were.
    @Test func longLiterals() throws {
        let long = String(repeating: "a", count: 6_000)
        let middles = ["\(long)x\(long)", "\(long)y\(long)", long, "\(long)\u{7F}", "\(long) ", "\(long)é", "short", "\(long)x\(long)z"]
        let values = middles.map { "\"\($0)\"" }.joined(separator: ",")
        var processor = Document.processor()
        let dataset = try processor.dataset(
            of: try Document.parse(#"{"@id": "ex:s", "ex:p": [\#(values), \#(values)], "ex:q": "\#(long)"}"#)
        ).dataset
        let canonical = try Canonicalization.canonicalize(dataset)
        let copied = Dataset(
            dataset.quads.map { quad in
                guard case .literal(let literal) = quad.object else { return quad }
                return Quad(quad.subject, quad.predicate, .literal(Literal(Text(literal.value.string))))
            })
        let expected =
            middles.map { "<ex:s> <ex:p> \"\($0.replacing("\u{7F}", with: "\\u007F"))\" .\n" } + ["<ex:s> <ex:q> \"\(long)\" .\n"]
        let sorted = expected.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
        #expect(canonical.nquads == sorted)
        #expect(try Canonicalization.canonicalize(copied).nquads == sorted)
        #expect(try canonical.hash(.sha384) == Digest.hash(sorted.span, .sha384))
        #expect(dataset.quads.count == middles.count + 1)
    }

    @Test func sizes() {
        #expect(refusal(digraph(8), LinkedDataLimits(quads: 55)) == .tooComplex)
        #expect(refusal(digraph(2), LinkedDataLimits(blankNodes: 1, workFactor: 3)) == .tooComplex)
    }

    @Test func escapes() throws {
        let all = Text((0...0x20).compactMap { Unicode.Scalar($0).map(String.init) }.joined() + "\"\\\u{7F}\u{80}é😀")
        let dataset = Dataset([Quad(.iri("ex:s"), .iri("ex:p"), .literal(Literal(all)))])
        let line = String(decoding: try Canonicalization.canonicalize(dataset).nquads, as: UTF8.self)
        #expect(
            line
                == #"<ex:s> <ex:p> "\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000B\f\r\u000E\u000F\u0010\u0011\u0012\u0013\u0014"#
                + #"\u0015\u0016\u0017\u0018\u0019\u001A\u001B\u001C\u001D\u001E\u001F \"\\\u007F"# + "\u{80}é😀\" .\n")
    }

    @Test func linesAreSortedAndSaidOnce() throws {
        let one = Quad(.iri("ex:s"), .iri("ex:p"), .literal(Literal("b")))
        let two = Quad(.iri("ex:s"), .iri("ex:p"), .literal(Literal("a", language: "en")), graph: .iri("ex:g"))
        let result = try Canonicalization.canonicalize(Dataset([one, two, one]))
        #expect(String(decoding: result.nquads, as: UTF8.self) == "<ex:s> <ex:p> \"a\"@en <ex:g> .\n<ex:s> <ex:p> \"b\" .\n")
        #expect(result.labels.isEmpty)
    }

    static let numbers: [(String, String)] = [
        ("0", "\"0\"^^<http://www.w3.org/2001/XMLSchema#integer>"), ("-0", "\"0\"^^<http://www.w3.org/2001/XMLSchema#integer>"),
        ("123456", "\"123456\"^^<http://www.w3.org/2001/XMLSchema#integer>"), ("1.0", "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>"),
        ("1E2", "\"100\"^^<http://www.w3.org/2001/XMLSchema#integer>"),
        ("9007199254740993", "\"9007199254740993\"^^<http://www.w3.org/2001/XMLSchema#integer>"),
        ("400.3", "\"4.003E2\"^^<http://www.w3.org/2001/XMLSchema#double>"),
        ("5e-324", "\"4.940656458412465E-324\"^^<http://www.w3.org/2001/XMLSchema#double>"),
        ("1e21", "\"1.0E21\"^^<http://www.w3.org/2001/XMLSchema#double>"),
        ("-0.5", "\"-5.0E-1\"^^<http://www.w3.org/2001/XMLSchema#double>"),
        ("true", "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>"),
    ]

    @Test(arguments: numbers) func numberLiterals(_ lexeme: String, _ literal: String) throws {
        #expect(try Document.nquads(#"{"@id": "ex:s", "ex:p": \#(lexeme)}"#) == "<ex:s> <ex:p> \(literal) .\n")
    }

    @Test func numbersNoDoubleHolds() throws {
        #expect(try Document.refusal(#"{"ex:p": 1e999}"#) == .numberOutOfRange)
    }
}
