/// Whose face a picture shows. The numbers are the plug-in interface's.
public enum FaceRole: UInt32, Hashable, Sendable, CaseIterable {
    /// The photo in the credential.
    case reference = 0
    /// A frame of the camera.
    case probe = 1
}

/// What the gate asks a worker for.
public enum WorkerRequest: Hashable, Sendable {
    /// A template of a reference, which the worker keeps; or of a probe, compared with it and wiped.
    case picture(FaceRole, PictureHeader)
    /// Whatever code is in it.
    case codes(PictureHeader)
    /// Everything that is kept between two pictures wiped.
    case forget

    private enum Kind {
        static let reference: UInt16 = 1
        static let probe: UInt16 = 2
        static let forget: UInt16 = 3
        static let codes: UInt16 = 4
    }

    /// Octets before those of the picture, with the frame's header.
    public static let mostHead = MessageHeader.size + PictureHeader.size

    /// The type its reply has.
    public var replyType: UInt16 {
        switch self {
        case .picture(.reference, _): WorkerReply.Kind.reference
        case .picture(.probe, _): WorkerReply.Kind.probe
        case .codes: WorkerReply.Kind.reading
        case .forget: WorkerReply.Kind.forgotten
        }
    }

    private var type: UInt16 {
        switch self {
        case .picture(.reference, _): Kind.reference
        case .picture(.probe, _): Kind.probe
        case .codes: Kind.codes
        case .forget: Kind.forget
        }
    }

    /// What its octets are, where a picture belongs to it.
    public var picture: PictureHeader? {
        switch self {
        case .picture(_, let picture), .codes(let picture): picture
        case .forget: nil
        }
    }

    /// Puts everything but the picture's own octets at the beginning of `octets`, which has room for `mostHead`.
    ///
    /// - Parameter count: how many octets of a picture follow.
    /// - Returns: how many octets were put.
    /// - Throws: `tooLong`, `badPicture`, `wrongLength`, as the other end would.
    public func encode(request: UInt32, count: Int, into octets: inout MutableSpan<UInt8>) throws(MessageError) -> Int {
        guard let picture else {
            MessageHeader(length: 0, type: type, request: request).encode(into: &octets)
            return MessageHeader.size
        }
        guard count <= MessageHeader.mostPayload - PictureHeader.size else { throw .tooLong }
        try picture.check(count: count)
        MessageHeader(length: UInt32(PictureHeader.size + count), type: type, request: request).encode(into: &octets)
        picture.encode(at: MessageHeader.size, into: &octets)
        return Self.mostHead
    }

    /// Reads a request; the picture's octets are the payload's from `PictureHeader.size` on.
    ///
    /// - Parameter payload: exactly what follows the header.
    public init(_ frame: MessageHeader, decoding payload: borrowing Span<UInt8>) throws(MessageError) {
        guard payload.count == Int(frame.length) else { throw .wrongLength }
        switch frame.type {
        case Kind.reference: self = .picture(.reference, try PictureHeader(decoding: payload))
        case Kind.probe: self = .picture(.probe, try PictureHeader(decoding: payload))
        case Kind.codes: self = .codes(try PictureHeader(decoding: payload))
        case Kind.forget where payload.count == 0: self = .forget
        case Kind.forget: throw .wrongLength
        default: throw .unknownType
        }
    }
}

/// What goes before the octets of a picture: `u16 format | u16 0 | u32 width | u32 height | u32 stride | u64 captured | u32 sequence`.
public struct PictureHeader: Hashable, Sendable {
    /// Octets of it.
    public static let size = 28
    /// Pixels a side of a picture may have at most.
    public static let mostPixels: UInt32 = 8192

    public var format: PictureFormat
    /// Pixels; 0 where the picture says it itself.
    public var width: UInt32
    public var height: UInt32
    /// Octets from one line to the next; 0 where the picture is encoded.
    public var stride: UInt32
    /// Nanoseconds of the monotonic clock.
    public var captured: UInt64
    public var sequence: UInt32

    public init(
        format: PictureFormat, width: UInt32 = 0, height: UInt32 = 0, stride: UInt32 = 0, captured: UInt64 = 0, sequence: UInt32 = 0
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.stride = stride
        self.captured = captured
        self.sequence = sequence
    }

    /// - Throws: `badPicture`, `wrongLength`.
    fileprivate func check(count: Int) throws(MessageError) {
        guard width <= Self.mostPixels, height <= Self.mostPixels else { throw .badPicture }
        switch format {
        case .jpeg, .png:
            guard stride == 0 else { throw .badPicture }
            guard count > 0 else { throw .wrongLength }
        case .rgb24, .yuyv:
            // Two pixels of YUYV share their colour.
            guard width > 0, height > 0, format != .yuyv || width % 2 == 0 else { throw .badPicture }
            guard stride >= width * (format == .rgb24 ? 3 : 2), stride <= Self.mostPixels * 4 else { throw .badPicture }
            guard count == Int(stride) * Int(height) else { throw .wrongLength }
        }
    }

    fileprivate func encode(at start: Int, into octets: inout MutableSpan<UInt8>) {
        var writer = OctetWriter(at: start)
        writer.little16(format.rawValue, &octets)
        writer.little16(0, &octets)
        for number in [width, height, stride] { writer.little32(number, &octets) }
        writer.little64(captured, &octets)
        writer.little32(sequence, &octets)
    }

    fileprivate init(decoding payload: borrowing Span<UInt8>) throws(MessageError) {
        var reader = OctetReader()
        let format = PictureFormat(rawValue: reader.little16(payload)), reserved = reader.little16(payload)
        width = reader.little32(payload)
        height = reader.little32(payload)
        stride = reader.little32(payload)
        captured = reader.little64(payload)
        sequence = reader.little32(payload)
        guard !reader.isPastEnd else { throw .wrongLength }
        guard let format, reserved == 0 else { throw .badPicture }
        self.format = format
        try check(count: payload.count - Self.size)
    }
}

/// How the octets of a picture are to be read. The numbers travel in the worker's protocol.
public enum PictureFormat: UInt16, Hashable, Sendable {
    /// Three octets a pixel, red first.
    case rgb24 = 1
    /// Four octets for two pixels: Y, U, Y, V (ITU-R BT.601, as V4L2_PIX_FMT_YUYV).
    case yuyv = 3
    case jpeg = 16
    case png = 17
}
