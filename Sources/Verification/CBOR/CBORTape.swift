/// What an item is: the major types of RFC 8949 section 3.1, the last divided into simple values and floats.
public enum CBORKind: UInt8, Hashable, Sendable {
    case unsigned, negative, bytes, text, array, map, tag, simple, float
}

/// One entry of the tape: an item, a key directly before its value, or a chunk of a string. 32 bytes.
struct CBORNode {
    /// The integer, the tag's number, the simple value, the float's bits, or the count of bytes, elements or pairs of a definite length.
    var argument: UInt64
    /// The item's bytes in the source, head and break included.
    var start: UInt32
    var end: UInt32
    /// Offset of the first byte after the head.
    var content: UInt32
    /// Index of the entry after this item and everything inside it.
    var next: UInt32
    var kind: CBORKind
    /// Bytes of the float itself: 2, 4 or 8.
    var width: UInt8
    /// A string in chunks: each is an entry of its own.
    var isChunked: Bool

    /// The bytes of the item in `source`, cut to what exists.
    func source(of source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer { cut(source, from: start) }

    /// The bytes after the head.
    func content(of source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer { cut(source, from: content) }

    private func cut(_ source: UnsafeRawBufferPointer, from first: UInt32) -> UnsafeRawBufferPointer {
        let first = min(Int(first), source.count), last = min(max(Int(end), first), source.count)
        return UnsafeRawBufferPointer(rebasing: source[first..<last])
    }
}

/// A parsed encoding: its bytes and the flat list of entries that point into them.
///
/// The bytes are this object's own copy and are overwritten with zeros when it goes: a credential is personal data.
/// Nothing changes after `init`, which is why sharing it between threads is safe.
final class CBORTape: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
    let nodes: [CBORNode]

    /// Copies `source` and parses the copy, so that nobody can change it afterwards.
    init(copying source: Span<UInt8>, options: CBOROptions) throws(CBORError) {
        guard source.count <= options.bytes else { throw CBORError(.tooLong, at: options.bytes) }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
        source.withUnsafeBytes { memory.copyMemory(from: $0) }
        var parser = CBORParser(options: options)
        do throws(CBORError) {
            let octets = UnsafeRawBufferPointer(memory).assumingMemoryBound(to: UInt8.self)
            try parser.parse(octets.span)
        } catch {
            CBORTape.wipe(memory)
            throw error
        }
        self.memory = memory
        nodes = parser.nodes
    }

    deinit {
        CBORTape.wipe(memory)
    }

    /// Not inlined: the stores come right before the memory is freed and must not be optimised away.
    @inline(never)
    private static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        memory.deallocate()
    }

    func source(_ index: Int) -> UnsafeRawBufferPointer { nodes[index].source(of: UnsafeRawBufferPointer(memory)) }

    func content(_ index: Int) -> UnsafeRawBufferPointer { nodes[index].content(of: UnsafeRawBufferPointer(memory)) }
}
