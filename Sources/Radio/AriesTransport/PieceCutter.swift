import Bluetooth

/// Cuts a message into pieces for indications, and puts the end marker behind them (aries.md section 1).
///
/// A value is offered until it is taken, which is when its confirmation came. Where the MTU changes between two offers, the next one is as
/// long as it may be then.
public struct PieceCutter: Sendable {
    /// Octets of the message that were taken.
    public private(set) var position = 0
    /// The whole message and its marker were taken, or none was begun.
    public private(set) var isDone = true
    private var offered = 0
    private var offersMarker = false

    public init() {}

    /// Begins a message.
    public mutating func begin() {
        self = PieceCutter()
        isDone = false
    }

    /// Replaces `value` by the next piece of `message`, or by the marker behind the last; false, and nothing offered, once that was taken.
    public mutating func offer(_ message: borrowing Span<UInt8>, mtu: UInt16, into value: inout AttributeValue) -> Bool {
        guard !isDone, position <= message.count else { return false }
        value.removeAll()
        offered = min(message.count - position, PieceSize.piece(mtu: mtu))
        offersMarker = offered == 0
        if offersMarker {
            let marker = EndMarker.octets
            return value.append(marker.span)
        }
        return value.append(message.extracting(position..<position + offered))
    }

    /// The value that was offered last has arrived.
    public mutating func take() {
        position += offered
        offered = 0
        if offersMarker { isDone = true }
    }
}
