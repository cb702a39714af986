import Bluetooth

/// The message that goes out, the invitation or the answer, in memory that is lent: cut into pieces, each of them offered until it is
/// confirmed.
struct Outbox: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0
    /// The most octets that were ever in use since the memory was wiped.
    private var touched = 0
    private var cutter = PieceCutter()
    /// A piece was handed to the link and is not confirmed.
    private(set) var isAwaiting = false

    init(memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    /// The message was confirmed whole, or none was begun.
    var isDone: Bool { cutter.isDone }

    /// Keeps a message in the place of the one before; false, and nothing changed, where it has no octets or does not fit.
    mutating func load(_ message: borrowing Span<UInt8>) -> Bool {
        guard message.count > 0, message.count <= memory.count, let base = memory.baseAddress else { return false }
        message.withUnsafeBytes { octets in
            guard let source = octets.baseAddress else { return }
            base.copyMemory(from: source, byteCount: octets.count)
        }
        count = message.count
        touched = max(touched, count)
        rewind()
        return true
    }

    /// The message is to be said from its beginning.
    mutating func begin() {
        cutter.begin()
        isAwaiting = false
    }

    /// Nothing goes out any more; the message stays for whoever comes next.
    mutating func rewind() {
        cutter = PieceCutter()
        isAwaiting = false
    }

    /// Replaces `value` by the next piece, or by the marker; false where none may go now.
    mutating func offer(mtu: UInt16, into value: inout AttributeValue) -> Bool {
        guard !isAwaiting, !cutter.isDone else { return false }
        let message = UnsafeRawBufferPointer(rebasing: memory[0..<count]).assumingMemoryBound(to: UInt8.self)
        return cutter.offer(message.span, mtu: mtu, into: &value)
    }

    /// What was offered last is on its way.
    mutating func sent() { if !cutter.isDone { isAwaiting = true } }

    /// What was sent last has arrived. False where nothing of this was under way.
    mutating func confirmed() -> Bool {
        guard isAwaiting else { return false }
        isAwaiting = false
        cutter.take()
        return true
    }

    /// Zeros what was said, and forgets it.
    mutating func wipe() {
        if let base = memory.baseAddress, touched > 0 { base.initializeMemory(as: UInt8.self, repeating: 0, count: touched) }
        count = 0
        touched = 0
        rewind()
    }
}
