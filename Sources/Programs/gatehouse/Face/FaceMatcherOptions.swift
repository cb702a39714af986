import Appliance
import ArgumentParser

/// Who compares faces without a gate.
struct FaceMatcherOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The face matcher by its name, as a gate has it: dlib or sface, or another that was installed there.", valueName: "name"))
    var faceMatcher = MatcherName.usual

    @Option(
        help: ArgumentHelp("The face matcher where it is elsewhere: a plug-in by the C interface in face_plugin.h.", valueName: "file"))
    var facePlugin: String?

    @Option(help: ArgumentHelp("The folder with the matcher's models where it is elsewhere.", valueName: "folder"))
    var faceModels: String?

    /// Seconds for one picture; three that take longer in a row end the work.
    private static let patience = 60

    var plugin: String { facePlugin ?? faceMatcher.plugin }
    var models: String { faceModels ?? faceMatcher.models }

    /// A worker that is not started yet.
    func worker() throws -> VisionClient {
        var settings = SupervisorSettings()
        settings.plugin = plugin
        settings.models = models
        settings.timeouts = WorkerTimeouts(each: Self.patience)
        do throws(SupervisorError) {
            return VisionClient(supervisor: try Supervisor(settings))
        } catch {
            throw ValidationError("--face-plugin \(plugin): \(error)")
        }
    }
}
