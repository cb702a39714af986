/// Why a portrait was not taken. Nothing is decoded before it reaches the worker.
public enum PortraitError: Error, Hashable, Sendable {
    /// More octets than are taken.
    case tooLarge
    /// A data URI that is not base64, digits outside of the alphabet, of both alphabets, a wrong length or padding, or nothing at all.
    case notBase64
    case unsupported(Kind)

    /// What it is instead of a JPEG or PNG, by its first octets.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// A JPEG 2000 file, ISO/IEC 15444-1 annex I.
        case jp2
        /// A JPEG 2000 code stream without a file around it.
        case j2k
        case jpegXL
        case webP
        case avif
        case heic
        case gif
        case bmp
        case tiff
        case pdf
        /// A biometric record around a picture: ISO/IEC 19794-5 or 39794-5.
        case faceRecord
        /// XML: SVG, or the biometric envelopes of some issuers.
        case xml
        case unknown
    }

    /// What the visit ends with.
    public var reason: FaceReason {
        switch self {
        case .tooLarge: .portraitTooLarge
        case .notBase64: .portraitUnreadable
        case .unsupported: .unsupportedPortrait
        }
    }
}

extension PortraitError.Kind {
    /// By the first octets.
    init(of octets: UnsafeRawBufferPointer) {
        let known = PortraitError.Kind.magic.first { octets.dropFirst($0.offset).starts(with: $0.octets) }
        self = known?.kind ?? .unknown
    }

    private static let magic: [(kind: Self, offset: Int, octets: [UInt8])] = [
        (.jp2, 0, [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20]),
        (.j2k, 0, [0xFF, 0x4F, 0xFF, 0x51]),
        (.jpegXL, 0, [0xFF, 0x0A]),
        (.jpegXL, 0, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20]),
        // WebP is the only RIFF that is a picture.
        (.webP, 8, Array("WEBP".utf8)),
        (.avif, 4, Array("ftypavi".utf8)),
        // The brands of HEIF: ISO/IEC 23008-12 section 10 and annex B.
        (.heic, 4, Array("ftyphe".utf8)),
        (.heic, 4, Array("ftypmif1".utf8)),
        (.heic, 4, Array("ftypmsf1".utf8)),
        (.gif, 0, Array("GIF8".utf8)),
        (.bmp, 0, Array("BM".utf8)),
        (.tiff, 0, [0x49, 0x49, 0x2A, 0]),
        (.tiff, 0, [0x4D, 0x4D, 0, 0x2A]),
        (.pdf, 0, Array("%PDF".utf8)),
        (.faceRecord, 0, [0x46, 0x41, 0x43, 0]),
        // A tag of ASN.1 with a length of two or three octets.
        (.faceRecord, 0, [0x65, 0x82]),
        (.faceRecord, 0, [0x65, 0x83]),
        (.xml, 0, Array("<".utf8)),
        (.xml, 0, [0xEF, 0xBB, 0xBF, 0x3C]),
    ]
}
