import VisionProtocol

/// One number of the face policy, by the name it has in the settings file.
public enum FaceSetting: String, Hashable, Sendable, CaseIterable {
    case eyeDistance, sharpness, darkest, brightest, yaw, pitch, roll, secondArea
    case frames, window, passes, spacingSeconds, readySeconds, lookSeconds
    case attackLimit, referenceMinimum
    case attempts, lockoutSeconds, longestLockoutSeconds

    /// What it is where nobody says otherwise.
    public var standard: Double {
        switch self {
        case .eyeDistance: 60
        // Photographs of faces 84 pixels wide have 11 and more and compare well; blurred by a fiftieth of the face's width, half have 6 and
        // less.
        case .sharpness: 10
        case .darkest: 40
        case .brightest: 220
        case .yaw, .pitch: 20
        // The detectors find faces that lean further; the shoulders of a visitor who stands do not.
        case .roll: 25
        case .secondArea: 0.5
        case .frames: 12
        case .window: 5
        case .passes: 3
        case .spacingSeconds: 0.15
        case .readySeconds: 5
        case .lookSeconds: 6
        case .attackLimit, .referenceMinimum: 0
        case .attempts: 3
        case .lockoutSeconds: 600
        case .longestLockoutSeconds: 3600
        }
    }

    /// What it may be. Nobody can configure the gate into comparing one frame, or a hundred.
    public var range: ClosedRange<Double> {
        switch self {
        case .eyeDistance: 20...400
        case .sharpness: 0...10_000
        case .darkest, .brightest: 0...255
        case .yaw, .pitch, .roll: 1...45
        case .secondArea: 0...0.8
        case .frames: 3...12
        case .window, .passes: 3...8
        case .spacingSeconds: 0...1
        case .readySeconds, .lookSeconds: 1...30
        case .attackLimit: -0.95...0.95
        case .referenceMinimum: 0...400
        case .attempts: 1...10
        case .lockoutSeconds, .longestLockoutSeconds: 60...86_400
        }
    }

    /// Whether only whole numbers will do.
    public var isWhole: Bool {
        switch self {
        case .frames, .window, .passes, .attempts: true
        default: false
        }
    }
}

/// Why settings were refused.
public enum FaceSettingsError: Error, Hashable, Sendable {
    case outOfRange(FaceSetting)
    /// Each may be, but not both.
    case contradictory(FaceSetting, FaceSetting)
    /// The file is not JSON, or not an object of `"gatehouse-face-settings": 1` and known members that are numbers.
    case file(FaceFileError)
}

/// How the gate looks at a visitor. The threshold is not among it: that belongs to a plug-in and its models (`FaceThresholds`).
///
/// Lengths are pixels of the picture as the plug-in saw it, angles degrees, times nanoseconds.
public struct FaceSettings: Hashable, Sendable {
    public let gates: FrameGates
    /// Usable frames that are compared in one attempt, at most.
    public let frames: Int
    /// Of so many consecutive usable frames of one face ...
    public let window: Int
    /// ... so many have to pass. More than half of the window: this is a vote, not the best of many.
    public let passes: Int
    /// Between two frames that are compared: frames of one blink of an eye are one comparison, not several.
    public let spacing: UInt64
    /// For the worker and the reference.
    public let readyTime: UInt64
    /// From the moment the first frame is wanted.
    public let lookTime: UInt64
    /// -1 a person, +1 an attack; above it a frame is an attack.
    public let attackLimit: Float
    /// Pixels between the eyes of a reference, at least; where the plug-in asks for more, that.
    public let referenceMinimum: Float
    /// Failed attempts with one credential before it is locked out.
    public let attempts: Int
    /// The first lockout; each that follows is twice as long, up to `longestLockout`.
    public let lockout: UInt64
    public let longestLockout: UInt64

    public static let standard = FaceSettings(unchecked: [:])

    /// - Parameter values: what differs from the standard.
    public init(_ values: [FaceSetting: Double]) throws(FaceSettingsError) {
        for setting in FaceSetting.allCases {
            // Written so that what is not a number is out of range.
            guard let value = values[setting] else { continue }
            guard value >= setting.range.lowerBound, value <= setting.range.upperBound, !setting.isWhole || value == value.rounded() else {
                throw .outOfRange(setting)
            }
        }
        self.init(unchecked: values)
        guard gates.darkest < gates.brightest else { throw .contradictory(.darkest, .brightest) }
        guard passes <= window, passes * 2 > window else { throw .contradictory(.passes, .window) }
        guard window <= frames else { throw .contradictory(.window, .frames) }
        guard lockout <= longestLockout else { throw .contradictory(.lockoutSeconds, .longestLockoutSeconds) }
    }

    /// Pixels between the eyes of a reference for this plug-in; 40 where neither it nor the settings know better.
    public func referenceMinimum(for identity: PluginIdentity) -> Float {
        max(identity.referenceMinimum == 0 ? 40 : Float(identity.referenceMinimum), referenceMinimum)
    }

    private init(unchecked values: [FaceSetting: Double]) {
        func value(_ setting: FaceSetting) -> Double { values[setting] ?? setting.standard }
        func nanoseconds(_ setting: FaceSetting) -> UInt64 { UInt64(value(setting) * 1e9) }
        func number(_ setting: FaceSetting) -> Float { Float(value(setting)) }
        gates = FrameGates(
            eyeDistance: number(.eyeDistance), sharpness: number(.sharpness), darkest: number(.darkest), brightest: number(.brightest),
            yaw: number(.yaw), pitch: number(.pitch), roll: number(.roll), secondArea: number(.secondArea))
        frames = Int(value(.frames))
        window = Int(value(.window))
        passes = Int(value(.passes))
        spacing = nanoseconds(.spacingSeconds)
        readyTime = nanoseconds(.readySeconds)
        lookTime = nanoseconds(.lookSeconds)
        attackLimit = Float(value(.attackLimit))
        referenceMinimum = Float(value(.referenceMinimum))
        attempts = Int(value(.attempts))
        lockout = nanoseconds(.lockoutSeconds)
        longestLockout = nanoseconds(.longestLockoutSeconds)
    }
}
