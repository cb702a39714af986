import Faces

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
