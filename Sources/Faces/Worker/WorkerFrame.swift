/// What both ends of the worker's pipe put before each message: `u32 length of payload | u16 type | u16 version | u32 request`, little endian.
///
/// There is no recovery: whoever gets a message that breaks a rule ends the worker.
public struct WorkerFrame: Hashable, Sendable {
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
    public init(decoding octets: borrowing Span<UInt8>) throws(WorkerMessageError) {
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
public enum WorkerMessageError: Error, Hashable, Sendable {
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
