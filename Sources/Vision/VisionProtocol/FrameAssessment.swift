/// What the worker says about one picture. Not believed: `WorkerMessage` refuses numbers that cannot be.
public struct FrameAssessment: Hashable, Sendable {
    /// The plug-in's code, 0 where it made a template; `face_plugin.h` has their names. Codes from 0x10000 on are the worker's own: see
    /// `Failure`.
    public var status: Int32
    /// Pixels of the picture as the plug-in saw it, scaled down where it was large.
    public var width: UInt32
    public var height: UInt32
    /// How many faces were found.
    public var faces: UInt32
    /// Area of the second largest face in areas of the largest.
    public var secondArea: Float
    /// The largest face, in pixels of `width` and `height`.
    public var face: FaceBox
    /// Pixels between the centres of the eyes; nil where the plug-in does not say.
    public var eyeDistance: Float?
    /// Degrees; nil where the plug-in does not say.
    public var yaw: Float?
    public var pitch: Float?
    public var roll: Float?
    /// 0 to 100, nil where not measured.
    public var quality: Float?
    /// `FMP_Q_...`
    public var qualityFlags: UInt32
    /// Mean luminance of the face, 0 to 255, and of the whole picture where there is none: black tells a covered camera from an empty
    /// place. Measured by the worker, not by the plug-in.
    public var brightness: Float
    /// Variance of the Laplacian of the face's luminance at a width of 100 pixels; measured by the worker.
    public var sharpness: Float
    /// -1 a person, +1 an attack; nil where the plug-in has no such check.
    public var attackScore: Float?
    /// 0 to 1, higher the more alike; nil for a reference, and where no template was made.
    public var similarity: Double?
    /// Microseconds the plug-in took.
    public var elapsed: UInt32

    /// Codes of the worker's own, beside the plug-in's.
    public enum Failure: Int32, Sendable, CaseIterable {
        /// The picture does not decode, or breaks a rule of the decoder.
        case undecodable = 0x10000
        /// More octets or pixels than are taken.
        case tooLarge = 0x10001
        /// A probe without a reference before it.
        case noReference = 0x10002
        /// The plug-in said it made a template, but there is none, or it is longer than it may be.
        case noTemplate = 0x10003
        /// A score outside 0 to 1, not a number, or none.
        case badScore = 0x10004
        /// The plug-in gave a code below 0, or above 0xFFFF.
        case badStatus = 0x10005
        /// What the plug-in said about the picture cannot be: a face outside it, a number that is none.
        case badInfo = 0x10006
        /// The plug-in's check for attacks failed, so that nobody knows.
        case attackCheckFailed = 0x10007
    }

    public init(status: Int32) {
        self.status = status
        width = 0
        height = 0
        faces = 0
        secondArea = 0
        face = FaceBox()
        qualityFlags = 0
        brightness = 0
        sharpness = 0
        elapsed = 0
    }
}

/// A rectangle of a picture, in pixels.
public struct FaceBox: Hashable, Sendable {
    public var x: Float = 0
    public var y: Float = 0
    public var width: Float = 0
    public var height: Float = 0

    public init() {}

    public init(x: Float, y: Float, width: Float, height: Float) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public var area: Float { width * height }
}

/// A fixed record of the worker's pipe: sixteen numbers of four octets, one of eight, and which of the optional ones are there. One that is
/// not there is zero, so that each assessment has one spelling.
extension FrameAssessment {
    private struct Presence {
        static let eyeDistance: UInt32 = 1 << 0
        static let yaw: UInt32 = 1 << 1
        static let pitch: UInt32 = 1 << 2
        static let roll: UInt32 = 1 << 3
        static let quality: UInt32 = 1 << 4
        static let attackScore: UInt32 = 1 << 5
        static let similarity: UInt32 = 1 << 6
    }

    /// More faces than anybody finds in a picture of a gate's.
    private static let mostFaces: UInt32 = 1024
    /// Pixels: a box may reach over the edge of its picture, but not by far.
    private static let mostOverhang = Float(PictureHeader.mostPixels)
    /// Beyond the variance of any Laplacian of octets.
    private static let mostSharpness: Float = 1e7

    /// What anybody can tell without the picture.
    ///
    /// - Throws: `badStatus`, `badNumber`.
    public func check(_ role: FaceRole) throws(MessageError) {
        guard (0...0xFFFF).contains(status) || Failure(rawValue: status) != nil else { throw .badStatus }
        guard width <= PictureHeader.mostPixels, height <= PictureHeader.mostPixels, faces <= Self.mostFaces else { throw .badNumber }
        guard status != 0 || (faces > 0 && width > 0 && height > 0 && face.width > 0 && face.height > 0) else { throw .badNumber }
        let edge = Self.mostOverhang
        let isInRange =
            Self.isIn(secondArea, 0...1) && Self.isIn(face.x, -edge...edge) && Self.isIn(face.y, -edge...edge)
            && Self.isIn(face.width, 0...2 * edge) && Self.isIn(face.height, 0...2 * edge) && Self.isIn(eyeDistance, 0...edge)
            && [yaw, pitch, roll].allSatisfy { Self.isIn($0, -180...180) } && Self.isIn(quality, 0...100)
            && Self.isIn(brightness, 0...255) && Self.isIn(sharpness, 0...Self.mostSharpness)
        guard isInRange, Self.isIn(attackScore, -1...1), Self.isIn(similarity, 0...1) else { throw .badNumber }
        switch role {
        case .reference: guard similarity == nil, attackScore == nil else { throw .badNumber }
        // A score belongs to a template, and there is none with an error.
        case .probe: guard (similarity != nil) == (status == 0) else { throw .badNumber }
        }
    }

    /// Nothing is outside what it measures, not a number least of all; nothing at all is fine.
    private static func isIn<Number: BinaryFloatingPoint>(_ value: Number?, _ range: ClosedRange<Number>) -> Bool {
        value.map { range.contains($0) } ?? true
    }

    private var presence: UInt32 {
        var bits: UInt32 = 0
        if eyeDistance != nil { bits |= Presence.eyeDistance }
        if yaw != nil { bits |= Presence.yaw }
        if pitch != nil { bits |= Presence.pitch }
        if roll != nil { bits |= Presence.roll }
        if quality != nil { bits |= Presence.quality }
        if attackScore != nil { bits |= Presence.attackScore }
        if similarity != nil { bits |= Presence.similarity }
        return bits
    }

    func encode(_ writer: inout OctetWriter, _ octets: inout MutableSpan<UInt8>) {
        writer.little32(UInt32(bitPattern: status), &octets)
        for number in [width, height, faces, qualityFlags, elapsed, presence] { writer.little32(number, &octets) }
        for number in [secondArea, face.x, face.y, face.width, face.height, brightness, sharpness] { writer.float(number, &octets) }
        for number in [eyeDistance, yaw, pitch, roll, quality, attackScore] { writer.float(number ?? 0, &octets) }
        writer.double(similarity ?? 0, &octets)
    }

    init(_ role: FaceRole, _ reader: inout OctetReader, _ octets: borrowing Span<UInt8>) throws(MessageError) {
        self.init(status: Int32(bitPattern: reader.little32(octets)))
        width = reader.little32(octets)
        height = reader.little32(octets)
        faces = reader.little32(octets)
        qualityFlags = reader.little32(octets)
        elapsed = reader.little32(octets)
        let presence = reader.little32(octets)
        secondArea = reader.float(octets)
        face = FaceBox(x: reader.float(octets), y: reader.float(octets), width: reader.float(octets), height: reader.float(octets))
        brightness = reader.float(octets)
        sharpness = reader.float(octets)
        var isSpelledOnce = true
        func optional<Number: BinaryFloatingPoint>(_ bit: UInt32, _ value: Number) -> Number? {
            if presence & bit != 0 { return value }
            if value != 0 || value.sign == .minus { isSpelledOnce = false }
            return nil
        }
        eyeDistance = optional(Presence.eyeDistance, reader.float(octets))
        yaw = optional(Presence.yaw, reader.float(octets))
        pitch = optional(Presence.pitch, reader.float(octets))
        roll = optional(Presence.roll, reader.float(octets))
        quality = optional(Presence.quality, reader.float(octets))
        attackScore = optional(Presence.attackScore, reader.float(octets))
        similarity = optional(Presence.similarity, reader.double(octets))
        guard !reader.isPastEnd else { throw .wrongLength }
        guard isSpelledOnce, presence == self.presence else { throw .badNumber }
        try check(role)
    }
}
