import Faces
import Linux
import VisionProtocol

/// Why a comparison was none. Nothing in it is about a person.
public enum FaceSDKError: Error, Hashable, Sendable {
    public enum Image: String, Hashable, Sendable {
        case captured, credential
    }

    case notConfigured
    /// A timeout of no seconds, or of more than `FaceSDK.longestTimeout`.
    case badTimeout
    /// HEIC, TIFF, a template, ...: none that is decoded.
    case unsupported(Image, PortraitError.Kind)
    case tooLarge(Image)
    /// No data URI with base64.
    case unreadable(Image)
    case timedOut
    /// The matcher's reasons; never `noMatch`, which is no error. With what was wrong with a picture of poor quality.
    case refused(FaceReason, FrameFlaw? = nil)

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .notConfigured: "not-configured"
        case .badTimeout: "bad-timeout"
        case .unsupported: "unsupported"
        case .tooLarge: "too-large"
        case .unreadable: "unreadable"
        case .timedOut: "timed-out"
        case .refused(let reason, _): reason.code
        }
    }
}

/// What came of a comparison.
public enum FaceSDKResult: Hashable, Sendable {
    case match
    case noMatch
    case failed(FaceSDKError)

    /// What the MOSIP interface returns: every error is false.
    public var isMatch: Bool { self == .match }
}

/// The shape of MOSIP's Face SDK (docs.inji.io, Face SDK Specifications) over a worker: `configure`, then `faceCompare`.
///
/// It works offline, loads the models once, keeps no picture, and writes nothing down. A comparison is one picture against one, by the
/// gate's threshold and its quality gates, without the vote of a visit.
public final class FaceSDK {
    /// Seconds.
    public static let longestTimeout = 300
    /// Keys of `configure`: the plug-in, the folder of its models, the file of thresholds (without it, those the gate ships with).
    public static let pluginKey = "io.inji.sdk.plugin"
    public static let modelsKey = "io.inji.sdk.models"
    public static let thresholdsKey = "io.inji.sdk.thresholds"
    /// The caller's word for its telemetry; there is none here, so that it only has to be one.
    public static let traceabilityKey = "traceabilityId"

    public let settings: FaceSettings
    /// Why the last `configure` returned false.
    public private(set) var configurationFailure: FaceSDKConfigurationError?
    private let longest: Int
    private var worker: VisionClient?
    private var identity: PluginIdentity?
    private var thresholds = FaceThresholds()

    /// - Parameter longest: seconds of the longest comparison that will be asked for. A plug-in is told a time somewhat before that.
    public init(settings: FaceSettings = .standard, longest: Int = FaceSDK.longestTimeout) {
        self.settings = settings
        self.longest = min(max(longest, 1), Self.longestTimeout)
    }

    /// Starts the matcher and waits until its models are loaded. Once that was done, it returns at once and changes nothing.
    ///
    /// Other keys are somebody else's and not looked at.
    /// - Returns: whether it can compare.
    public func configure(_ configuration: [String: String]) -> Bool {
        if identity != nil { return true }
        do throws(FaceSDKConfigurationError) {
            try begin(configuration)
            configurationFailure = nil
            return true
        } catch {
            configurationFailure = error
            worker?.stop()
            worker = nil
            return false
        }
    }

    private func begin(_ configuration: [String: String]) throws(FaceSDKConfigurationError) {
        guard let plugin = configuration[Self.pluginKey], !plugin.isEmpty else { throw .missing(Self.pluginKey) }
        guard let models = configuration[Self.modelsKey], !models.isEmpty else { throw .missing(Self.modelsKey) }
        var thresholds = FaceThresholds()
        if let path = configuration[Self.thresholdsKey] {
            guard let octets = try? File.read(path, most: FaceThresholds.fileCapacity) else { throw .unreadable(Self.thresholdsKey) }
            do throws(FaceFileError) { thresholds = try FaceThresholds(parsing: octets) } catch { throw .thresholds(error) }
        } else {
            thresholds.addProvisional()
        }
        var supervisor = SupervisorSettings()
        supervisor.plugin = plugin
        supervisor.models = models
        // Each comparison has its caller's time, and `assess` ends the worker by it.
        supervisor.timeouts = WorkerTimeouts(each: longest)
        let worker: VisionClient
        do throws(SupervisorError) { worker = VisionClient(supervisor: try Supervisor(supervisor)) } catch {
            throw .worker(.notStarted(error))
        }
        self.worker = worker
        do throws(WorkerFailure) { identity = try worker.prepare() } catch { throw .worker(error) }
        self.thresholds = thresholds
    }

    /// Whether two pictures show one person.
    ///
    /// - Parameters:
    ///   - timeout: seconds for everything. When they are over the worker is killed, and all memory it had with it.
    ///   - capturedImage: a data URI with base64 of a JPEG or PNG, as camera frames are taken.
    ///   - vcImage: the same, of the photo in the credential.
    public func faceCompare(timeout: Int, capturedImage: String, vcImage: String) -> FaceSDKResult {
        guard timeout > 0, timeout <= Self.longestTimeout else { return .failed(.badTimeout) }
        guard let worker, let identity else { return .failed(.notConfigured) }
        let until = Clock.monotonic() + UInt64(timeout) * 1_000_000_000
        defer { worker.forget(at: Clock.monotonic()) }
        do throws(FaceSDKError) {
            let reference = try assess(.reference, vcImage, .credential, worker, until)
            let minimum = settings.referenceMinimum(for: identity)
            if let reason = reference.referenceFault(minimum: minimum, secondArea: settings.gates.secondArea) { throw .refused(reason) }
            let probe = try assess(.probe, capturedImage, .captured, worker, until)
            switch FaceComparison(reference: reference, probe: probe, by: identity, thresholds: thresholds, settings: settings) {
            case .match: return .match
            case .refused(.noMatch, _): return .noMatch
            case .refused(let reason, let flaw): return .failed(.refused(reason, flaw))
            }
        } catch {
            return .failed(error)
        }
    }

    private func assess(
        _ role: FaceRole, _ text: String, _ image: FaceSDKError.Image, _ worker: VisionClient, _ until: UInt64
    ) throws(FaceSDKError) -> FrameAssessment {
        let portrait = try Self.portrait(text, image)
        // Without a time: two pictures that come one after the other are no two frames of one camera, so that nothing is looked for where
        // the one before had it.
        let request = WorkerRequest.picture(role, PictureHeader(format: portrait.format))
        do throws(WorkerFailure) {
            let reply = try portrait.withOctets { (octets) throws(WorkerFailure) in try worker.ask(request, octets, until: until) }
            guard case .assessment(role, let assessment) = reply else { throw .lied(.notAsked) }
            return assessment
        } catch {
            throw Clock.monotonic() >= until ? .timedOut : .refused(error.reason)
        }
    }

    private static func portrait(_ text: String, _ image: FaceSDKError.Image) throws(FaceSDKError) -> Portrait {
        do throws(PortraitError) {
            return try Portrait(claim: text)
        } catch {
            switch error {
            case .tooLarge: throw .tooLarge(image)
            case .notBase64: throw .unreadable(image)
            case .unsupported(let kind): throw .unsupported(image, kind)
            }
        }
    }
}

/// Why `FaceSDK.configure` returned false.
public enum FaceSDKConfigurationError: Error, Hashable, Sendable {
    case missing(String)
    /// The file of that key.
    case unreadable(String)
    case thresholds(FaceFileError)
    case worker(WorkerFailure)
}

extension FaceSDKConfigurationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let key): "\(key) is missing"
        case .unreadable(let key): "the file of \(key) cannot be read"
        case .thresholds(let error): "the file of thresholds \(error)"
        case .worker(let failure): "\(failure)"
        }
    }
}
