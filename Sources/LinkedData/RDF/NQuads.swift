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
            append(escaping: literal.value, to: &line)
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

    /// A portrait is hundreds of kilobytes without a single escape: what lies between escapes is copied as it is.
    private static func append(escaping text: Text, to line: inout [UInt8]) {
        let copied: Void? = text.utf8.withContiguousStorageIfAvailable { octets in
            var start = 0
            line.reserveCapacity(line.count + octets.count + 64)
            for (position, byte) in octets.enumerated() {
                if byte > UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte != 0x7F { continue }
                guard let escaped = escape(byte) else { continue }
                line.append(contentsOf: octets[start..<position])
                line.append(contentsOf: escaped)
                start = position + 1
            }
            line.append(contentsOf: octets[start...])
        }
        if copied == nil { for byte in text.utf8 { line.append(contentsOf: escape(byte) ?? [byte]) } }
    }

    /// What stands for the octet; nil when it stands for itself.
    private static func escape(_ byte: UInt8) -> [UInt8]? {
        switch byte {
        case 0x08: Array("\\b".utf8)
        case 0x09: Array("\\t".utf8)
        case 0x0A: Array("\\n".utf8)
        case 0x0C: Array("\\f".utf8)
        case 0x0D: Array("\\r".utf8)
        case UInt8(ascii: "\""): Array("\\\"".utf8)
        case UInt8(ascii: "\\"): Array("\\\\".utf8)
        case 0..<0x20, 0x7F: Array("\\u00".utf8) + Hexadecimal.upper(byte)
        default: nil
        }
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
