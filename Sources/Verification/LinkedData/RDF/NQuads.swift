/// Canonical N-Quads (RDFC-1.0 section 5; N-Triples 1.1 section 4): one space, no comment, the fewest escapes.
enum NQuads {
    /// Appends one line with its end.
    /// - Parameter appendName: writes the name of the blank node at that place of the quad, without `_:`.
    /// - Returns: where in `lines` the value of a literal belongs that was left out, because it lies in a document and stands for itself
    ///   there.
    static func append(_ quad: Quad, to lines: inout [UInt8], appendName: (Place, inout [UInt8]) -> Void) -> (position: Int, value: Text)? {
        var leftOut: (Int, Text)?
        append(quad.subject, .subject, to: &lines, appendName)
        append(quad.predicate, .predicate, to: &lines, appendName)
        if case .literal(let literal) = quad.object, literal.value.isSource, literal.value.withOctets({ firstEscape($0, from: 0) }) == nil {
            lines.append(UInt8(ascii: "\""))
            leftOut = (lines.count, literal.value)
            appendEnd(of: literal, to: &lines)
            lines.append(0x20)
        } else {
            append(quad.object, .object, to: &lines, appendName)
        }
        if let graph = quad.graph { append(graph, .graph, to: &lines, appendName) }
        lines.append(UInt8(ascii: "."))
        lines.append(UInt8(ascii: "\n"))
        return leftOut
    }

    enum Place {
        case subject, predicate, object, graph
    }

    /// Octets of the line, not counting escapes and the names of blank nodes.
    static func size(of quad: Quad) -> Int {
        size(of: quad.subject) + size(of: quad.predicate) + size(of: quad.object) + (quad.graph.map(size) ?? 0) + 2
    }

    private static func size(of term: Term) -> Int {
        switch term {
        case .iri(let iri): iri.count + 3
        case .blankNode: 3
        case .literal(let literal): literal.value.count + (literal.language ?? literal.datatype).count + 7
        }
    }

    private static func append(_ term: Term, _ place: Place, to lines: inout [UInt8], _ appendName: (Place, inout [UInt8]) -> Void) {
        switch term {
        case .iri(let iri):
            append(iri, to: &lines)
        case .blankNode:
            lines.append(UInt8(ascii: "_"))
            lines.append(UInt8(ascii: ":"))
            appendName(place, &lines)
        case .literal(let literal):
            lines.append(UInt8(ascii: "\""))
            append(escaping: literal.value, to: &lines)
            appendEnd(of: literal, to: &lines)
        }
        lines.append(0x20)
    }

    private static func appendEnd(of literal: Literal, to lines: inout [UInt8]) {
        lines.append(UInt8(ascii: "\""))
        if let language = literal.language {
            lines.append(UInt8(ascii: "@"))
            append(octetsOf: language, to: &lines)
        } else if literal.datatype != Vocabulary.string {
            lines.append(UInt8(ascii: "^"))
            lines.append(UInt8(ascii: "^"))
            append(literal.datatype, to: &lines)
        }
    }

    static func append(_ iri: Text, to lines: inout [UInt8]) {
        lines.append(UInt8(ascii: "<"))
        append(octetsOf: iri, to: &lines)
        lines.append(UInt8(ascii: ">"))
    }

    private static func append(octetsOf text: Text, to lines: inout [UInt8]) {
        text.withOctets { lines.append(contentsOf: $0) }
    }

    /// A portrait is hundreds of kilobytes without a single escape: what lies between escapes is copied as it is.
    private static func append(escaping text: Text, to lines: inout [UInt8]) {
        text.withOctets { octets in
            var start = 0
            // To double a buffer that is large already is a waste where the end can be known.
            if octets.count > 64 << 10 {
                lines.reserveCapacity(lines.count + octets.reduce(octets.count + 64) { $0 + (isEscaped($1) ? 5 : 0) })
            }
            while let position = firstEscape(octets, from: start) {
                lines.append(contentsOf: UnsafeRawBufferPointer(rebasing: octets[start..<position]))
                appendEscape(octets[position], to: &lines)
                start = position + 1
            }
            lines.append(contentsOf: UnsafeRawBufferPointer(rebasing: octets[start...]))
        }
    }

    /// The next octet that does not stand for itself: below 0x20, quote, backslash, DEL.
    private static func firstEscape(_ octets: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var position = start
        // One by one at first: where there was an escape, the next is often near.
        while position < min(start + 64, octets.count) {
            if isEscaped(octets[position]) { return position }
            position += 1
        }
        // Blocks without a branch inside, which the compiler turns into vector instructions.
        let block = 64
        while octets.count - position >= block {
            var stops: UInt8 = 0
            for offset in 0..<block {
                let octet = octets[position &+ offset]
                stops |= (octet < 0x20 ? 1 : 0) | (octet == 0x22 ? 1 : 0) | (octet == 0x5C ? 1 : 0) | (octet == 0x7F ? 1 : 0)
            }
            if stops != 0 { break }
            position += block
        }
        while position < octets.count {
            if isEscaped(octets[position]) { return position }
            position += 1
        }
        return nil
    }

    private static func isEscaped(_ octet: UInt8) -> Bool { octet < 0x20 || octet == 0x22 || octet == 0x5C || octet == 0x7F }

    private static func appendEscape(_ octet: UInt8, to lines: inout [UInt8]) {
        lines.append(UInt8(ascii: "\\"))
        switch octet {
        case 0x08: lines.append(UInt8(ascii: "b"))
        case 0x09: lines.append(UInt8(ascii: "t"))
        case 0x0A: lines.append(UInt8(ascii: "n"))
        case 0x0C: lines.append(UInt8(ascii: "f"))
        case 0x0D: lines.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): lines.append(octet)
        default:
            lines.append(UInt8(ascii: "u"))
            lines.append(UInt8(ascii: "0"))
            lines.append(UInt8(ascii: "0"))
            lines.append(Hexadecimal.digit(octet >> 4, letter: UInt8(ascii: "A")))
            lines.append(Hexadecimal.digit(octet & 15, letter: UInt8(ascii: "A")))
        }
    }
}

enum Hexadecimal {
    static func lower(_ byte: UInt8) -> [UInt8] {
        [digit(byte >> 4, letter: UInt8(ascii: "a")), digit(byte & 15, letter: UInt8(ascii: "a"))]
    }

    static func lower(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digit(byte >> 4, letter: UInt8(ascii: "a")))
            text.append(digit(byte & 15, letter: UInt8(ascii: "a")))
        }
        return text
    }

    static func digit(_ value: UInt8, letter: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : letter + value - 10 }
}
