import ArgumentParser
import Board
import Gate
import Glibc

/// Whether faces are compared, and by what.
struct FaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "Whether the visitor has to be the person in the credential: required (a credential without a photo is rejected), when-photo (compares where there is a photo; whoever can withhold it is let in with any copy) or off (whoever has a copy of a credential is let in).  (default: required with a camera, off without)",
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

    static let defaultPlugin = "/usr/lib/gatehouse/face-dlib.so"
    static let defaultModels = "/usr/share/gatehouse/models/dlib"

    /// What the profile says, unless an option says something else.
    func policy(_ devices: BoardOptions.Devices) throws -> Policy.Face {
        guard let word = face ?? devices.profile?.face else { return devices.camera == nil ? .off : .required }
        guard let policy = Policy.Face(rawValue: word) else { throw ValidationError("--face \(word): use required, when-photo or off") }
        return policy
    }

    func plugin(_ profile: BoardProfile?) -> String { facePlugin ?? profile?.facePlugin ?? Self.defaultPlugin }
    func models(_ profile: BoardProfile?) -> String { faceModels ?? profile?.faceModels ?? Self.defaultModels }
    func thresholds(_ profile: BoardProfile?) -> String? { faceThresholds ?? profile?.faceThresholds }
}
