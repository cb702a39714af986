/// Why a face that is there is not compared.
public enum FrameFlaw: UInt8, Hashable, Sendable, CaseIterable {
    case small, blurred, dark, bright, turned, occluded

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .small: "small"
        case .blurred: "blurred"
        case .dark: "dark"
        case .bright: "bright"
        case .turned: "turned"
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
    var eyes: Float { eyeDistance ?? face.width / Self.headWidth }

    /// Whether there is more than one visitor. Written so that what is not a number is several.
    func showsSeveral(limit: Float) -> Bool { faces > 1 && !(secondArea <= limit) }

    /// The first gate this face does not pass, or nil. What is not a number passes none.
    public func flaw(by settings: FaceSettings) -> FrameFlaw? {
        guard eyes >= settings.eyeDistance, eyes.isFinite else { return .small }
        guard brightness >= settings.darkest else { return .dark }
        guard brightness <= settings.brightest else { return .bright }
        guard sharpness >= settings.sharpness else { return .blurred }
        if let yaw, !(abs(yaw) <= settings.yaw) { return .turned }
        if let pitch, !(abs(pitch) <= settings.pitch) { return .turned }
        return qualityFlags & Self.occluded == 0 ? nil : .occluded
    }
}
