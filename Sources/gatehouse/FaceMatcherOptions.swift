import ArgumentParser
import Board

/// Who compares faces without a gate.
struct FaceMatcherOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The face matcher: a plug-in by the C interface in face_plugin.h.", valueName: "file"))
    var facePlugin = FaceOptions.defaultPlugin

    @Option(help: ArgumentHelp("The folder with the matcher's models.", valueName: "folder"))
    var faceModels = FaceOptions.defaultModels

    /// A worker that is not started yet.
    func worker() throws -> FaceWorker {
        var settings = NurserySettings()
        settings.plugin = facePlugin
        settings.models = faceModels
        do throws(NurseryError) {
            return FaceWorker(nursery: try Nursery(settings))
        } catch {
            throw ValidationError("--face-plugin \(facePlugin): \(error)")
        }
    }
}
