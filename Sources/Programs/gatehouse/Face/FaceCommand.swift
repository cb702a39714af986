import ArgumentParser

struct FaceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "face", abstract: "Compare faces without a gate.", subcommands: [FaceCompare.self])
}
