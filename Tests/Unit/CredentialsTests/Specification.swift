import Foundation
import JSON

/// The little YAML that the SD-JWT suite's specifications are written in: block and flow collections, plain and quoted scalars, comments,
/// and the tag
/// `!sd` on a key or an element.
indirect enum Specification {
    /// JSON text of a scalar.
    case scalar(String)
    case list([(hidden: Bool, value: Specification)])
    case map([(hidden: Bool, name: String, value: Specification)])

    init(yaml: String) {
        var reader = YAMLReader(yaml)
        self = reader.block(indent: 0)
    }

    subscript(name: String) -> Specification? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    subscript(index: Int) -> Specification? {
        guard case .list(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index].value
    }

    /// Python's idea of a yes.
    var isTruthy: Bool {
        switch self {
        case .scalar(let text): text != "null" && text != "false"
        case .list(let elements): !elements.isEmpty
        case .map(let members): !members.isEmpty
        }
    }

    /// The content without regard to what is hidden, as JSON text.
    var json: String {
        switch self {
        case .scalar(let text): text
        case .list(let elements): "[" + elements.map(\.value.json).joined(separator: ",") + "]"
        case .map(let members): "{" + members.map { jsonString($0.name) + ":" + $0.value.json }.joined(separator: ",") + "}"
        }
    }
}

func jsonString(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return writer.text
}

private struct YAMLReader {
    /// Indentation and content of each line that has any.
    private var lines: [(indent: Int, text: String)] = []
    private var next = 0

    init(_ yaml: String) {
        for line in yaml.split(separator: "\n") {
            var text = Substring(line)
            // No scalar in the suite holds " #".
            if let comment = text.range(of: " #") { text = text[..<comment.lowerBound] }
            let content = text.drop { $0 == " " }
            guard !content.isEmpty, !content.hasPrefix("#") else { continue }
            var trimmed = String(content)
            while trimmed.last == " " { trimmed.removeLast() }
            lines.append((line.prefix { $0 == " " }.count, trimmed))
        }
    }

    /// The value that begins on the next line.
    mutating func block(indent: Int) -> Specification {
        guard next < lines.count, lines[next].indent >= indent else { return .scalar("null") }
        let (own, text) = lines[next]
        if text == "-" || text.hasPrefix("- ") { return sequence(own) }
        if splitKey(text) != nil { return mapping(own) }
        next += 1
        return inline(text)
    }

    private mutating func sequence(_ indent: Int) -> Specification {
        var elements: [(Bool, Specification)] = []
        while next < lines.count, lines[next].indent == indent, lines[next].text == "-" || lines[next].text.hasPrefix("- ") {
            let rest = String(lines[next].text.dropFirst(2))
            if rest.isEmpty || rest == "!sd" {
                next += 1
                elements.append((rest == "!sd", block(indent: indent + 1)))
            } else if splitKey(rest) != nil || rest.hasPrefix("- ") {
                // A collection that begins behind the dash: as if it stood on a line of its own.
                lines[next] = (indent + 2, rest)
                elements.append((false, block(indent: indent + 2)))
            } else {
                next += 1
                let hidden = rest.hasPrefix("!sd ")
                elements.append((hidden, inline(hidden ? String(rest.dropFirst(4)) : rest)))
            }
        }
        return .list(elements)
    }

    private mutating func mapping(_ indent: Int) -> Specification {
        var members: [(Bool, String, Specification)] = []
        while next < lines.count, lines[next].indent == indent, let (hidden, name, rest) = splitKey(lines[next].text) {
            next += 1
            members.append((hidden, name, rest.isEmpty ? block(indent: indent + 1) : inline(rest)))
        }
        return .map(members)
    }

    /// `[!sd ]key: rest`, or nil when the line is no member.
    private func splitKey(_ text: String) -> (hidden: Bool, name: String, rest: String)? {
        let hidden = text.hasPrefix("!sd ")
        let body = hidden ? Substring(text.dropFirst(4)) : Substring(text)
        guard let first = body.first, first != "[", first != "{" else { return nil }
        if first == "\"" || first == "'" {
            guard let close = body.dropFirst().firstIndex(of: first) else { return nil }
            let after = body[body.index(after: close)...]
            guard after == ":" || after.hasPrefix(": ") else { return nil }
            return (hidden, String(body[body.index(after: body.startIndex)..<close]), String(after.dropFirst(2)))
        }
        if body.hasSuffix(":"), body.range(of: ": ") == nil { return (hidden, String(body.dropLast()), "") }
        guard let colon = body.range(of: ": ") else { return nil }
        return (hidden, String(body[..<colon.lowerBound]), String(body[colon.upperBound...].drop { $0 == " " }))
    }

    /// A flow collection, which may go on over lines, or a scalar.
    private mutating func inline(_ text: String) -> Specification {
        guard text.hasPrefix("[") || text.hasPrefix("{") else { return Self.scalar(text) }
        var whole = text
        func depth(_ text: String) -> Int { text.reduce(0) { $0 + ("[{".contains($1) ? 1 : "]}".contains($1) ? -1 : 0) } }
        while depth(whole) > 0, next < lines.count {
            whole += " " + lines[next].text
            next += 1
        }
        var rest = Substring(whole)
        return Self.flow(&rest)
    }

    private static func flow(_ rest: inout Substring) -> Specification {
        func skip() { rest = rest.drop { $0 == " " } }
        skip()
        guard let open = rest.first, open == "[" || open == "{" else { return scalar(flowScalar(&rest)) }
        rest = rest.dropFirst()
        var elements: [(Bool, Specification)] = []
        var members: [(Bool, String, Specification)] = []
        while true {
            skip()
            if rest.first == "," {
                rest = rest.dropFirst()
                continue
            }
            guard let character = rest.first, character != "]", character != "}" else { break }
            let hidden = rest.hasPrefix("!sd ")
            if hidden { rest = rest.dropFirst(4) }
            if open == "[" {
                elements.append((hidden, flow(&rest)))
            } else {
                skip()
                let name = flowScalar(&rest, isKey: true)
                skip()
                if rest.first == ":" { rest = rest.dropFirst() }
                members.append((hidden, unquoted(name), flow(&rest)))
            }
        }
        rest = rest.dropFirst()
        return open == "[" ? .list(elements) : .map(members)
    }

    private static func flowScalar(_ rest: inout Substring, isKey: Bool = false) -> String {
        let start = rest
        if let quote = rest.first, quote == "\"" || quote == "'" {
            rest = rest.dropFirst().drop { $0 != quote }.dropFirst()
        } else {
            rest = rest.drop { !",]}".contains($0) && !(isKey && $0 == ":") }
        }
        var text = String(start[..<rest.startIndex])
        while text.last == " " { text.removeLast() }
        return text
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, let quote = text.first, quote == "\"" || quote == "'" else { return text }
        return String(text.dropFirst().dropLast())
    }

    private static func scalar(_ text: String) -> Specification {
        switch text {
        case "null", "~", "": return .scalar("null")
        case "True", "true": return .scalar("true")
        case "False", "false": return .scalar("false")
        default: break
        }
        let isNumber =
            text.first.map { $0.isNumber || $0 == "-" } == true && (try? JSONDocument(parsing: Array(text.utf8)))?.root.kind == .number
        return .scalar(isNumber ? text : jsonString(unquoted(text)))
    }
}
