import VisionProtocol

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
    /// Samples of other than 8 bits, where the format's decoder does not make 8 of them.
    case precision
    /// CMYK, YCCK, two components; of JPEG 2000 a palette, alpha, sYCC, or smaller chroma; of AVIF a matrix that is not known.
    case colours
    /// A WebP or AVIF of several pictures one after the other.
    case animated
    /// An AVIF made of several items, such as tiles or alpha, or to be turned or cut.
    case composed
    /// A part of JPEG 2000 or AVIF that no portrait needs; a format of portraits where codes are looked for.
    case uncommon
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
