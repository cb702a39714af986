/// Canonical N-Quads (RDFC-1.0 section 5; N-Triples 1.1 section 4): one space, no comment, the fewest escapes.
enum NQuads {
    /// Appends one line with its end. `label` names blank nodes, without `_:`.
    static func append(_ quad: Quad, to line: inout [UInt8], label: (Text) -> Text) {
        append(quad.subject, to: &line, label)
        line.append(0x20)
        append(quad.predicate, to: &line, label)
        line.append(0x20)
        append(quad.object, to: &line, label)
        line.append(0x20)
        if let graph = quad.graph {
            append(graph, to: &line, label)
            line.append(0x20)
        }
        line.append(contentsOf: ".\n".utf8)
    }

    private static func append(_ term: Term, to line: inout [UInt8], _ label: (Text) -> Text) {
        switch term {
        case .iri(let iri):
            append(iri, to: &line)
        case .blankNode(let name):
            line.append(contentsOf: "_:".utf8)
            line.append(contentsOf: label(name).utf8)
        case .literal(let literal):
            line.append(UInt8(ascii: "\""))
            for byte in literal.value.utf8 { escape(byte, to: &line) }
            line.append(UInt8(ascii: "\""))
            if let language = literal.language {
                line.append(UInt8(ascii: "@"))
                line.append(contentsOf: language.utf8)
            } else if literal.datatype != Vocabulary.string {
                line.append(contentsOf: "^^".utf8)
                append(literal.datatype, to: &line)
            }
        }
    }

    static func append(_ iri: Text, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "<"))
        line.append(contentsOf: iri.utf8)
        line.append(UInt8(ascii: ">"))
    }

    private static func escape(_ byte: UInt8, to line: inout [UInt8]) {
        let letter: Character
        switch byte {
        case 0x08: letter = "b"
        case 0x09: letter = "t"
        case 0x0A: letter = "n"
        case 0x0C: letter = "f"
        case 0x0D: letter = "r"
        case UInt8(ascii: "\""): letter = "\""
        case UInt8(ascii: "\\"): letter = "\\"
        case 0..<0x20, 0x7F:
            line.append(contentsOf: "\\u00".utf8)
            line.append(contentsOf: Hexadecimal.upper(byte))
            return
        default:
            line.append(byte)
            return
        }
        line.append(UInt8(ascii: "\\"))
        line.append(contentsOf: letter.utf8)
    }
}

enum Hexadecimal {
    static func upper(_ byte: UInt8) -> [UInt8] { digits(byte, letter: UInt8(ascii: "A")) }
    static func lower(_ byte: UInt8) -> [UInt8] { digits(byte, letter: UInt8(ascii: "a")) }

    static func lower(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap(lower) }

    private static func digits(_ byte: UInt8, letter: UInt8) -> [UInt8] {
        [byte >> 4, byte & 15].map { $0 < 10 ? UInt8(ascii: "0") + $0 : letter + $0 - 10 }
    }
}
