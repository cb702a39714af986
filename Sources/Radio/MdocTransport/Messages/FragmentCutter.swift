import Bluetooth

/// Cuts a message into values: a header, `01` for more follows or `00` for the last, and as much as the link takes (mdoc.md section 2.2).
///
/// A value is offered until it is taken. Where the MTU changes between two offers, the next one is as long as it may be then.
public struct FragmentCutter: Sendable {
    public static var last: UInt8 { 0x00 }
    public static var more: UInt8 { 0x01 }

    /// Octets of the message that were taken.
    public private(set) var position = 0
    /// The whole message was taken, or none was begun.
    public private(set) var isDone = true
    private var offered = 0
    private var offersLast = false

    public init() {}

    /// Begins a message.
    public mutating func begin() {
        self = FragmentCutter()
        isDone = false
    }

    /// Replaces `value` by the next value of `message`; false, and nothing offered, once the last one was taken.
    public mutating func offer(_ message: borrowing Span<UInt8>, mtu: UInt16, into value: inout AttributeValue) -> Bool {
        guard !isDone, position <= message.count else { return false }
        let rest = message.count - position
        offered = min(rest, MessageSize.value(mtu: mtu) - MessageSize.valueHeader)
        offersLast = offered == rest
        value.removeAll()
        value.append(offersLast ? Self.last : Self.more)
        value.append(message.extracting(position..<position + offered))
        return true
    }

    /// The value that was offered last is on its way.
    public mutating func take() {
        position += offered
        offered = 0
        if offersLast { isDone = true }
    }
}
