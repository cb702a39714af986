import Bluetooth

/// Puts what comes out of a channel together to messages, wherever it was cut (mdoc.md section 2.4).
public struct StreamAssembler: Sendable {
    private var length: UInt32 = 0
    /// Octets of the length that have come.
    private var prefix = 0
    /// Octets of the message that are missing, once its length is known.
    private var missing = 0

    public init() {}

    /// Something of a message has come, and not all of it.
    public var isUnderWay: Bool { prefix > 0 }

    /// Takes octets as they come; messages that they end wait in `messages`. Every round takes at least one octet.
    ///
    /// A length is refused as soon as its fourth octet is there: before anybody is told that there is room for more.
    public mutating func accept(_ octets: borrowing Span<UInt8>, into messages: inout MessageBuffer) throws(MessageFault) {
        var position = 0
        while position < octets.count {
            if prefix < MessageSize.lengthPrefix {
                length = length << 8 | UInt32(octets[position])
                prefix += 1
                position += 1
                guard prefix == MessageSize.lengthPrefix else { continue }
                guard length <= UInt32(MessageSize.longest) else { throw .messageTooLong }
                missing = Int(length)
            } else {
                let taken = min(missing, octets.count - position)
                try messages.append(octets.extracting(position..<position + taken))
                missing -= taken
                position += taken
            }
            if missing == 0 {
                try messages.close()
                self = StreamAssembler()
            }
        }
    }
}
