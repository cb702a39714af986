/// The grammar of RFC 8259 as a loop over octets; no recursion, so depth costs one integer.
///
/// Arrays and objects are entries whose `next` is filled in when they close. Names are entries of kind `string` directly before their
/// values.
struct JSONParser {
    private enum Expectation {
        case value, valueOrEnd, name, nameOrEnd, separator
    }

    private(set) var nodes: [JSONNode] = []
    private var open: [Int] = []
    private var position = 0
    private var seen = 0
    private let limits: JSONLimits
    /// Keep only the extent of the outermost object's members; what is inside them is checked and forgotten.
    private let outline: Bool

    init(limits: JSONLimits, outline: Bool = false) {
        self.limits = limits
        self.outline = outline
    }

    mutating func parse(_ bytes: Span<UInt8>) throws(JSONError) {
        guard bytes.count <= limits.bytes else { throw JSONError(.tooLong, at: limits.bytes) }
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { throw JSONError(.byteOrderMark, at: 0) }
        var expected = Expectation.value
        while true {
            skipWhiteSpace(bytes)
            if expected == .separator, open.isEmpty { break }
            guard position < bytes.count else { throw JSONError(.truncated, at: position) }
            let byte = bytes[position]
            switch expected {
            case .separator:
                expected = try separator(byte, bytes)
            case .valueOrEnd where byte == UInt8(ascii: "]"):
                expected = try close(bytes)
            case .value, .valueOrEnd:
                expected = try value(byte, bytes)
            case .nameOrEnd where byte == UInt8(ascii: "}"):
                expected = try close(bytes)
            case .name, .nameOrEnd:
                expected = try name(byte, bytes)
            }
        }
        guard position == bytes.count else { throw JSONError(.trailingBytes, at: position) }
    }

    private mutating func skipWhiteSpace(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// After a value inside a container: a comma, or the container's own closing bracket.
    private mutating func separator(_ byte: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Expectation {
        guard let container = open.last else { throw JSONError(.trailingBytes, at: position) }
        let isObject = nodes[container].kind == .object
        switch byte {
        case UInt8(ascii: ","):
            position += 1
            return isObject ? .name : .value
        case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
            return try close(bytes)
        default:
            throw JSONError(.unexpectedByte, at: position)
        }
    }

    private mutating func value(_ byte: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Expectation {
        let start = position
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard open.count < limits.depth else { throw JSONError(.tooDeep, at: position) }
            let isObject = byte == UInt8(ascii: "{")
            try append(isObject ? .object : .array, from: start, to: start)
            open.append(nodes.count - 1)
            position += 1
            return isObject ? .nameOrEnd : .valueOrEnd
        case UInt8(ascii: "\""):
            let text = try JSONText.scan(bytes, from: position)
            try append(.string, from: start, to: text.end, escaped: text.escaped)
            position = text.end
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            position = try JSONNumber.scan(bytes, from: position, limit: limits.numberBytes)
            try append(.number, from: start, to: position)
        case UInt8(ascii: "t"):
            try literal("true", .yes, bytes)
        case UInt8(ascii: "f"):
            try literal("false", .no, bytes)
        case UInt8(ascii: "n"):
            try literal("null", .null, bytes)
        default:
            throw JSONError(.unexpectedByte, at: position)
        }
        return .separator
    }

    private mutating func name(_ byte: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Expectation {
        guard byte == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: position) }
        let text = try JSONText.scan(bytes, from: position)
        try append(.string, from: position, to: text.end, escaped: text.escaped)
        position = text.end
        skipWhiteSpace(bytes)
        guard position < bytes.count else { throw JSONError(.truncated, at: position) }
        guard bytes[position] == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: position) }
        position += 1
        return .value
    }

    private mutating func literal(_ text: StaticString, _ kind: JSONKind, _ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        for offset in 0..<text.utf8CodeUnitCount {
            guard start + offset < bytes.count else { throw JSONError(.truncated, at: bytes.count) }
            guard bytes[start + offset] == text.utf8Start[offset] else { throw JSONError(.invalidLiteral, at: start) }
        }
        position = start + text.utf8CodeUnitCount
        try append(kind, from: start, to: position)
    }

    private mutating func close(_ bytes: Span<UInt8>) throws(JSONError) -> Expectation {
        guard let container = open.popLast() else { throw JSONError(.unexpectedByte, at: position) }
        position += 1
        nodes[container].end = UInt32(truncatingIfNeeded: position)
        nodes[container].next = UInt32(truncatingIfNeeded: nodes.count)
        if nodes[container].kind == .object {
            try JSONNames.refuseDuplicates(of: container, in: nodes, bytes)
        }
        if outline, open.count == 1, container + 1 < nodes.count {
            nodes.removeSubrange(container + 1..<nodes.count)
            nodes[container].next = UInt32(truncatingIfNeeded: nodes.count)
        }
        return .separator
    }

    /// Offsets and indices fit 32 bits: `JSONLimits.bytes` is at most `Int32.max` and every node takes at least one octet.
    private mutating func append(_ kind: JSONKind, from start: Int, to end: Int, escaped: Bool = false) throws(JSONError) {
        guard seen < limits.nodes else { throw JSONError(.tooManyNodes, at: start) }
        seen += 1
        nodes.append(
            JSONNode(
                start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: nodes.count + 1), kind: kind, escaped: escaped))
    }
}
