/// What the face of a frame has to be so that it is compared. The gate judges every frame by it; the worker is told so that it makes no
/// template of a frame that will not be compared.
///
/// Lengths are pixels of the picture as the plug-in saw it, angles degrees to either side.
public struct FrameGates: Hashable, Sendable {
    /// Pixels between the eyes, at least.
    public var eyeDistance: Float
    /// Variance of the Laplacian (`FrameAssessment.sharpness`), at least.
    public var sharpness: Float
    /// Mean luminance of the face, 0 to 255.
    public var darkest: Float
    public var brightest: Float
    /// Where the plug-in knows them.
    public var yaw: Float
    public var pitch: Float
    public var roll: Float
    /// A second face of more than this part of the first one's area is a second visitor.
    public var secondArea: Float

    public init(
        eyeDistance: Float, sharpness: Float, darkest: Float, brightest: Float, yaw: Float, pitch: Float, roll: Float, secondArea: Float
    ) {
        self.eyeDistance = eyeDistance
        self.sharpness = sharpness
        self.darkest = darkest
        self.brightest = brightest
        self.yaw = yaw
        self.pitch = pitch
        self.roll = roll
        self.secondArea = secondArea
    }

    /// As a worker's option has it: the eight numbers in this order, parted by commas. Nil where it is anything else.
    public init?(option: String) {
        let numbers = option.split(separator: ",", omittingEmptySubsequences: false).compactMap { Float($0) }.filter(\.isFinite)
        guard numbers.count == 8, numbers.count == option.split(separator: ",", omittingEmptySubsequences: false).count else { return nil }
        self.init(
            eyeDistance: numbers[0], sharpness: numbers[1], darkest: numbers[2], brightest: numbers[3], yaw: numbers[4], pitch: numbers[5],
            roll: numbers[6], secondArea: numbers[7])
    }

    /// Pixels between the eyes of the smallest face that has to be found. A second visitor's is smaller than the first one's: where more is
    /// asked of being alone than by the standard, half of the area, it is looked for as well.
    public var searchedEyeDistance: Float { max(1, eyeDistance * min(1, (2 * secondArea).squareRoot())) }

    public var option: String {
        [eyeDistance, sharpness, darkest, brightest, yaw, pitch, roll, secondArea].map { "\($0)" }.joined(separator: ",")
    }
}

/// Why a face that is there is not compared.
public enum FrameFlaw: UInt8, Hashable, Sendable, CaseIterable {
    case small, blurred, dark, bright, turned, leaning, occluded

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .small: "small"
        case .blurred: "blurred"
        case .dark: "dark"
        case .bright: "bright"
        case .turned: "turned"
        case .leaning: "leaning"
        case .occluded: "occluded"
        }
    }
}

extension FrameAssessment {
    /// No head is narrower than this many distances between its eyes: the estimate where a plug-in does not say where they are.
    private static let headWidth: Float = 2.5
    /// `FMP_Q_OCCLUDED`: the one flaw the host cannot measure.
    private static let occluded: UInt32 = 1 << 5

    /// Pixels between the eyes, estimated from the face's width where the plug-in does not say. May be no number.
    public var eyes: Float { eyeDistance ?? face.width / Self.headWidth }

    /// Whether there is more than one visitor. Written so that what is not a number is several.
    public func showsSeveral(limit: Float) -> Bool { faces > 1 && !(secondArea <= limit) }

    /// The first gate this face does not pass, or nil. What is not a number passes none.
    public func flaw(by gates: FrameGates) -> FrameFlaw? {
        guard eyes >= gates.eyeDistance, eyes.isFinite else { return .small }
        guard brightness >= gates.darkest else { return .dark }
        guard brightness <= gates.brightest else { return .bright }
        guard sharpness >= gates.sharpness else { return .blurred }
        if let yaw, !(abs(yaw) <= gates.yaw) { return .turned }
        if let pitch, !(abs(pitch) <= gates.pitch) { return .turned }
        if let roll, !(abs(roll) <= gates.roll) { return .leaning }
        return qualityFlags & Self.occluded == 0 ? nil : .occluded
    }

    /// Whether a template of this probe is of any use.
    public func isWorthComparing(by gates: FrameGates) -> Bool { !showsSeveral(limit: gates.secondArea) && flaw(by: gates) == nil }
}
