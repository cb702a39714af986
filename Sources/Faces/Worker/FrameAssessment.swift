/// What the worker says about one picture. Not believed: `WorkerMessage` refuses numbers that cannot be.
public struct FrameAssessment: Hashable, Sendable {
    /// The plug-in's code, 0 where it made a template; `face_plugin.h` has their names. Codes from 0x10000 on are the worker's own: see `Failure`.
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
    /// Mean luminance of the face, 0 to 255, and of the whole picture where there is none: black tells a covered camera from an empty place.
    /// Measured by the worker, not by the plug-in.
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
