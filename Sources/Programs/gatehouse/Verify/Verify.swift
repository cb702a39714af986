import Appliance
import ArgumentParser
import Credentials

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verify one credential, or a wallet's message, without a radio.",
        discussion: """
            The first line says `accept`, or `reject` and the code of the reason. Exit code: 0 accept, 1 reject, \
            2 unusable input or options.
            """)

    @Argument(help: "The file: a JSON-LD credential, an SD-JWT, a CWT, or the JSON a wallet sends; - reads standard input.")
    var file: String

    @OptionGroup var trustOptions: TrustOptions

    @Option(help: ArgumentHelp("Verify as of this time, RFC 3339, for example 2026-01-31T12:00:00Z.  (default: now)", valueName: "time"))
    var at: String?

    @Flag(
        help:
            "Print one JSON object: verdict, reasons, and what was seen, and of an accepted credential all that is known (docs/reference.md)."
    )
    var json = false

    func run() throws {
        let time = try TrustCommand.time("--at", at)
        let trust = try trustOptions.source.load(at: time).store
        let message = try NamedFile.read(file, most: 16 << 20)
        guard !message.isEmpty else { throw ValidationError("\(file): empty") }
        let verifier = CredentialVerifier(trust: trust)
        let report = VerdictReport(
            examination: verifier.examine(message.span, at: time, inFull: true), bundle: verifier.trust.terms?.sequence)
        say(json ? report.json : report.text, to: 1)
        if !report.verdict.isAccept { throw ExitCode(1) }
    }
}
