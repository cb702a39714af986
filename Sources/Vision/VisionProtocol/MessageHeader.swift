/// What both ends of the worker's pipe put before each message: `u32 length of payload | u16 type | u16 version | u32 request`, little
/// endian.
///
/// There is no recovery: whoever gets a message that breaks a rule ends the worker.
public struct MessageHeader: Hashable, Sendable {
    /// Octets of the header.
    public static let size = 12
    public static let version: UInt16 = 1
    /// The longest payload, in octets.
    public static let mostPayload = 4 << 20

    /// Octets that follow.
    public var length: UInt32
    /// A request below 0x8000, a reply from there on.
    public var type: UInt16
    /// Which request it is, or answers; 0 for what nobody asked for.
    public var request: UInt32

    public init(length: UInt32, type: UInt16, request: UInt32) {
        self.length = length
        self.type = type
        self.request = request
    }

    /// - Parameter octets: the first `size` are read, the rest is not looked at.
    /// - Throws: `wrongVersion`, `tooLong`, `cutOff` where there are fewer octets.
    public init(decoding octets: borrowing Span<UInt8>) throws(MessageError) {
        var reader = OctetReader()
        length = reader.little32(octets)
        type = reader.little16(octets)
        let version = reader.little16(octets)
        request = reader.little32(octets)
        guard !reader.isPastEnd else { throw .cutOff }
        guard version == Self.version else { throw .wrongVersion }
        guard length <= UInt32(Self.mostPayload) else { throw .tooLong }
    }

    /// Puts the header at the beginning of `octets`.
    func encode(into octets: inout MutableSpan<UInt8>) {
        var writer = OctetWriter()
        writer.little32(length, &octets)
        writer.little16(type, &octets)
        writer.little16(Self.version, &octets)
        writer.little32(request, &octets)
    }
}

/// Why a message of the worker's pipe is none.
public enum MessageError: Error, Hashable, Sendable {
    /// Fewer octets than a header.
    case cutOff
    case wrongVersion
    /// A payload longer than any may be.
    case tooLong
    case unknownType
    /// A payload that is not as long as its type or its own numbers say.
    case wrongLength
    /// A format or measures that no picture has.
    case badPicture
    /// A name that is no name, a version of other characters, a hash that is none.
    case badIdentity
    /// A code that is none.
    case badStatus
    /// A number that cannot be: not a number, or outside what it measures.
    case badNumber
    /// An answer to another request, or of another type than was asked for.
    case notAsked
}

/// How a worker ends itself; other codes are the plug-in's or the system's.
public enum WorkerExit: Int32, Sendable {
    /// It was not started as it has to be.
    case usage = 64
    /// It could not open its plug-in, and said so.
    case notOpened = 65
    /// It could not give up what it has to give up.
    case notConfined = 66
    /// The plug-in wrote behind the end of a buffer.
    case overran = 67
    /// The gate sent what it never sends.
    case badRequest = 68
    /// The gate is gone.
    case channelClosed = 69
    /// No memory for its buffers.
    case noMemory = 70
}

/// Takes numbers out of octets, little endian, one after the other. Past the end it stays at the end and remembers; the octets come with
/// each call, since a value cannot keep a span.
struct OctetReader {
    private(set) var position = 0
    /// Whether more was taken than there is; everything taken is 0 then.
    private(set) var isPastEnd = false

    mutating func octet(_ octets: borrowing Span<UInt8>) -> UInt8 {
        guard position < octets.count else {
            isPastEnd = true
            return 0
        }
        defer { position += 1 }
        return octets[position]
    }

    mutating func little16(_ octets: borrowing Span<UInt8>) -> UInt16 {
        UInt16(octet(octets)) | UInt16(octet(octets)) << 8
    }

    mutating func little32(_ octets: borrowing Span<UInt8>) -> UInt32 {
        UInt32(little16(octets)) | UInt32(little16(octets)) << 16
    }

    mutating func little64(_ octets: borrowing Span<UInt8>) -> UInt64 {
        UInt64(little32(octets)) | UInt64(little32(octets)) << 32
    }

    mutating func float(_ octets: borrowing Span<UInt8>) -> Float { Float(bitPattern: little32(octets)) }
    mutating func double(_ octets: borrowing Span<UInt8>) -> Double { Double(bitPattern: little64(octets)) }

    /// So many octets as text; nil where one is not allowed.
    mutating func text(_ octets: borrowing Span<UInt8>, count: Int, where isAllowed: (UInt8) -> Bool) -> String? {
        var text: [UInt8] = []
        for _ in 0..<count {
            let octet = octet(octets)
            guard isAllowed(octet) else { return nil }
            text.append(octet)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Everything was taken and nothing more.
    func isAtEnd(_ octets: borrowing Span<UInt8>) -> Bool { !isPastEnd && position == octets.count }
}

/// Puts numbers into octets, little endian. What does not fit is left out, and remembered.
struct OctetWriter {
    private(set) var position: Int
    private(set) var isPastEnd = false

    init(at position: Int = 0) {
        self.position = position
    }

    mutating func octet(_ value: UInt8, _ octets: inout MutableSpan<UInt8>) {
        guard position >= 0, position < octets.count else {
            isPastEnd = true
            return
        }
        octets[position] = value
        position += 1
    }

    mutating func little16(_ value: UInt16, _ octets: inout MutableSpan<UInt8>) {
        octet(UInt8(truncatingIfNeeded: value), &octets)
        octet(UInt8(truncatingIfNeeded: value >> 8), &octets)
    }

    mutating func little32(_ value: UInt32, _ octets: inout MutableSpan<UInt8>) {
        little16(UInt16(truncatingIfNeeded: value), &octets)
        little16(UInt16(truncatingIfNeeded: value >> 16), &octets)
    }

    mutating func little64(_ value: UInt64, _ octets: inout MutableSpan<UInt8>) {
        little32(UInt32(truncatingIfNeeded: value), &octets)
        little32(UInt32(truncatingIfNeeded: value >> 32), &octets)
    }

    mutating func float(_ value: Float, _ octets: inout MutableSpan<UInt8>) { little32(value.bitPattern, &octets) }
    mutating func double(_ value: Double, _ octets: inout MutableSpan<UInt8>) { little64(value.bitPattern, &octets) }

    mutating func text(_ text: String, _ octets: inout MutableSpan<UInt8>) {
        for unit in text.utf8 { octet(unit, &octets) }
    }
}
