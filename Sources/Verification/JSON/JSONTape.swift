/// One entry of the tape: a value, or a member's name directly before its value. 16 octets.
struct JSONNode {
    /// The value's octets in the source, quotes and brackets included.
    var start: UInt32
    var end: UInt32
    /// Index of the entry after this value and everything inside it.
    var next: UInt32
    var kind: JSONKind
    /// A string or name that holds at least one backslash.
    var escaped: Bool

    /// The octets of the value in `text`, cut to what exists.
    func source(of text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[(Int(start)..<Int(end)).clamped(to: 0..<text.count)])
    }

    /// The octets between the quotes of a string or name, still escaped.
    func content(of text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: source(of: text).dropFirst().dropLast())
    }
}

/// What a value is.
public enum JSONKind: UInt8, Hashable, Sendable {
    case object, array, string, number, yes, no, null
}

/// A parsed text: its octets and the flat list of entries that point into them.
///
/// The octets are this object's own copy and are overwritten with zeros when it goes: a credential is personal data.
/// Nothing changes after `init`, which is why sharing it between threads is safe.
final class JSONTape: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
    let nodes: [JSONNode]

    /// Copies `source` (octets) and parses the copy, so that nobody can change it afterwards.
    init(copying source: Span<UInt8>, limits: JSONLimits) throws(JSONError) {
        guard source.count <= limits.bytes else { throw JSONError(.tooLong, at: limits.bytes) }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
        source.withUnsafeBytes { memory.copyMemory(from: $0) }
        var parser = JSONParser(limits: limits)
        do throws(JSONError) {
            let octets = UnsafeRawBufferPointer(memory).assumingMemoryBound(to: UInt8.self)
            try parser.parse(octets.span)
        } catch {
            JSONTape.wipe(memory)
            throw error
        }
        self.memory = memory
        self.nodes = parser.nodes
    }

    deinit {
        JSONTape.wipe(memory)
    }

    /// Not inlined: the stores come right before the memory is freed and must not be optimised away.
    @inline(never)
    private static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        memory.deallocate()
    }

    /// The octets of the value at `index`.
    func source(_ index: Int) -> UnsafeRawBufferPointer { nodes[index].source(of: UnsafeRawBufferPointer(memory)) }

    /// The octets between the quotes of the string or name at `index`, still escaped.
    func content(_ index: Int) -> UnsafeRawBufferPointer { nodes[index].content(of: UnsafeRawBufferPointer(memory)) }
}
