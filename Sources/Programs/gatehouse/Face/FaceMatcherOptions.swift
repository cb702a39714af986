import Appliance
import ArgumentParser

/// Who compares faces without a gate.
struct FaceMatcherOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The face matcher: a plug-in by the C interface in face_plugin.h.", valueName: "file"))
    var facePlugin = FaceConfiguration.usualPlugin

    @Option(help: ArgumentHelp("The folder with the matcher's models.", valueName: "folder"))
    var faceModels = FaceConfiguration.usualModels

    /// A worker that is not started yet.
    func worker() throws -> VisionClient {
        var settings = SupervisorSettings()
        settings.plugin = facePlugin
        settings.models = faceModels
        do throws(SupervisorError) {
            return VisionClient(supervisor: try Supervisor(settings))
        } catch {
            throw ValidationError("--face-plugin \(facePlugin): \(error)")
        }
    }
}
