/// How much a message may be, in octets (mdoc.md sections 2.2 and 2.4).
public enum MessageSize {
    /// The longest message from a phone: 256 KiB. A document with a portrait has 2 to 60 kB.
    public static var longest: Int { 256 << 10 }
    /// What may come behind a message that nobody has taken yet: a status of a few octets, never a second document.
    public static var behind: Int { 4 << 10 }
    /// The memory that a `MessageBuffer` is lent.
    public static var buffer: Int { longest + behind }
    /// The longest message to a phone: a request that is signed has about 4 kB, most of it certificates.
    public static var longestRequest: Int { 16 << 10 }
    /// The longest last word: a status, which has nine.
    public static var longestWord: Int { 64 }
    /// The longest attribute value (Core Vol 3 Part F 3.2.9); Android cuts longer ones.
    public static var longestValue: Int { 512 }
    /// Octets of a value before its payload: the header.
    public static var valueHeader: Int { 1 }
    /// Octets of a channel's length before each message.
    public static var lengthPrefix: Int { 4 }

    /// The longest value on a link of that ATT MTU: `min(MTU - 3, 512)`; no MTU is below 23 (Core Vol 3 Part G 5.2.1).
    public static func value(mtu: UInt16) -> Int { min(Int(max(mtu, 23)) - 3, longestValue) }
}
