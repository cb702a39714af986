/// Writes one item in the core deterministic encoding (RFC 8949 section 4.2.1): shortest heads and floats, definite lengths, sorted keys.
///
/// Arrays and maps are closures and count themselves. Mistakes of the caller (two items at the top, a key twice, a tag on nothing) are kept
/// and thrown by `finish`, so that the calls in between read like the structure.
public struct CBORWriter {
    private var bytes: [UInt8] = []
    /// Items at this level.
    private var count: UInt64 = 0
    private var isTagPending = false
    private var fault: CBORError.Reason?

    public init() {}

    /// The encoding. Throws `incomplete` and `duplicateKey`.
    public func finish() throws(CBORError) -> [UInt8] {
        if let reason = reason(items: 1) { throw CBORError(reason, at: bytes.count) }
        return bytes
    }

    /// The encoding of what `body` writes. Throws `incomplete` and `duplicateKey`.
    public static func encode(_ body: (inout CBORWriter) -> Void) throws(CBORError) -> [UInt8] {
        var writer = CBORWriter()
        body(&writer)
        return try writer.finish()
    }

    // MARK: Items

    public mutating func unsigned(_ value: UInt64) { item(0, value) }

    public mutating func integer(_ value: Int64) {
        // ~value is -1 - value, and never overflows.
        if value >= 0 { item(0, UInt64(value)) } else { item(1, UInt64(~value)) }
    }

    public mutating func bytes(_ value: some Collection<UInt8>) {
        item(2, UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    public mutating func text(_ value: String) {
        item(3, UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    public mutating func bool(_ value: Bool) { item(7, value ? 21 : 20) }
    public mutating func null() { item(7, 22) }
    public mutating func undefined() { item(7, 23) }

    /// A simple value by number; 24 to 31 do not exist and count as a mistake.
    public mutating func simple(_ value: UInt8) {
        if (24..<32).contains(value) { fault = .invalidSimple } else { item(7, UInt64(value)) }
    }

    /// A float in the narrowest width that holds it exactly.
    public mutating func float(_ value: Double) {
        let float = CBORFloat(shortest: value)
        begin()
        bytes.append(7 << 5 | (float.width == .half ? 25 : float.width == .single ? 26 : 27))
        big(float.bits, width: Int(float.width.rawValue))
    }

    /// A tag on the item that is written next.
    public mutating func tag(_ number: UInt64) {
        head(6, number)
        isTagPending = true
    }

    public mutating func array(_ body: (inout CBORWriter) -> Void) {
        var inner = CBORWriter()
        body(&inner)
        if let reason = inner.reason(items: nil) { fault = reason }
        item(4, inner.count)
        bytes.append(contentsOf: inner.bytes)
    }

    public mutating func map(_ body: (inout CBORMapWriter) -> Void) {
        var inner = CBORMapWriter()
        body(&inner)
        let entries = inner.entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        if let reason = inner.fault { fault = reason }
        for (one, other) in zip(entries, entries.dropFirst()) where one.key == other.key { fault = .duplicateKey }
        item(5, UInt64(entries.count))
        for entry in entries {
            bytes.append(contentsOf: entry.key)
            bytes.append(contentsOf: entry.value)
        }
    }

    /// A checked item, byte for byte: it stays in the form it came in.
    public mutating func copy(_ value: CBORItem) {
        begin()
        value.withSource { source in source.withUnsafeBytes { bytes.append(contentsOf: $0) } }
    }

    // MARK: Heads

    /// What is wrong so far; `items` is how many there have to be at this level, nil for any number.
    fileprivate func reason(items: UInt64?) -> CBORError.Reason? {
        if let fault { return fault }
        return isTagPending || (items != nil && items != count) ? .incomplete : nil
    }

    private mutating func begin() {
        count += 1
        isTagPending = false
    }

    private mutating func item(_ major: UInt8, _ argument: UInt64) {
        begin()
        head(major, argument)
    }

    private mutating func head(_ major: UInt8, _ argument: UInt64) {
        let width = CBORHead.width(of: argument)
        switch width {
        case 0: bytes.append(major << 5 | UInt8(truncatingIfNeeded: argument))
        case 1: bytes.append(major << 5 | 24)
        case 2: bytes.append(major << 5 | 25)
        case 4: bytes.append(major << 5 | 26)
        default: bytes.append(major << 5 | 27)
        }
        big(argument, width: width)
    }

    private mutating func big(_ value: UInt64, width: Int) {
        for place in (0..<width).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(place)))) }
    }
}

/// The pairs of a map in any order; the encoding sorts them.
public struct CBORMapWriter {
    fileprivate var entries: [(key: [UInt8], value: [UInt8])] = []
    fileprivate var fault: CBORError.Reason?

    /// A pair whose value is the one item that `value` writes.
    public mutating func entry(_ key: Int64, _ value: (inout CBORWriter) -> Void) {
        add({ $0.integer(key) }, value)
    }

    /// A pair whose value is the one item that `value` writes.
    public mutating func entry(_ key: String, _ value: (inout CBORWriter) -> Void) {
        add({ $0.text(key) }, value)
    }

    private mutating func add(_ key: (inout CBORWriter) -> Void, _ value: (inout CBORWriter) -> Void) {
        do throws(CBORError) {
            entries.append((key: try CBORWriter.encode(key), value: try CBORWriter.encode(value)))
        } catch {
            fault = error.reason
        }
    }
}
