import ArgumentParser
import Credentials
import Glibc
import JSON

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verify one credential, or a wallet's message, without a radio.",
        discussion: """
            The first line says `accept`, or `reject` and the code of the reason. Exit code: 0 accept, 1 reject, \
            2 unusable input or options.
            """)

    @Argument(help: "The file: an SD-JWT, or the JSON a wallet sends; - reads standard input.")
    var file: String

    @OptionGroup var trustOptions: TrustOptions

    @Option(help: ArgumentHelp("Verify as of this time, RFC 3339, for example 2026-01-31T12:00:00Z.  (default: now)", valueName: "time"))
    var at: String?

    @Flag(help: "Print one JSON object: verdict, reasons, issuer, form, type, validity, notes, claims.")
    var json = false

    func run() throws {
        let trust = try trustOptions.store()
        var time = Seconds(Glibc.time(nil))
        if let at {
            guard let seconds = Timestamp.seconds(at) else { throw ValidationError("--at \(at): not an RFC 3339 time") }
            time = seconds
        }
        let message = try octets(of: file, most: 16 << 20)
        guard !message.isEmpty else { throw ValidationError("\(file): empty") }
        let verdict = CredentialVerifier(trust: trust).verify(message, at: time)
        say(json ? Self.json(verdict) : Self.text(verdict), to: 1)
        if !verdict.isAccept { throw ExitCode(1) }
    }

    // MARK: output

    private static func text(_ verdict: Verdict) -> String {
        guard let credential = verdict.credential else {
            let first = verdict.reasons.first
            var lines = ["reject " + (first?.code ?? "unknown") + (first?.detail.map { " " + $0 } ?? "")]
            lines += verdict.reasons.map(\.sentence)
            return lines.joined(separator: "\n")
        }
        var lines = ["accept", "issuer \(credential.issuer)" + (credential.issuerName.map { " (\($0))" } ?? "")]
        lines.append("form \(credential.form.rawValue)")
        lines.append("type \(credential.type)")
        if let expires = credential.validity.expires { lines.append("expires \(expires)") }
        for note in credential.notes.sorted(by: { $0.code < $1.code }) { lines.append("note \(note.code): \(note.sentence)") }
        if let members = credential.claims.root.members {
            for member in members { lines.append("claim \(printable(member.name)): \(printable(shortened(member.value)))") }
        }
        return lines.joined(separator: "\n")
    }

    /// A value's JSON text; a long one, such as a portrait, by its length.
    private static func shortened(_ value: JSONValue) -> String {
        let source = value.source
        return source.count <= 200 ? String(decoding: source, as: UTF8.self) : "(\(source.count) octets)"
    }

    private static func json(_ verdict: Verdict) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("verdict", verdict.isAccept ? "accept" : "reject")
        writer.name("reasons")
        writer.array { writer in
            for reason in verdict.reasons {
                writer.object { writer in
                    writer.member("code", reason.code)
                    if let detail = reason.detail { writer.member("detail", detail) }
                    writer.member("sentence", reason.sentence)
                }
            }
        }
        if let credential = verdict.credential {
            writer.member("issuer", credential.issuer)
            writer.member("form", credential.form.rawValue)
            writer.member("type", credential.type)
            if let expires = credential.validity.expires { writer.member("expires", expires) }
            writer.name("notes")
            writer.array { writer in
                for note in credential.notes.map(\.code).sorted() { writer.string(note) }
            }
            writer.name("claims")
            writer.copy(credential.claims.root)
        }
        writer.endObject()
        return escaped(writer.text)
    }
}
