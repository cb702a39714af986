/// A place in a checked encoding: cheap to copy, valid as long as it is held. Access as another type is nil, never a trap.
public struct CBORItem: Sendable {
    let tape: CBORTape
    let index: Int

    var node: CBORNode { tape.nodes[index] }

    public var kind: CBORKind { node.kind }

    /// The bytes of this item in what was parsed, head and break included.
    public var sourceRange: Range<Int> { Int(node.start)..<Int(node.end) }

    /// The exact bytes of this item, for digests and signatures.
    public func withSource<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        let octets = tape.source(index).assumingMemoryBound(to: UInt8.self)
        defer { withExtendedLifetime(tape) {} }
        return try body(octets.span)
    }

    /// A copy of the exact bytes of this item.
    public var source: [UInt8] { withExtendedLifetime(tape) { [UInt8](tape.source(index)) } }

    // MARK: Integers

    public var uint64: UInt64? { kind == .unsigned ? node.argument : nil }

    /// The value of an integer of either sign, where it fits.
    public var int64: Int64? {
        guard let magnitude = Int64(exactly: node.argument) else { return nil }
        switch kind {
        case .unsigned: return magnitude
        case .negative: return -1 - magnitude
        default: return nil
        }
    }

    /// The value of an integer of either sign, all 65 bits of it.
    public var integer: Int128? {
        switch kind {
        case .unsigned: Int128(node.argument)
        case .negative: -1 - Int128(node.argument)
        default: nil
        }
    }

    // MARK: Strings

    /// The contents of a byte string, its chunks joined.
    public var bytes: [UInt8]? { kind == .bytes ? joined : nil }

    /// The contents of a text string, its chunks joined.
    public var text: String? { kind == .text ? String(decoding: joined, as: UTF8.self) : nil }

    /// The UTF-8 of a text string.
    public var textBytes: [UInt8]? { kind == .text ? joined : nil }

    /// Whether this is a text with exactly these scalars: no Unicode normalisation, unlike `String.==`.
    public func isText(_ text: String) -> Bool { kind == .text && joined.elementsEqual(text.utf8) }

    private var joined: [UInt8] {
        withExtendedLifetime(tape) {
            guard node.isChunked else { return [UInt8](tape.content(index)) }
            var joined: [UInt8] = []
            var chunk = index + 1
            while chunk < Int(node.next) {
                joined.append(contentsOf: tape.content(chunk))
                chunk += 1
            }
            return joined
        }
    }

    /// The item a byte string holds, parsed by itself: protected headers, payloads and tag 24 (RFC 8949 section 3.4.5.1). Offsets of its
    /// errors count from the start of the string. Throws `wrongType` where this is no byte string.
    public func embedded(options: CBOROptions = .standard) throws(CBORError) -> CBORDocument {
        guard let bytes else { throw CBORError(.wrongType, at: Int(node.start)) }
        return try CBORDocument(parsing: bytes, options: options)
    }

    // MARK: Simple values and floats

    public var bool: Bool? {
        guard kind == .simple else { return nil }
        switch node.argument {
        case 20: return false
        case 21: return true
        default: return nil
        }
    }

    public var isNull: Bool { kind == .simple && node.argument == 22 }

    /// The number of any simple value, the four above too.
    public var simple: UInt8? { kind == .simple ? UInt8(exactly: node.argument) : nil }

    public var float: CBORFloat? {
        guard kind == .float, let width = CBORFloat.Width(rawValue: node.width) else { return nil }
        return CBORFloat(width: width, bits: node.argument)
    }

    // MARK: Structure

    /// The number of a tag; its content is `content`.
    public var tag: UInt64? { kind == .tag ? node.argument : nil }

    /// What a tag is put on.
    public var content: CBORItem? { kind == .tag ? CBORItem(tape: tape, index: index + 1) : nil }

    /// The content of a tag of that number, else nil.
    public func content(of tag: UInt64) -> CBORItem? { self.tag == tag ? content : nil }

    /// The elements of an array in order; nil for every other type.
    public var elements: [CBORItem]? { kind == .array ? children : nil }

    /// The pairs of a map in the order of the bytes; nil for every other type.
    public var pairs: [CBORPair]? {
        guard kind == .map else { return nil }
        let items = children
        return stride(from: 0, to: items.count - 1, by: 2).map { CBORPair(key: items[$0], value: items[$0 + 1]) }
    }

    /// The value of the integer key; nil when there is none or this is no map. Linear in the pairs.
    public subscript(key: Int64) -> CBORItem? { pairs?.first { $0.key.int64 == key }?.value }

    /// The value of the text key; nil when there is none or this is no map. Linear in the pairs.
    public subscript(key: String) -> CBORItem? { pairs?.first { $0.key.isText(key) }?.value }

    private var children: [CBORItem] {
        var children: [CBORItem] = []
        var child = index + 1
        while child < Int(node.next) {
            children.append(CBORItem(tape: tape, index: child))
            child = Int(tape.nodes[child].next)
        }
        return children
    }
}

/// One pair of a map.
public struct CBORPair: Sendable {
    public let key: CBORItem
    public let value: CBORItem
}
