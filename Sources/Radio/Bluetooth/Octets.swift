/// A fixed buffer of octets with a fill count: no allocation, and no write past `limit`.
///
/// What is on the way of every packet is inlined here and in the host: a third of an answer's time was calls.
public struct OctetBuffer<let capacity: Int>: ~Copyable {
    public var storage = InlineArray<capacity, UInt8>(repeating: 0)
    public private(set) var count = 0
    /// The most octets the buffer takes now; at most `capacity`.
    public private(set) var limit = capacity

    public init() {}

    public var isEmpty: Bool { count == 0 }
    /// Octets that still fit.
    public var room: Int { limit - count }

    /// Empties the buffer and sets how much it may take.
    @inline(__always)
    public mutating func removeAll(limit newLimit: Int = capacity) {
        count = 0
        limit = max(0, min(newLimit, capacity))
    }

    /// Drops everything behind the first `newCount` octets.
    public mutating func truncate(to newCount: Int) {
        if newCount >= 0, newCount < count { count = newCount }
    }

    /// Appends one octet; false, and nothing changed, when it does not fit.
    @discardableResult
    @inline(__always)
    public mutating func append(_ octet: UInt8) -> Bool {
        guard count < limit else { return false }
        storage[count] = octet
        count += 1
        return true
    }

    /// Appends a 16-bit value, least significant octet first.
    @discardableResult
    @inline(__always)
    public mutating func append(littleEndian value: UInt16) -> Bool {
        guard room >= 2 else { return false }
        storage[count] = UInt8(truncatingIfNeeded: value)
        storage[count + 1] = UInt8(truncatingIfNeeded: value >> 8)
        count += 2
        return true
    }

    /// Appends all of `octets`; false, and nothing changed, when they do not fit.
    @discardableResult
    public mutating func append(_ octets: borrowing Span<UInt8>) -> Bool {
        let added = octets.count
        guard added <= room else { return false }
        copy(octets, added)
        return true
    }

    /// Appends as much of `octets` as fits, at most `most`; returns how much that was.
    @discardableResult
    @inline(__always)
    public mutating func appendPrefix(_ octets: borrowing Span<UInt8>, most: Int = .max) -> Int {
        let added = min(min(octets.count, room), max(0, most))
        copy(octets, added)
        return added
    }

    /// Replaces octets from `offset`, growing the buffer when they reach past its end.
    /// False, and nothing changed, when `offset` lies behind the end or they do not fit.
    public mutating func write(_ octets: borrowing Span<UInt8>, at offset: Int) -> Bool {
        guard offset >= 0, offset <= count, octets.count <= limit - offset else { return false }
        let end = max(count, offset + octets.count)
        count = offset
        copy(octets, octets.count)
        count = end
        return true
    }

    /// Overwrites one octet that is already there.
    public mutating func set(_ octet: UInt8, at offset: Int) {
        if offset >= 0, offset < count { storage[offset] = octet }
    }

    /// Overwrites the whole storage with zeros and empties the buffer.
    public mutating func wipe() {
        for index in 0..<capacity { storage[index] = 0 }
        count = 0
    }

    /// Replaces everything by `head` and `body`; false, and nothing changed, when they do not fit.
    @discardableResult
    @inline(__always)
    mutating func fill<let size: Int>(_ head: InlineArray<size, UInt8>, _ body: borrowing Span<UInt8>) -> Bool {
        guard size + body.count <= capacity else { return false }
        for index in 0..<size { storage[index] = head[index] }
        count = size
        limit = capacity
        copy(body, body.count)
        return true
    }

    /// The octets, where they lie: for whoever owns the buffer in memory that does not move, until it is changed.
    mutating func lend() -> UnsafeBufferPointer<UInt8> {
        let count = count
        var octets = storage.mutableSpan
        return octets.withUnsafeMutableBufferPointer { UnsafeBufferPointer(rebasing: $0[..<count]) }
    }

    @inline(__always)
    private mutating func copy(_ octets: borrowing Span<UInt8>, _ added: Int) {
        guard added > 0 else { return }
        let start = count
        octets.withUnsafeBufferPointer { source in
            var target = storage.mutableSpan
            target.withUnsafeMutableBufferPointer { target in
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                (to + start).update(from: from, count: added)
            }
        }
        count += added
    }
}

extension UInt16 {
    var low: UInt8 { UInt8(truncatingIfNeeded: self) }
    var high: UInt8 { UInt8(truncatingIfNeeded: self >> 8) }
}

extension Span where Element == UInt8 {
    /// The octet at `offset`, or nil behind the end.
    @inlinable
    public func octet(at offset: Int) -> UInt8? {
        offset >= 0 && offset < count ? self[offset] : nil
    }

    /// The 16-bit value at `offset`, least significant octet first, or nil when it is cut off.
    @inlinable
    public func littleEndian16(at offset: Int) -> UInt16? {
        guard offset >= 0, count >= 2, offset <= count - 2 else { return nil }
        return UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
    }

    /// The 64-bit value at `offset`, least significant octet first, or nil when it is cut off.
    @inlinable
    public func littleEndian64(at offset: Int) -> UInt64? {
        guard offset >= 0, count >= 8, offset <= count - 8 else { return nil }
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(self[offset + index]) << UInt64(8 * index) }
        return value
    }
}
