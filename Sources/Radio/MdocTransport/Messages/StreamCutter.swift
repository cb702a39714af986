import Bluetooth

/// Cuts a message into pieces for a channel: its length in four octets, most significant first, then the message; where one piece ends and
/// the next begins means nothing (mdoc.md section 2.4).
public struct StreamCutter: Sendable {
    /// Octets that were taken, those of the length included.
    public private(set) var position = 0
    private var total = 0
    private var offered = 0

    public init() {}

    /// The whole message was taken, or none was begun.
    public var isDone: Bool { position >= total }

    /// Begins a message of `count` octets.
    public mutating func begin(_ count: Int) {
        self = StreamCutter()
        total = MessageSize.lengthPrefix + count
    }

    /// Replaces `piece` by the next octets of `message`; false, and nothing offered, once all were taken.
    public mutating func offer(_ message: borrowing Span<UInt8>, into piece: inout AttributeValue) -> Bool {
        guard !isDone, total == MessageSize.lengthPrefix + message.count else { return false }
        let length = UInt32(truncatingIfNeeded: message.count)
        piece.removeAll()
        var index = position
        while index < MessageSize.lengthPrefix {
            piece.append(UInt8(truncatingIfNeeded: length >> UInt32(8 * (MessageSize.lengthPrefix - 1 - index))))
            index += 1
        }
        piece.appendPrefix(message.extracting(index - MessageSize.lengthPrefix..<message.count))
        offered = piece.count
        return true
    }

    /// `count` octets of what was offered last are on their way; the others are offered again.
    public mutating func take(_ count: Int) {
        position += max(0, min(count, offered))
        offered = 0
    }
}
