/// Decoders as closures: the shape of the closure is the shape of the structure, and what it leaves over is an error.
extension CBORItem {
    /// Decodes an array. `body` takes every element; throws `wrongType` for another type, `leftover` for elements that were not taken.
    public func array<Result>(_ body: (inout CBORElements) throws(CBORError) -> Result) throws(CBORError) -> Result {
        guard let elements else { throw fault(.wrongType) }
        var rest = CBORElements(elements, end: Int(node.end))
        let result = try body(&rest)
        if let element = rest.next { throw element.fault(.leftover) }
        return result
    }

    /// Decodes a map. `body` takes every key or says that it ignores the others; throws `wrongType` for another type, `leftover` for keys
    /// that were not taken.
    public func map<Result>(_ body: (inout CBOREntries) throws(CBORError) -> Result) throws(CBORError) -> Result {
        guard let pairs else { throw fault(.wrongType) }
        var rest = CBOREntries(pairs, end: Int(node.end))
        let result = try body(&rest)
        if let pair = rest.left.first { throw pair.key.fault(.leftover) }
        return result
    }

    /// The value that `accessor` finds, for example `\.uint64`; throws `wrongType` where it finds none.
    public func require<Value>(_ accessor: (CBORItem) -> Value?) throws(CBORError) -> Value {
        guard let value = accessor(self) else { throw fault(.wrongType) }
        return value
    }

    /// An error at this item.
    public func fault(_ reason: CBORError.Reason) -> CBORError { CBORError(reason, at: Int(node.start)) }
}

/// The elements of an array that a decoder has not taken yet.
public struct CBORElements {
    private var items: ArraySlice<CBORItem>
    private let end: Int

    init(_ items: [CBORItem], end: Int) {
        self.items = items[...]
        self.end = end
    }

    /// The element that `take` gives next; nil at the end.
    public var next: CBORItem? { items.first }

    public var count: Int { items.count }

    /// The next element; throws `missing` at the end.
    public mutating func take() throws(CBORError) -> CBORItem {
        guard let item = items.popFirst() else { throw CBORError(.missing, at: end) }
        return item
    }
}

/// The pairs of a map that a decoder has not taken yet.
public struct CBOREntries {
    fileprivate(set) var left: [CBORPair]
    private let end: Int

    init(_ pairs: [CBORPair], end: Int) {
        left = pairs
        self.end = end
    }

    /// The value of an integer key; nil when there is none.
    public mutating func take(_ key: Int64) -> CBORItem? { take { $0.int64 == key } }

    /// The value of a text key; nil when there is none.
    public mutating func take(_ key: String) -> CBORItem? { take { $0.isText(key) } }

    /// The value of an integer key; throws `missing` when there is none.
    public mutating func require(_ key: Int64) throws(CBORError) -> CBORItem {
        guard let value = take(key) else { throw CBORError(.missing, at: end) }
        return value
    }

    /// The value of a text key; throws `missing` when there is none.
    public mutating func require(_ key: String) throws(CBORError) -> CBORItem {
        guard let value = take(key) else { throw CBORError(.missing, at: end) }
        return value
    }

    /// All that is left, in the order of the bytes.
    public mutating func takeAll() -> [CBORPair] {
        defer { left = [] }
        return left
    }

    /// The other keys are none of this decoder's business.
    public mutating func ignoreOthers() { left = [] }

    private mutating func take(where matches: (CBORItem) -> Bool) -> CBORItem? {
        guard let index = left.firstIndex(where: { matches($0.key) }) else { return nil }
        return left.remove(at: index).value
    }
}
