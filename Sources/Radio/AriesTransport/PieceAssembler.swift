import Bluetooth

/// Puts what a wallet writes together to its one message, in memory that is lent (aries.md section 1).
///
/// There is no length, no number and no checksum: requests are answered one by one, so order and completeness come with the link. A long
/// write is one value here, whatever it was prepared in.
public struct PieceAssembler: ~Copyable {
    /// What a value was.
    public enum Outcome: UInt8, Hashable, Sendable {
        /// A piece of the message.
        case piece
        /// The marker behind it: the message is whole.
        case message
        /// Another marker behind a whole message, which some wallets send.
        case repeatedMarker
        /// A piece of a second message, or its marker. The visit has its message: this is counted and dropped.
        case dropped
    }

    private let memory: UnsafeMutableRawBufferPointer
    /// Octets of the message so far.
    public private(set) var count = 0
    /// The marker came: nothing is taken any more.
    public private(set) var isWhole = false
    private var fault: PieceFault?
    /// Something of a second message came, so that a marker ends that.
    private var isBehind = false

    /// - Parameter memory: `PieceSize.longest` octets, or fewer: then a message has at most as many. It outlives the assembler and is
    ///   nobody else's.
    public init(memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    /// Takes one written value. After a fault every value is refused with the same.
    public mutating func accept(_ value: borrowing Span<UInt8>) throws(PieceFault) -> Outcome {
        if let fault { throw fault }
        do throws(PieceFault) {
            return try take(value)
        } catch {
            fault = error
            throw error
        }
    }

    private mutating func take(_ value: borrowing Span<UInt8>) throws(PieceFault) -> Outcome {
        guard value.count > 0, value.count <= PieceSize.longestValue else { throw .valueLength }
        let isMarker = EndMarker.matches(value)
        guard !isWhole else { return behind(isMarker) }
        if isMarker {
            guard count > 0 else { throw .emptyMessage }
            isWhole = true
            return .message
        }
        guard value.count <= min(memory.count, PieceSize.longest) - count else { throw .messageTooLarge }
        value.withUnsafeBytes { octets in
            guard let source = octets.baseAddress, let base = memory.baseAddress else { return }
            (base + count).copyMemory(from: source, byteCount: octets.count)
        }
        count += value.count
        return .piece
    }

    /// After the message.
    private mutating func behind(_ isMarker: Bool) -> Outcome {
        guard isMarker else {
            isBehind = true
            return .dropped
        }
        guard isBehind else { return .repeatedMarker }
        isBehind = false
        return .dropped
    }

    /// Lends the message; nil before it is whole.
    public borrowing func withMessage<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        guard isWhole else { return nil }
        return body(UnsafeRawBufferPointer(rebasing: memory[0..<count]).assumingMemoryBound(to: UInt8.self).span)
    }

    /// Overwrites what came with zeros and begins again.
    public mutating func wipe() {
        if let base = memory.baseAddress, count > 0 { base.initializeMemory(as: UInt8.self, repeating: 0, count: count) }
        count = 0
        isWhole = false
        fault = nil
        isBehind = false
    }
}
