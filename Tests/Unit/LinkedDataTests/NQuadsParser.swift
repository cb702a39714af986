import LinkedData

/// A strict reader of N-Quads (RDF 1.1 N-Quads section 4) for expectations and inputs of the suites.
struct NQuadsParser {
    struct Failure: Error {
        let line: String
    }

    private var rest: Substring.UnicodeScalarView
    private let line: String

    private init(_ line: String) {
        self.line = line
        rest = Substring(line).unicodeScalars
    }

    static func dataset(_ bytes: [UInt8]) throws -> Dataset {
        var quads: [Quad] = []
        for line in String(decoding: bytes, as: UTF8.self).unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
            var parser = NQuadsParser(String(line))
            if let quad = try parser.statement() { quads.append(quad) }
        }
        return Dataset(quads)
    }

    private mutating func statement() throws -> Quad? {
        skip()
        if rest.isEmpty || rest.first == "#" { return nil }
        let subject = try term(), predicate = try term(), object = try term()
        skip()
        let graph = rest.first == "." ? nil : try term()
        skip()
        try take(".")
        skip()
        guard rest.isEmpty || rest.first == "#" else { throw Failure(line: line) }
        return Quad(subject, predicate, object, graph: graph)
    }

    private mutating func skip() { while rest.first == " " || rest.first == "\t" { rest.removeFirst() } }

    private mutating func take(_ scalar: Unicode.Scalar) throws {
        guard rest.first == scalar else { throw Failure(line: line) }
        rest.removeFirst()
    }

    private mutating func term() throws -> Term {
        skip()
        switch rest.first {
        case "<": return .iri(Text(try iri()))
        case "_":
            rest.removeFirst()
            try take(":")
            var label = ""
            while let next = rest.first,
                next.properties.isAlphabetic || next.properties.numericType != nil || "_-:.".unicodeScalars.contains(next)
            {
                label.unicodeScalars.append(rest.removeFirst())
            }
            // A label does not end with a point: that one ends the statement.
            if label.hasSuffix(".") {
                label.removeLast()
                rest = Substring("." + String(rest)).unicodeScalars
            }
            return .blankNode(Text(label))
        case "\"": return try literal()
        default: throw Failure(line: line)
        }
    }

    private mutating func iri() throws -> String {
        try take("<")
        var text = ""
        while let next = rest.first, next != ">" {
            rest.removeFirst()
            text.unicodeScalars.append(next == "\\" ? try escape() : next)
        }
        try take(">")
        return text
    }

    private mutating func literal() throws -> Term {
        try take("\"")
        var text = ""
        while let next = rest.first, next != "\"" {
            rest.removeFirst()
            text.unicodeScalars.append(next == "\\" ? try escape() : next)
        }
        try take("\"")
        if rest.first == "@" {
            rest.removeFirst()
            var language = ""
            while let next = rest.first,
                next == "-" || (next.isASCII && (next.properties.isAlphabetic || next.properties.numericType != nil))
            {
                language.unicodeScalars.append(rest.removeFirst())
            }
            return .literal(Literal(Text(text), language: Text(language)))
        }
        guard rest.first == "^" else { return .literal(Literal(Text(text))) }
        rest.removeFirst()
        try take("^")
        return .literal(Literal(Text(text), datatype: Text(try iri())))
    }

    private mutating func escape() throws -> Unicode.Scalar {
        guard let letter = rest.popFirst() else { throw Failure(line: line) }
        switch letter {
        case "t": return "\t"
        case "b": return "\u{08}"
        case "n": return "\n"
        case "r": return "\r"
        case "f": return "\u{0C}"
        case "\"", "'", "\\": return letter
        case "u", "U":
            let count = letter == "u" ? 4 : 8
            guard rest.count >= count, let value = UInt32(String(rest.prefix(count)), radix: 16), let scalar = Unicode.Scalar(value) else {
                throw Failure(line: line)
            }
            rest.removeFirst(count)
            return scalar
        default: throw Failure(line: line)
        }
    }
}
