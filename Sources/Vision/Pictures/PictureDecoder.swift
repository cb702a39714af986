import CJPEG
import CPNG
import VisionProtocol

/// Makes pixels of octets that nobody vouches for. It belongs into a process that may be killed: two libraries in C read the octets.
public struct PictureDecoder: Sendable {
    public var limits: PictureLimits
    /// Pixels the longer side needs: the picture is decoded at 1/2 or 1/4 where it is still as long. 0 for the whole size.
    public var wantedSide: Int

    public init(limits: PictureLimits, wantedSide: Int = 0) {
        self.limits = limits
        self.wantedSide = wantedSide
    }

    /// - Parameters:
    ///   - width, height, stride: of raw pixels; an encoded picture says itself, and these are not looked at. Stride 0 means rows without
    ///   gaps.
    ///   - picture: gets colours, or grey, as it was made for; empty after an error.
    public func decode(
        _ octets: UnsafeRawBufferPointer, as format: PictureFormat, width: Int = 0, height: Int = 0, stride: Int = 0, into picture: Picture
    ) throws(PictureError) {
        picture.wipe()
        switch format {
        case .jpeg: try decodeJPEG(octets, into: picture)
        case .png: try decodePNG(octets, into: picture)
        case .rgb24, .yuyv:
            let pixels = try RawPixels(octets, format: format, width: width, height: height, stride: stride, limits: limits)
            try picture.fill(width: width, height: height) { (memory) in pixels.write(to: memory, samples: picture.samples) }
            picture.shrink(by: reduction(width, height))
        }
    }

    private func decodeJPEG(_ octets: UnsafeRawBufferPointer, into picture: Picture) throws(PictureError) {
        let start = octets.assumingMemoryBound(to: UInt8.self).baseAddress
        var limits = jpeg_limits(
            octets: limits.octets, side: UInt32(clamping: limits.side), pixels: UInt64(clamping: limits.pixels),
            scans: UInt32(clamping: limits.scans), several_scans: limits.severalScans, memory: limits.memory)
        var header = jpeg_header()
        try check(jpeg: jpeg_picture_header(start, octets.count, &limits, &header))
        let reduction = reduction(Int(header.width), Int(header.height))
        let width = (Int(header.width) + reduction - 1) / reduction
        let height = (Int(header.height) + reduction - 1) / reduction
        try checkMemory(width, height, picture)
        try picture.fill(width: width, height: height) { (memory) throws(PictureError) in
            let pixels = memory.assumingMemoryBound(to: UInt8.self).baseAddress
            try check(
                jpeg: jpeg_picture_decode(start, octets.count, &limits, UInt32(reduction), picture.samples == 1, pixels, memory.count))
        }
    }

    private func decodePNG(_ octets: UnsafeRawBufferPointer, into picture: Picture) throws(PictureError) {
        let start = octets.assumingMemoryBound(to: UInt8.self).baseAddress
        // libpng keeps a few rows and zlib's window; a picture of 8192 pixels a row takes a quarter of this.
        var limits = png_limits(
            octets: limits.octets, side: UInt32(clamping: limits.side), pixels: UInt64(clamping: limits.pixels), memory: 2 << 20)
        var header = png_header()
        try check(png: png_picture_header(start, octets.count, &limits, &header))
        let (width, height) = (Int(header.width), Int(header.height))
        try checkMemory(width, height, picture)
        try picture.fill(width: width, height: height) { (memory) throws(PictureError) in
            let pixels = memory.assumingMemoryBound(to: UInt8.self).baseAddress
            try check(png: png_picture_decode(start, octets.count, &limits, picture.samples == 1, pixels, memory.count))
        }
        picture.shrink(by: reduction(width, height))
    }

    private func reduction(_ width: Int, _ height: Int) -> Int {
        let longer = max(width, height)
        guard wantedSide > 0 else { return 1 }
        return (longer + 3) / 4 >= wantedSide ? 4 : (longer + 1) / 2 >= wantedSide ? 2 : 1
    }

    private func checkMemory(_ width: Int, _ height: Int, _ picture: Picture) throws(PictureError) {
        guard width * height * picture.samples <= limits.memory else { throw .tooMuchMemory }
    }

    private func check(jpeg result: Int32) throws(PictureError) {
        switch jpeg_result(UInt32(result)) {
        case JPEG_OK: return
        case JPEG_TOO_MANY_OCTETS: throw .tooManyOctets
        case JPEG_TOO_MANY_PIXELS: throw .tooManyPixels
        case JPEG_NO_PIXELS: throw .empty
        case JPEG_NO_START: throw .noStart
        case JPEG_NO_END: throw .noEnd
        case JPEG_DATA_BEHIND_END: throw .dataBehindEnd
        case JPEG_TRUNCATED: throw .truncated
        case JPEG_PROGRESSIVE: throw .progressive
        case JPEG_TOO_MANY_SCANS: throw .tooManyScans
        case JPEG_ARITHMETIC: throw .arithmetic
        case JPEG_LOSSLESS: throw .lossless
        case JPEG_PRECISION: throw .precision
        case JPEG_COLOURS: throw .colours
        case JPEG_TOO_MUCH_MEMORY, JPEG_BUFFER_TOO_SMALL: throw .tooMuchMemory
        default: throw .damaged
        }
    }

    private func check(png result: Int32) throws(PictureError) {
        switch png_result(UInt32(result)) {
        case PNG_OK: return
        case PNG_TOO_MANY_OCTETS: throw .tooManyOctets
        case PNG_TOO_MANY_PIXELS: throw .tooManyPixels
        case PNG_NO_PIXELS: throw .empty
        case PNG_NO_START: throw .noStart
        case PNG_DATA_BEHIND_END: throw .dataBehindEnd
        case PNG_TRUNCATED: throw .truncated
        case PNG_TOO_MUCH_MEMORY, PNG_BUFFER_TOO_SMALL: throw .tooMuchMemory
        default: throw .damaged
        }
    }
}

/// How large a picture may be before anything of it is decoded.
public struct PictureLimits: Hashable, Sendable {
    /// Octets of an encoded picture.
    public var octets: Int
    /// Pixels of each side.
    public var side: Int
    public var pixels: Int
    /// Octets of the decoded picture before it is scaled down, where that is needed whole, and of what the decoder keeps beside it.
    public var memory: Int
    /// Whether a JPEG may come in several scans, as progressive ones do: it then costs a pass over the picture for each.
    public var severalScans: Bool
    public var scans: Int

    public init(octets: Int, side: Int = 8192, pixels: Int = 40_000_000, memory: Int = 64 << 20, severalScans: Bool, scans: Int = 100) {
        self.octets = octets
        self.side = side
        self.pixels = pixels
        self.memory = memory
        self.severalScans = severalScans
        self.scans = scans
    }

    /// A camera's frame. No camera sends several scans.
    public static let frame = PictureLimits(octets: 1 << 20, severalScans: false)
    /// The photo in a credential.
    public static let portrait = PictureLimits(octets: 2 << 20, severalScans: true)
    /// What is looked at for codes: a camera's frame, or a file that somebody tries, which may be in several scans.
    public static let codes = PictureLimits(octets: 4 << 20, severalScans: true)
}

/// Why a picture was not decoded. Part of a picture is none.
public enum PictureError: Error, Hashable, Sendable, CaseIterable {
    case tooManyOctets
    /// A side, or the whole.
    case tooManyPixels
    /// Decoding it takes more than is given.
    case tooMuchMemory
    /// A side is 0.
    case empty
    /// Octets that do not begin as the format says.
    case noStart
    /// The last octets are not the format's end; zeros behind it are padding.
    case noEnd
    /// The picture ends before its octets do.
    case dataBehindEnd
    case truncated
    case damaged
    /// A camera's frame that is progressive.
    case progressive
    case tooManyScans
    /// An arithmetic-coded JPEG.
    case arithmetic
    /// A lossless or hierarchical JPEG.
    case lossless
    /// A JPEG of other than 8 bits.
    case precision
    /// CMYK, YCCK, or two components.
    case colours
    /// Raw pixels with a stride shorter than a row, an odd width where two pixels share their colour, or too few octets.
    case geometry

    /// What the worker says of it.
    public var failure: FrameAssessment.Failure {
        switch self {
        case .tooManyOctets, .tooManyPixels, .tooMuchMemory: .tooLarge
        default: .undecodable
        }
    }
}
