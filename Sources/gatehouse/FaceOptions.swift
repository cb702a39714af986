import ArgumentParser
import Board
import Cryptography
import Faces
import Gate
import Glibc
import Sandbox

/// Whether faces are compared, and by what.
struct FaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "Whether the visitor has to be the person in the credential: required (a credential without a photo is rejected), when-photo (compares where there is a photo; whoever can withhold it is let in with any copy) or off (whoever has a copy of a credential is let in).  (default: what the board profile says, but required where it says off and an option or the site file adds a camera; without a profile, required with a camera, off without)",
        valueName: "when"))
    var face: String?

    @Option(help: ArgumentHelp(
        "The face matcher: a plug-in by the C interface in face_plugin.h.  (default: \(Self.defaultPlugin))", valueName: "file"))
    var facePlugin: String?

    @Option(help: ArgumentHelp("The folder with the matcher's models.  (default: \(Self.defaultModels))", valueName: "folder"))
    var faceModels: String?

    @Option(help: ArgumentHelp(
        "The thresholds `gatehouse calibrate` wrote, for each matcher and its models. Without the file the built-in provisional one is used; a matcher or a model it does not name is not used at all.",
        valueName: "file"))
    var faceThresholds: String?

    @Option(help: ArgumentHelp(
        "Numbers of the face policy that differ from the standard ones: a JSON object, see docs/faces.md.", valueName: "file"))
    var faceSettings: String?

    static let defaultPlugin = "/usr/lib/gatehouse/face-dlib.so"
    static let defaultModels = "/usr/share/gatehouse/models/dlib"

    /// Whether faces are compared: by the option, the site file, the board profile, in this order.
    func policy(_ devices: BoardOptions.Devices) throws -> Policy.Face {
        let word = policyWord(devices).word
        guard let policy = Policy.Face(rawValue: word) else { throw ValidationError("--face \(word): use required, when-photo or off") }
        return policy
    }

    /// The word for that, and who said it.
    func policyWord(_ devices: BoardOptions.Devices) -> (word: String, place: String) {
        if let face { return (face, "option") }
        // What it demanded is not known: then the most.
        if devices.site.demandsFaces { return ("required", "the newest site file cannot be used") }
        if let word = devices.site.settings?.face?.rawValue { return (word, "site file \(devices.site.number ?? 0)") }
        guard let word = devices.profile?.face else { return (devices.camera == nil ? "off" : "required", "default") }
        // The profile was written for a gate without this camera: nobody has said that its pictures are for nothing.
        if word == Policy.Face.off.rawValue, devices.isCameraAdded { return ("required", "a camera that the board profile does not have") }
        return (word, "board profile")
    }

    /// Starts what starts the matcher and the camera's program; nil where faces are not compared, or there is no camera.
    ///
    /// Before anything is given up: it needs what the gate has at first, and later may not have.
    ///
    /// - Parameters:
    ///   - user: whom the camera's program becomes where root starts it.
    ///   - isLenient: does without the parts of the matcher's sandbox this system does not have.
    func makeNursery(_ devices: BoardOptions.Devices, _ policy: Policy.Face, user: String? = nil, isLenient: Bool = false) throws -> Nursery? {
        guard policy != .off, let camera = devices.camera else { return nil }
        var settings = NurserySettings()
        settings.plugin = facePlugin ?? devices.profile?.facePlugin ?? Self.defaultPlugin
        settings.models = faceModels ?? devices.profile?.faceModels ?? Self.defaultModels
        for (option, path) in [("--face-plugin", settings.plugin), ("--face-models", settings.models)] where access(path, R_OK) != 0 {
            throw ValidationError("\(option) \(path): cannot be read (\(systemCause(errno)))")
        }
        // Neither the gate's user nor root: what a matcher could do to the gate, it cannot.
        if geteuid() == 0 { settings.user = "nobody" }
        if case .command(let command) = camera {
            settings.command = command
            settings.commandUser = geteuid() == 0 ? user : nil
        }
        settings.isLenient = isLenient
        return try opened("--face") { () throws(NurseryError) in try Nursery(settings) }
    }

    /// The face stage, its matcher not started yet.
    func makeStage(_ devices: BoardOptions.Devices, _ nursery: Nursery?, _ settings: FaceSettings) throws -> FaceStage? {
        guard let nursery, let camera = devices.camera else { return nil }
        let thresholds = try thresholds(devices)
        return try opened("--face") { () throws(CryptographyError) in
            try FaceStage(
                camera: camera.makeSource(nursery: nursery), worker: FaceWorker(nursery: nursery), settings: settings, thresholds: thresholds,
                report: { say("gatehouse: " + $0) })
        }
    }

    /// The numbers of the site, or the standard ones.
    func settings(_ devices: BoardOptions.Devices) throws -> FaceSettings {
        if faceSettings == nil, let settings = devices.site.settings?.faceSettings { return settings }
        guard let path = faceSettings ?? devices.profile?.faceSettings else { return .standard }
        let file = try octets(of: path, most: 1 << 20)
        return try opened("--face-settings \(path)") { () throws(FaceSettingsError) in try FaceSettings(parsing: file) }
    }

    /// The thresholds of the site, or the built-in ones.
    func thresholds(_ devices: BoardOptions.Devices) throws -> FaceThresholds {
        if faceThresholds == nil, let thresholds = devices.site.settings?.faceThresholds { return thresholds }
        if let path = faceThresholds ?? devices.profile?.faceThresholds {
            let file = try octets(of: path, most: 1 << 20)
            return try opened("--face-thresholds \(path)") { () throws(FaceFileError) in try FaceThresholds(parsing: file) }
        }
        // Only without a file: a matcher that a site's file does not name is not used.
        var thresholds = FaceThresholds()
        thresholds.addProvisional()
        return thresholds
    }
}
