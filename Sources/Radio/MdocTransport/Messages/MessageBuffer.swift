import Bluetooth

/// Whole messages in the order they came, and behind them the one under way, in memory that is lent once.
///
/// A phone that has answered may add a status before anybody has looked at its answer; nothing of either is lost.
public struct MessageBuffer: ~Copyable {
    /// Whole messages that wait. An answer and a status are two; four more than an honest phone ever has.
    public static var mostWaiting: Int { 6 }

    private let memory: UnsafeMutableRawBufferPointer
    private var lengths = InlineArray<6, Int>(repeating: 0)
    /// Whole messages that nobody has taken.
    public private(set) var waiting = 0
    /// Octets of them, from the start of the memory.
    private var whole = 0
    /// Octets in use, those of the message under way included.
    private var used = 0
    /// The most octets that were ever in use since the memory was wiped.
    private var touched = 0

    /// - Parameter memory: `MessageSize.buffer` octets, or fewer: then a message has at most as many. It outlives the buffer and is
    ///   nobody else's.
    public init(memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    /// Octets that still fit.
    public var room: Int { memory.count - used }
    /// Octets of the message under way.
    public var underWay: Int { used - whole }
    /// Octets of the oldest message that waits, or nil.
    public var first: Int? { waiting > 0 ? lengths[0] : nil }

    /// Appends to the message under way; nothing is appended where it does not fit.
    public mutating func append(_ octets: borrowing Span<UInt8>) throws(MessageFault) {
        guard octets.count <= MessageSize.longest - underWay else { throw .messageTooLong }
        guard octets.count <= room else { throw waiting > 0 ? .tooManyMessages : .messageTooLong }
        octets.withUnsafeBytes { from in
            guard let source = from.baseAddress, let base = memory.baseAddress else { return }
            (base + used).copyMemory(from: source, byteCount: from.count)
        }
        used += octets.count
        touched = max(touched, used)
    }

    /// The message under way is whole.
    public mutating func close() throws(MessageFault) {
        guard waiting < Self.mostWaiting else { throw .tooManyMessages }
        lengths[waiting] = underWay
        waiting += 1
        whole = used
    }

    /// Lends the oldest message; nil when there is none.
    public func withFirst<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        guard let first else { return nil }
        return body(UnsafeRawBufferPointer(rebasing: memory[0..<first]).assumingMemoryBound(to: UInt8.self).span)
    }

    /// Forgets the oldest message and zeros its octets; what came behind it moves up.
    public mutating func removeFirst() {
        guard let first else { return }
        let rest = used - first
        if rest > 0, let base = memory.baseAddress { base.copyMemory(from: base + first, byteCount: rest) }
        for index in 1..<Self.mostWaiting { lengths[index - 1] = lengths[index] }
        waiting -= 1
        whole -= first
        zero(rest..<used)
        used = rest
    }

    /// Forgets the message under way and zeros its octets; nothing of it will follow.
    public mutating func abandon() {
        zero(whole..<used)
        used = whole
    }

    /// Zeros all that ever came, and forgets it.
    public mutating func wipe() {
        zero(0..<touched)
        waiting = 0
        whole = 0
        used = 0
        touched = 0
    }

    private func zero(_ octets: Range<Int>) {
        guard !octets.isEmpty, let base = memory.baseAddress else { return }
        (base + octets.lowerBound).initializeMemory(as: UInt8.self, repeating: 0, count: octets.count)
    }
}
