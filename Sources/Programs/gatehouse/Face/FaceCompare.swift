import Appliance
import ArgumentParser

struct FaceCompare: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compare two pictures, as MOSIP's Face SDK does: one comparison, without the vote of a visit.",
        discussion: """
            Prints `match` or `no-match`. A picture is a JPEG, PNG, WebP, JPEG 2000 or AVIF, or a text with its base64 or data URI. \
            The first one has to be as good as a camera's frame has to be (docs/faces.md), or it is `poor-quality`. \
            Exit code: 0 match, 1 no match, 2 no comparison, with the reason's code: `unsupported` for HEIC and the like.
            """)

    @Argument(help: "The picture that was taken.")
    var captured: String

    @Argument(help: "The photo in the credential.")
    var vcimage: String

    @OptionGroup var matcher: FaceMatcherOptions

    @Option(help: ArgumentHelp("The thresholds `gatehouse calibrate` wrote.  (default: those that are shipped)", valueName: "file"))
    var faceThresholds: String?

    @Option(help: ArgumentHelp("Seconds a comparison may take.", valueName: "seconds"))
    var timeout = 10

    func run() throws {
        // Read before a worker is started: a path that is wrong is the more likely mistake.
        let captured = try Self.claim(captured), vcimage = try Self.claim(vcimage)
        var configuration = [FaceSDK.pluginKey: matcher.plugin, FaceSDK.modelsKey: matcher.models]
        configuration[FaceSDK.thresholdsKey] = faceThresholds
        let sdk = FaceSDK(longest: timeout)
        guard sdk.configure(configuration) else {
            throw ValidationError("the face matcher is not to be had: \(sdk.configurationFailure.map { "\($0)" } ?? "")")
        }
        switch sdk.faceCompare(timeout: timeout, capturedImage: captured, vcImage: vcimage) {
        case .match: say("match", to: 1)
        case .noMatch:
            say("no-match", to: 1)
            throw ExitCode(1)
        case .failed(let error): throw ValidationError("no comparison: \(error.code)\(Self.detail(error))")
        }
    }

    private static func detail(_ error: FaceSDKError) -> String {
        switch error {
        case .unsupported(let image, let kind): " (the \(image.rawValue) picture is \(kind))"
        case .tooLarge(let image), .unreadable(let image): " (the \(image.rawValue) picture)"
        case .badTimeout: " (1 to \(FaceSDK.longestTimeout) seconds)"
        case .refused(let reason, let flaw): ": \(flaw?.sentence ?? reason.sentence)"
        case .notConfigured, .timedOut: ""
        }
    }

    /// The text a credential would have for the picture of a file.
    private static func claim(_ path: String) throws -> String {
        let octets = try NamedFile.read(path, most: 4 << 20)
        guard !octets.isEmpty else { throw ValidationError("\(path): empty") }
        // No picture consists of printable characters alone.
        guard !octets.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x0D }) else {
            var text = octets[...]
            while let last = text.last, last <= 0x20 { text.removeLast() }
            return String(decoding: text, as: UTF8.self)
        }
        return "data:application/octet-stream;base64," + Base64Text.of(octets)
    }
}
