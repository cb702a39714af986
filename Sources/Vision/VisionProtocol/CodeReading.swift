/// What a worker says about one picture that was looked at for a code. Nothing of the text is believed; `check` refuses what cannot be.
public struct CodeReading: Hashable, Sendable {
    /// What came of it.
    public enum Status: UInt8, Hashable, Sendable, CaseIterable {
        /// No code is in the picture, or none that can be read.
        case nothing = 0
        case read = 1
        /// A code that is not taken: a part of several, another alphabet than UTF-8 or Latin-1, GS1, AIM, QR model 1, or empty.
        case refused = 2
        /// The picture does not decode, or breaks a rule of the decoder.
        case undecodable = 3
        /// More octets or pixels than are taken.
        case tooLarge = 4
        /// The library gave up.
        case failed = 5

        /// Whether there was a picture to look at.
        fileprivate var hasPicture: Bool { self != .undecodable && self != .tooLarge }
    }

    /// Octets of the longest code: version 40 with digits alone (ISO/IEC 18004 table 7).
    public static let mostText = 7089

    public var status: Status
    /// The octets as they stand in the code, if one was read.
    public var text: [UInt8]?
    public var corners = CodeCorners()
    /// Light on dark.
    public var isInverted = false
    public var isMirrored = false
    /// Pixels of the picture as it was looked at, scaled down where it was large; the corners are in them.
    public var width: UInt16 = 0
    public var height: UInt16 = 0
    /// Mean difference of a small grey picture to the one before it, 0 to 255, and 255 where there was none before: whether something
    /// moves.
    public var change: UInt8 = 0
    /// Microseconds it took.
    public var elapsed: UInt32 = 0

    public init(_ status: Status) {
        self.status = status
    }

    /// What anybody can tell without the picture.
    ///
    /// - Throws: `badNumber`, `wrongLength`.
    public func check() throws(MessageError) {
        let most = UInt16(PictureHeader.mostPixels)
        guard width <= most, height <= most, (width > 0 && height > 0) == status.hasPicture else { throw .badNumber }
        guard status.hasPicture || (width == 0 && height == 0 && change == 0) else { throw .badNumber }
        guard let text else {
            guard status != .read else { throw .wrongLength }
            guard corners == CodeCorners(), !isInverted, !isMirrored else { throw .badNumber }
            return
        }
        guard status == .read, (1...Self.mostText).contains(text.count) else { throw .wrongLength }
        guard corners.all.allSatisfy(\.isNearPicture) else { throw .badNumber }
    }
}

/// Where a code is, from its own upper left corner on, clockwise as it is printed.
public struct CodeCorners: Hashable, Sendable {
    public var upperLeft = CodePoint()
    public var upperRight = CodePoint()
    public var lowerRight = CodePoint()
    public var lowerLeft = CodePoint()

    public init() {}

    public var all: [CodePoint] { [upperLeft, upperRight, lowerRight, lowerLeft] }
}

/// A point of a picture, in pixels; a code's corner may lie outside.
public struct CodePoint: Hashable, Sendable {
    public var x: Int16 = 0
    public var y: Int16 = 0

    public init() {}

    public init(x: Int16, y: Int16) {
        self.x = x
        self.y = y
    }

    /// A code may reach over an edge by as much as a picture has.
    fileprivate var isNearPicture: Bool {
        let most = Int16(PictureHeader.mostPixels)
        return (-most...2 * most).contains(x) && (-most...2 * most).contains(y)
    }
}

/// On the worker's pipe: `u8 status | u8 flags | u8 change | u8 0 | u16 width | u16 height | u32 elapsed | 4 corners, each i16 x, i16 y |
/// text`. What does not belong to the status is zero, so that each reading has one spelling.
extension CodeReading {
    private static let inverted: UInt8 = 1 << 0
    private static let mirrored: UInt8 = 1 << 1

    /// Octets of the longest.
    static let mostOctets = 28 + mostText

    func encode(_ writer: inout OctetWriter, _ octets: inout MutableSpan<UInt8>) {
        writer.octet(status.rawValue, &octets)
        writer.octet((isInverted ? Self.inverted : 0) | (isMirrored ? Self.mirrored : 0), &octets)
        writer.octet(change, &octets)
        writer.octet(0, &octets)
        writer.little16(width, &octets)
        writer.little16(height, &octets)
        writer.little32(elapsed, &octets)
        for corner in corners.all {
            writer.little16(UInt16(bitPattern: corner.x), &octets)
            writer.little16(UInt16(bitPattern: corner.y), &octets)
        }
        for octet in text ?? [] { writer.octet(octet, &octets) }
    }

    init(_ reader: inout OctetReader, _ octets: borrowing Span<UInt8>) throws(MessageError) {
        let status = Status(rawValue: reader.octet(octets)), flags = reader.octet(octets)
        let change = reader.octet(octets), reserved = reader.octet(octets)
        guard let status else { throw .badStatus }
        self.init(status)
        self.change = change
        isInverted = flags & Self.inverted != 0
        isMirrored = flags & Self.mirrored != 0
        width = reader.little16(octets)
        height = reader.little16(octets)
        elapsed = reader.little32(octets)
        corners.upperLeft = CodePoint(&reader, octets)
        corners.upperRight = CodePoint(&reader, octets)
        corners.lowerRight = CodePoint(&reader, octets)
        corners.lowerLeft = CodePoint(&reader, octets)
        guard !reader.isPastEnd else { throw .wrongLength }
        guard flags & ~(Self.inverted | Self.mirrored) == 0, reserved == 0 else { throw .badNumber }
        let count = octets.count - reader.position
        guard count <= Self.mostText else { throw .wrongLength }
        if count > 0 { text = (0..<count).map { _ in 0 } }
        for index in 0..<count { text?[index] = reader.octet(octets) }
        try check()
    }
}

extension CodePoint {
    fileprivate init(_ reader: inout OctetReader, _ octets: borrowing Span<UInt8>) {
        x = Int16(bitPattern: reader.little16(octets))
        y = Int16(bitPattern: reader.little16(octets))
    }
}

/// Which library reads the codes, told once by each worker when it is ready. It travels as `u8 length of the name | name | version`.
public struct CodeLibrary: Hashable, Sendable {
    /// `[a-z0-9._-]{1,64}`
    public var name: String
    public var version: String

    public init(name: String, version: String) {
        self.name = name
        self.version = version
    }

    /// - Throws: `badIdentity`.
    public func check() throws(MessageError) {
        guard PluginIdentity.isName(name, PluginIdentity.isOfIdentifier) else { throw .badIdentity }
        guard PluginIdentity.isName(version, PluginIdentity.isOfVersion) else { throw .badIdentity }
    }

    func encode(_ writer: inout OctetWriter, _ octets: inout MutableSpan<UInt8>) {
        writer.octet(UInt8(clamping: name.utf8.count), &octets)
        writer.text(name, &octets)
        writer.text(version, &octets)
    }

    init(_ reader: inout OctetReader, _ octets: borrowing Span<UInt8>) throws(MessageError) {
        let count = Int(reader.octet(octets)), rest = octets.count - reader.position - count
        guard !reader.isPastEnd, rest >= 0 else { throw .wrongLength }
        guard let name = reader.text(octets, count: count, where: PluginIdentity.isOfIdentifier),
            let version = reader.text(octets, count: rest, where: PluginIdentity.isOfVersion)
        else { throw .badIdentity }
        self.init(name: name, version: version)
        try check()
    }
}

extension CodeLibrary: CustomStringConvertible {
    public var description: String { "\(name) \(version)" }
}
