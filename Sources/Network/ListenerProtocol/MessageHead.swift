/// What gate and listener put before each message: `u32 length of the payload | u16 type | u16 version | u32 number`, little endian.
///
/// There is no recovery: whoever gets a message that breaks a rule ends the other.
public struct MessageHead: Hashable, Sendable {
    /// Octets of the head.
    public static var size: Int { 12 }
    public static var version: UInt16 { 1 }

    /// Octets that follow.
    public var length: UInt32
    public var type: UInt16
    /// Of the request that is brought, or answered; 0 where the message is about none.
    public var number: UInt32

    public init(length: UInt32, type: UInt16, number: UInt32) {
        self.length = length
        self.type = type
        self.number = number
    }

    /// - Parameter octets: the first `size` are read, the rest is not looked at.
    /// - Throws: `cutOff`, `wrongVersion`.
    init(decoding octets: borrowing Span<UInt8>) throws(ListenerError) {
        guard octets.count >= Self.size else { throw .cutOff }
        length = Little.word(octets, 0)
        type = Little.half(octets, 4)
        number = Little.word(octets, 8)
        guard Little.half(octets, 6) == Self.version else { throw .wrongVersion }
    }

    var octets: [UInt8] { Little.octets(length) + Little.octets(type) + Little.octets(Self.version) + Little.octets(number) }
}

/// Why a message is none.
public enum ListenerError: Error, Hashable, Sendable {
    /// Fewer octets than a head.
    case cutOff
    case wrongVersion
    case unknownType
    /// A payload that is not as long as its type or its own numbers say.
    case wrongLength
    /// The number of no request, or of one that is under way.
    case wrongNumber
    /// A value that has no meaning.
    case wrongValue
    /// Something before the first word, or that word twice.
    case outOfTurn
}

/// Numbers as octets, the least significant first. What lies beyond the end is 0: lengths are compared before.
enum Little {
    static func octet(_ octets: borrowing Span<UInt8>, _ index: Int) -> UInt8 { index < octets.count ? octets[index] : 0 }

    static func half(_ octets: borrowing Span<UInt8>, _ index: Int) -> UInt16 {
        UInt16(octet(octets, index)) | UInt16(octet(octets, index + 1)) << 8
    }

    static func word(_ octets: borrowing Span<UInt8>, _ index: Int) -> UInt32 {
        UInt32(half(octets, index)) | UInt32(half(octets, index + 2)) << 16
    }

    static func octets(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }
    static func octets(_ value: UInt32) -> [UInt8] {
        octets(UInt16(truncatingIfNeeded: value)) + octets(UInt16(truncatingIfNeeded: value >> 16))
    }
}
