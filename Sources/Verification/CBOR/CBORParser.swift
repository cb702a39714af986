/// The grammar of RFC 8949 section 3 as a loop over heads; no recursion, so depth costs one small entry.
///
/// A length is believed only as a number until the bytes it counts are known to be there, and nothing is reserved by it.
struct CBORParser {
    /// An item whose contents are being read.
    private struct Open {
        let node: Int
        let kind: CBORKind
        /// Items still to come; nil until a break.
        var left: UInt64?
        /// In a map: whether the next item is a key.
        var expectsKey: Bool
    }

    private(set) var nodes: [CBORNode] = []
    private var open: [Open] = []
    private var position = 0
    private let options: CBOROptions

    init(options: CBOROptions) {
        self.options = options
    }

    mutating func parse(_ bytes: Span<UInt8>) throws(CBORError) {
        guard bytes.count <= options.bytes else { throw CBORError(.tooLong, at: options.bytes) }
        repeat { try step(bytes) } while !open.isEmpty
        guard position == bytes.count else { throw CBORError(.trailingBytes, at: position) }
    }

    /// Reads one head and what belongs to it alone.
    private mutating func step(_ bytes: Span<UInt8>) throws(CBORError) {
        let start = position
        let head = try CBORHead(bytes, at: start, form: options.form)
        if head.isBreak { return try end(at: start, head.end, bytes) }
        if head.isIndefinite, !options.allowsIndefinite || options.form == .deterministic { throw CBORError(.indefiniteLength, at: start) }
        try checkPlace(of: head, at: start)
        position = head.end
        switch head.major {
        case 0: try leaf(.unsigned, head, from: start, bytes)
        case 1: try leaf(.negative, head, from: start, bytes)
        case 2: try string(.bytes, head, from: start, bytes)
        case 3: try string(.text, head, from: start, bytes)
        case 4: try container(.array, head, from: start, bytes)
        case 5: try container(.map, head, from: start, bytes)
        case 6:
            try append(.tag, head, from: start)
            try begin(.tag, left: 1, at: start)
        default:
            try simpleOrFloat(head, from: start, bytes)
        }
    }

    /// What the item around this place allows here.
    private func checkPlace(of head: CBORHead, at start: Int) throws(CBORError) {
        guard let outer = open.last else { return }
        switch outer.kind {
        case .bytes where head.major != 2 || head.isIndefinite, .text where head.major != 3 || head.isIndefinite:
            throw CBORError(.invalidChunk, at: start)
        case .map where outer.expectsKey && (head.major > 3 || head.isIndefinite):
            throw CBORError(.keyRefused, at: start)
        default:
            return
        }
    }

    private mutating func string(_ kind: CBORKind, _ head: CBORHead, from start: Int, _ bytes: Span<UInt8>) throws(CBORError) {
        try append(kind, head, from: start, isChunked: head.isIndefinite)
        guard !head.isIndefinite else { return try begin(kind, left: nil, at: start) }
        guard let count = Int(exactly: head.argument), count <= bytes.count - position else { throw CBORError(.truncated, at: bytes.count) }
        if kind == .text {
            // Each chunk is whole characters too (RFC 8949 section 3.2.3).
            let fault = bytes.withUnsafeBytes { CBORText.fault(in: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
            if let fault { throw CBORError(.invalidUTF8, at: position + fault) }
        }
        position += count
        try finish(nodes.count - 1, bytes)
    }

    private mutating func container(_ kind: CBORKind, _ head: CBORHead, from start: Int, _ bytes: Span<UInt8>) throws(CBORError) {
        try append(kind, head, from: start)
        guard !head.isIndefinite else { return try begin(kind, left: nil, at: start) }
        let (items, overflow) = head.argument.multipliedReportingOverflow(by: kind == .map ? 2 : 1)
        // Every item takes at least one byte.
        guard !overflow, items <= UInt64(bytes.count - position) else { throw CBORError(.truncated, at: bytes.count) }
        try begin(kind, left: items, at: start)
        if items == 0 { try close(bytes) }
    }

    private mutating func simpleOrFloat(_ head: CBORHead, from start: Int, _ bytes: Span<UInt8>) throws(CBORError) {
        guard let width = CBORFloat.Width(rawValue: head.information >= 25 ? 1 << (head.information - 24) : 0) else {
            return try leaf(.simple, head, from: start, bytes)
        }
        if options.form == .deterministic, !CBORFloat(width: width, bits: head.argument).isShortest {
            throw CBORError(.notShortest, at: start)
        }
        try leaf(.float, head, from: start, bytes, width: width.rawValue)
    }

    private mutating func leaf(_ kind: CBORKind, _ head: CBORHead, from start: Int, _ bytes: Span<UInt8>, width: UInt8 = 0)
        throws(CBORError)
    {
        try append(kind, head, from: start, width: width)
        try finish(nodes.count - 1, bytes)
    }

    private mutating func begin(_ kind: CBORKind, left: UInt64?, at start: Int) throws(CBORError) {
        guard open.count < options.depth else { throw CBORError(.tooDeep, at: start) }
        open.append(Open(node: nodes.count - 1, kind: kind, left: left, expectsKey: kind == .map))
    }

    /// A break: it ends the innermost item if that has no definite length, and only after a whole pair in a map.
    private mutating func end(at start: Int, _ after: Int, _ bytes: Span<UInt8>) throws(CBORError) {
        guard let innermost = open.last, innermost.left == nil, innermost.kind != .map || innermost.expectsKey else {
            throw CBORError(.unexpectedBreak, at: start)
        }
        position = after
        try close(bytes)
    }

    /// The innermost open item is complete.
    private mutating func close(_ bytes: Span<UInt8>) throws(CBORError) {
        guard let closed = open.popLast() else { return }
        try checkKeys(closed, bytes)
        try finish(closed.node, bytes)
    }

    /// The item at `index` is complete, and with it each one around it whose last it was.
    private mutating func finish(_ index: Int, _ bytes: Span<UInt8>) throws(CBORError) {
        var finished = index
        while true {
            nodes[finished].end = UInt32(truncatingIfNeeded: position)
            nodes[finished].next = UInt32(truncatingIfNeeded: nodes.count)
            guard var outer = open.popLast() else { return }
            if outer.kind == .map { outer.expectsKey.toggle() }
            if let left = outer.left { outer.left = left > 0 ? left - 1 : 0 }
            guard outer.left == 0 else {
                open.append(outer)
                return
            }
            try checkKeys(outer, bytes)
            finished = outer.node
        }
    }

    private func checkKeys(_ closed: Open, _ bytes: Span<UInt8>) throws(CBORError) {
        guard closed.kind == .map else { return }
        try CBORKeys.check(of: closed.node, in: nodes, bytes, sorted: options.form == .deterministic)
    }

    /// Offsets and indices fit 32 bits: `CBOROptions.bytes` is at most `Int32.max` and every entry takes at least one byte.
    private mutating func append(
        _ kind: CBORKind, _ head: CBORHead, from start: Int, width: UInt8 = 0, isChunked: Bool = false
    ) throws(CBORError) {
        guard nodes.count < options.items else { throw CBORError(.tooManyItems, at: start) }
        nodes.append(
            CBORNode(
                argument: head.argument, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: head.end),
                content: UInt32(truncatingIfNeeded: head.end), next: UInt32(truncatingIfNeeded: nodes.count + 1), kind: kind, width: width,
                isChunked: isChunked))
    }
}
