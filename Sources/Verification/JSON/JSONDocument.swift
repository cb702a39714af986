/// A whole JSON text, checked: strict RFC 8259, no duplicate names, nothing after the value.
public struct JSONDocument: Sendable {
    let tape: JSONTape

    /// - Parameter bytes: UTF-8 octets of the text; they are copied once.
    public init(parsing bytes: Span<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
        tape = try JSONTape(copying: bytes, limits: limits)
    }

    /// - Parameter bytes: UTF-8 octets of the text.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        tape = try JSONTape(copying: bytes.span, limits: limits)
    }

    /// The value of the text.
    public var root: JSONValue { JSONValue(tape: tape, index: 0) }

    /// Octets of the text.
    public var byteCount: Int { tape.memory.count }
}

/// Finding a few members of an object while everything else is checked and forgotten.
public enum JSONScan {
    /// Where the named members of the outermost object lie.
    ///
    /// The whole text is held to the same rules as `JSONDocument`, but no other value is stored or returned: a wallet's wrapper holds
    /// private fields.
    /// - Parameter names: names to look for, compared after unescaping.
    /// - Returns: for each name, in order, the octets of its value within `bytes`, or nil when the object has no such member.
    public static func members(
        _ names: [String], of bytes: Span<UInt8>, limits: JSONLimits = .standard
    ) throws(JSONError) -> [Range<Int>?] {
        var parser = JSONParser(limits: limits, outline: true)
        try parser.parse(bytes)
        let nodes = parser.nodes
        guard nodes[0].kind == .object else { throw JSONError(.notAnObject, at: Int(nodes[0].start)) }
        var found = [Range<Int>?](repeating: nil, count: names.count)
        var index = 1
        while index + 1 < nodes.count {
            let name = nodes[index], value = nodes[index + 1]
            for (position, wanted) in names.enumerated() {
                let matches = bytes.withUnsafeBytes { JSONText.isEqual(name.content(of: $0), escaped: name.escaped, to: wanted) }
                if matches { found[position] = Int(value.start)..<Int(value.end) }
            }
            index = Int(value.next)
        }
        return found
    }
}
