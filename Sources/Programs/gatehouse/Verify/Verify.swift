import Appliance
import ArgumentParser
import Credentials
import Envelopes

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verify one credential, a wallet's message or a code, without a radio.",
        discussion: """
            The first line says `accept`, or `reject` and the code of the reason. Exit code: 0 accept, 1 reject, \
            2 unusable input or options, also a code that a gate ignores.
            """)

    @Argument(help: "The file: a JSON-LD credential, an SD-JWT, a CWT, or the JSON a wallet sends; - reads standard input.")
    var file: String?

    @Option(
        help: ArgumentHelp(
            "Instead of the file: a code as a visitor holds it before the camera, a picture (PNG or JPEG, looked at in a confined worker) or a file with the code's text; - reads standard input.",
            valueName: "file"))
    var code: String?

    @Option(help: ArgumentHelp("What issuers write before PixelPass in a code, as for run.", valueName: "text"))
    var codePrefix: String?

    @OptionGroup var trustOptions: TrustOptions

    @Option(help: ArgumentHelp("Verify as of this time, RFC 3339, for example 2026-01-31T12:00:00Z.  (default: now)", valueName: "time"))
    var at: String?

    @Flag(
        help:
            "Print one JSON object: verdict, reasons, and what was seen, and of an accepted credential all that is known (docs/reference.md)."
    )
    var json = false

    func validate() throws {
        guard (file == nil) != (code == nil) else { throw ValidationError("name a file, or a code with --code") }
        guard codePrefix == nil || code != nil else { throw ValidationError("--code-prefix is for a code, named with --code") }
    }

    func run() throws {
        let time = try TrustCommand.time("--at", at)
        let trust = try trustOptions.source.load(at: time).store
        let verifier = CredentialVerifier(trust: trust)
        let report = try code.map { try examine(code: $0, verifier, time) } ?? examine(file ?? "-", verifier, time)
        say(json ? report.json : report.text, to: 1)
        if !report.verdict.isAccept { throw ExitCode(1) }
    }

    private func examine(_ file: String, _ verifier: CredentialVerifier, _ time: Seconds) throws -> VerdictReport {
        let message = try NamedFile.read(file, most: 16 << 20)
        guard !message.isEmpty else { throw ValidationError("\(file): empty") }
        return VerdictReport(
            examination: verifier.examine(message.span, at: time, inFull: true), bundle: verifier.trust.terms?.sequence)
    }

    private func examine(code: String, _ verifier: CredentialVerifier, _ time: Seconds) throws -> VerdictReport {
        let file = try CodeFile(code), kind: VerdictReport.Code.Kind
        let content = try file.content(prefix: CodeConfiguration.octets(ofPrefix: codePrefix))
        let examination: Examination
        switch content {
        case .credential(let received):
            (kind, examination) = (.credential, verifier.examine(received, at: time, inFull: true))
        case .engagement: (kind, examination) = (.engagement, Examination(refused: .unsupportedForm(.mdoc)))
        case .refused(let reason): (kind, examination) = (.refused, Examination(refused: reason))
        // `content` has thrown.
        case .ignored: throw ValidationError("--code \(code): a gate ignores this code")
        }
        return VerdictReport(
            examination: examination, bundle: verifier.trust.terms?.sequence,
            code: VerdictReport.Code(kind: kind, octets: file.text.count))
    }
}
