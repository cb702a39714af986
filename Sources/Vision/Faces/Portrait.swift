import VisionProtocol

/// The photo of a credential as it was signed: a whole JPEG, PNG, WebP, JPEG 2000 or AVIF, still encoded, overwritten when the value ends.
public struct Portrait: ~Copyable {
    /// Octets of the longest portrait.
    public static let longest = 2 << 20

    /// By the first octets; what a data URI says of its type is not looked at.
    public let format: PictureFormat
    public let count: Int
    private let octets: WipedOctets

    /// - Parameter claim: a data URI (RFC 2397) with base64, or base64 alone; either alphabet of RFC 4648, padded or not, with or without
    ///   line ends.
    public init(claim: String) throws(PortraitError) {
        try self.init(text: claim.utf8.span)
    }

    init(text: Span<UInt8>) throws(PortraitError) {
        // Four digits for three octets, two octets of a line's end behind each 64 of them, and a prefix.
        guard text.count <= Portrait.longest / 3 * 4 + Portrait.longest / 16 else { throw .tooLarge }
        let digits = try Portrait.digits(of: text)
        var octets = WipedOctets(count: (text.count - digits) / 4 * 3 + 3)
        let count: Int? = octets.withMutableOctets { PortraitDigits.decode(text.extracting(digits...), into: $0) }
        guard let count, count > 0 else { throw .notBase64 }
        guard count <= Portrait.longest else { throw .tooLarge }
        format = try octets.withOctets { (all) throws(PortraitError) in
            try Portrait.format(of: UnsafeRawBufferPointer(rebasing: all[..<count]))
        }
        self.octets = octets
        self.count = count
    }

    /// Lends the octets for the duration of `body`.
    public borrowing func withOctets<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let count = count
        return try octets.withOctets { (all) throws(Failure) in try body(UnsafeRawBufferPointer(rebasing: all[..<count])) }
    }

    /// Where the base64 begins: behind the comma of a data URI, or at once.
    private static func digits(of text: Span<UInt8>) throws(PortraitError) -> Int {
        guard begins(text, at: 0, with: "data:") else { return 0 }
        // RFC 2397 sets no end to the media type and its parameters; none is as long as this.
        var comma = 5
        while comma < text.count, text[comma] != UInt8(ascii: ",") {
            comma += 1
            guard comma < 256 else { throw .notBase64 }
        }
        let marker: StaticString = ";base64"
        guard comma < text.count, begins(text, at: comma - marker.utf8CodeUnitCount, with: marker) else { throw .notBase64 }
        return comma + 1
    }

    /// Without regard to case: `expected` is lower-case ASCII.
    private static func begins(_ text: Span<UInt8>, at offset: Int, with expected: StaticString) -> Bool {
        let count = expected.utf8CodeUnitCount
        guard offset >= 0, text.count - offset >= count else { return false }
        return expected.withUTF8Buffer { expected in
            (0..<count).allSatisfy { index in
                let octet = text[offset + index]
                return (0x41...0x5A).contains(octet) ? octet | 0x20 == expected[index] : octet == expected[index]
            }
        }
    }

    private static func format(of octets: UnsafeRawBufferPointer) throws(PortraitError) -> PictureFormat {
        let known = magic.first { octets.dropFirst($0.offset).starts(with: $0.octets) }
        if let known { return known.format }
        if isBrandedAVIF(octets) { return .avif }
        throw .unsupported(PortraitError.Kind(of: octets))
    }

    private static let magic: [(format: PictureFormat, offset: Int, octets: [UInt8])] = [
        (.jpeg, 0, [0xFF, 0xD8, 0xFF]),
        (.png, 0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        // WebP is the only RIFF that is a picture.
        (.webp, 8, Array("WEBP".utf8)),
        // A file, ISO/IEC 15444-1 annex I, and a code stream without one around it.
        (.jp2, 0, [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
        (.jp2, 0, [0xFF, 0x4F, 0xFF, 0x51]),
        (.avif, 4, Array("ftypavif".utf8)),
    ]

    /// A file of HEIF's general brand that names AVIF's among those it is compatible with.
    private static func isBrandedAVIF(_ octets: UnsafeRawBufferPointer) -> Bool {
        guard octets.dropFirst(4).starts(with: "ftypmif1".utf8) else { return false }
        let end = min(Int(octets[3]), octets.count)
        guard octets.prefix(3).allSatisfy({ $0 == 0 }) else { return false }
        return stride(from: 16, to: end - 3, by: 4).contains { octets.dropFirst($0).starts(with: "avif".utf8) }
    }
}

/// Why a portrait was not taken. Nothing is decoded before it reaches the worker.
public enum PortraitError: Error, Hashable, Sendable {
    /// More octets than are taken.
    case tooLarge
    /// A data URI that is not base64, digits outside of the alphabet, of both alphabets, a wrong length or padding, or nothing at all.
    case notBase64
    case unsupported(Kind)

    /// What it is instead of a format that is taken, by its first octets.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case jpegXL
        /// An AVIF that moves.
        case avifSequence
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
        (.jpegXL, 0, [0xFF, 0x0A]),
        (.jpegXL, 0, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20]),
        (.avifSequence, 4, Array("ftypavis".utf8)),
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
