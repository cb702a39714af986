/// What the server remembers of its client, all of it gone with the link.
struct ClientState: ~Copyable {
    /// The link's: ATT has one bearer, and an attribute client of ours has the same MTU.
    var mtu = AttributeServer.defaultMTU
    /// An indication was sent and not confirmed.
    var isAwaitingConfirmation = false
    var queue = PrepareQueue()
    private var configurations = InlineArray<32, UInt8>(repeating: 0)

    init() {}

    mutating func reset() {
        mtu = AttributeServer.defaultMTU
        isAwaitingConfirmation = false
        queue.wipe()
        for index in 0..<configurations.count { configurations[index] = 0 }
    }

    /// The configuration bits of a slot: bit 0 notifications, bit 1 indications.
    func configuration(_ slot: UInt8) -> UInt16 {
        Int(slot) < configurations.count ? UInt16(configurations[Int(slot)]) : 0
    }

    mutating func configure(_ slot: UInt8, _ bits: UInt16) {
        if Int(slot) < configurations.count { configurations[Int(slot)] = UInt8(truncatingIfNeeded: bits) }
    }
}

/// Prepared writes waiting for their execution: handle, offset and octets of each, in the order received.
struct PrepareQueue: ~Copyable {
    /// Room for a 512-octet value in fragments of any size, in any mixture with others.
    private var octets = OctetBuffer<768>()
    /// Where the last entry begins.
    private var last = 0

    struct Entry {
        var handle: UInt16
        var offset: UInt16
        /// Where the entry's octets lie in the queue.
        var start: Int
        var count: Int
        /// Where the next entry begins.
        var next: Int
    }

    init() {}

    mutating func wipe() {
        octets.wipe()
        last = 0
    }

    /// False when the queue is full. A fragment that continues the one before it becomes part of that: however small a client cuts a value,
    /// the queue has room for it.
    mutating func append(handle: UInt16, offset: UInt16, _ value: borrowing Span<UInt8>) -> Bool {
        if value.count > 0, let before = entry(at: last), before.handle == handle, Int(before.offset) + before.count == Int(offset) {
            let count = before.count + value.count
            guard octets.append(value) else { return false }
            octets.set(UInt8(truncatingIfNeeded: count), at: last + 4)
            octets.set(UInt8(truncatingIfNeeded: count >> 8), at: last + 5)
            return true
        }
        guard octets.room >= 6 + value.count else { return false }
        last = octets.count
        octets.append(littleEndian: handle)
        octets.append(littleEndian: offset)
        octets.append(littleEndian: UInt16(truncatingIfNeeded: value.count))
        return octets.append(value)
    }

    /// The entry that begins at `position`, or nil behind the last.
    mutating func entry(at position: Int) -> Entry? {
        let filled = octets.storage.span.extracting(0..<octets.count)
        guard let handle = filled.littleEndian16(at: position), let offset = filled.littleEndian16(at: position + 2),
            let count = filled.littleEndian16(at: position + 4)
        else { return nil }
        let start = position + 6
        return Entry(handle: handle, offset: offset, start: start, count: Int(count), next: start + Int(count))
    }

    /// Writes an entry's octets into `value` at the entry's offset.
    mutating func apply(_ entry: Entry, to value: inout AttributeValue) -> ATTError? {
        guard Int(entry.offset) <= value.count else { return .invalidOffset }
        let filled = octets.storage.span.extracting(0..<octets.count)
        guard entry.next <= filled.count else { return .unlikely }
        guard value.write(filled.extracting(entry.start..<entry.next), at: Int(entry.offset)) else { return .invalidValueLength }
        return nil
    }
}
