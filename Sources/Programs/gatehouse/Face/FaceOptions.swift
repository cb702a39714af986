import Appliance
import ArgumentParser

/// Whether faces are compared, and by what.
struct FaceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Whether the visitor has to be the person in the credential: required (a credential without a photo is rejected), when-photo (compares where there is a photo; whoever can withhold it is let in with any copy) or off (whoever has a copy of a credential is let in).  (default: what the board profile says, but required where it says off and an option or the site file adds a camera; without a profile, required with a camera, off without)",
            valueName: "when"))
    var face: String?

    @Option(
        help: ArgumentHelp(
            "The face matcher by its name: NAME is the plug-in /usr/lib/gatehouse/face-NAME.so with the models in /usr/share/gatehouse/models/NAME. Two ship: dlib and sface.  (default: what the site file says, else the board profile, else \(MatcherName.usual))",
            valueName: "name"))
    var faceMatcher: MatcherName?

    @Option(
        help: ArgumentHelp(
            "The face matcher where it is elsewhere: a plug-in by the C interface in face_plugin.h.", valueName: "file"))
    var facePlugin: String?

    @Option(help: ArgumentHelp("The folder with the matcher's models where it is elsewhere.", valueName: "folder"))
    var faceModels: String?

    @Option(
        help: ArgumentHelp(
            "The thresholds `gatehouse calibrate` wrote, for each matcher and its models. Without the file the built-in provisional one is used; a matcher or a model it does not name is not used at all.",
            valueName: "file"))
    var faceThresholds: String?

    @Option(
        help: ArgumentHelp(
            "Numbers of the face policy that differ from the standard ones: a JSON object, see docs/faces.md.", valueName: "file"))
    var faceSettings: String?

    var configuration: FaceConfiguration {
        FaceConfiguration(
            face: face, matcher: faceMatcher, plugin: facePlugin, models: faceModels, thresholds: faceThresholds, settings: faceSettings)
    }
}
