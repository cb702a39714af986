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

    @Argument(help: "The file: a JSON-LD credential, an SD-JWT, a CWT, or the JSON a wallet sends; - reads standard input.")
    var file: String

    @OptionGroup var trustOptions: TrustOptions

    @Option(help: ArgumentHelp("Verify as of this time, RFC 3339, for example 2026-01-31T12:00:00Z.  (default: now)", valueName: "time"))
    var at: String?

    @Flag(help: "Print one JSON object: verdict, reasons, and of an accepted credential all that is known (README, JSON output).")
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
        let (verdict, form) = Self.verdict(message, CredentialVerifier(trust: trust), time)
        say(json ? Self.json(verdict, form) : Self.text(verdict), to: 1)
        if !verdict.isAccept { throw ExitCode(1) }
    }

    private static func verdict(_ message: [UInt8], _ verifier: CredentialVerifier, _ time: Seconds) -> (Verdict, CredentialForm) {
        do throws(RejectReason) {
            let received = try ReceivedCredential(message: message.span)
            return (verifier.verify(received, at: time), received.form)
        } catch {
            return (.reject([error]), .unknown)
        }
    }

    // MARK: output

    private static func text(_ verdict: Verdict) -> String {
        guard let credential = verdict.credential else {
            let first = verdict.reasons.first
            var lines = ["reject " + (first?.code ?? "unknown") + (first?.detail.map { " " + $0 } ?? "")]
            lines += verdict.reasons.map(\.sentence)
            return lines.joined(separator: "\n")
        }
        var lines = ["accept", "issuer \(printable(credential.issuer))" + (credential.issuerName.map { " (\(printable($0)))" } ?? "")]
        lines.append("form \(credential.form.rawValue)")
        lines.append("type \(printable(credential.type))")
        if let proof = credential.proof {
            lines.append("proof \(proof.suite) \(proof.algorithm.rawValue), options under \(proof.options.rawValue)")
        }
        if let expires = credential.validity.expires { lines.append("expires \(expires)") }
        if let status = credential.status.status {
            let age = credential.status.age.map { ", list fetched \($0) seconds ago" } ?? ""
            lines.append("status \(status.rawValue)\(age)" + (credential.status.fault.map { " (\($0.rawValue))" } ?? ""))
        }
        for note in credential.notes.sorted(by: { $0.code < $1.code }) { lines.append("note \(note.code): \(note.sentence)") }
        for member in credential.uncovered { lines.append("not signed \(printable(member.pointer)): \(member.reason)") }
        for role in ClaimRole.allCases {
            if let claim = credential.claim(role) { lines.append("\(role.rawValue): \(printable(shortened(claim)))") }
        }
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

    private static func json(_ verdict: Verdict, _ form: CredentialForm) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("verdict", verdict.isAccept ? "accept" : "reject")
            writer.name("reasons")
            writer.array { writer in
                for reason in verdict.reasons {
                    writer.object { writer in
                        writer.member("code", reason.code)
                        if let detail = reason.detail { writer.member("detail", detail) }
                        writer.member("inji", reason.injiCode(form))
                        writer.member("sentence", reason.sentence)
                    }
                }
            }
            if let credential = verdict.credential { write(credential, to: &writer) }
        }
        return escaped(writer.text)
    }

    private static func write(_ credential: VerifiedCredential, to writer: inout JSONWriter) {
        writer.member("issuer", credential.issuer)
        writer.member("form", credential.form.rawValue)
        writer.member("type", credential.type)
        if let proof = credential.proof {
            writer.name("proof")
            writer.object { writer in
                writer.member("suite", proof.suite)
                writer.member("algorithm", proof.algorithm.rawValue)
                writer.member("options", proof.options.rawValue)
                if let created = proof.created { writer.member("created", created) }
            }
        }
        if let keyID = credential.keyID { writer.member("key", keyID) }
        if let expires = credential.validity.expires { writer.member("expires", expires) }
        if let status = credential.status.status {
            writer.name("status")
            writer.object { writer in
                writer.member("value", status.rawValue)
                if let age = credential.status.age { writer.member("age", age) }
                writer.member("stale", credential.status.isStale)
                if let fault = credential.status.fault { writer.member("fault", fault.rawValue) }
            }
        }
        writer.name("notes")
        writer.array { writer in
            for note in credential.notes.map(\.code).sorted() { writer.string(note) }
        }
        writer.name("unsigned")
        writer.array { writer in
            for member in credential.uncovered {
                writer.object { writer in
                    writer.member("pointer", member.pointer)
                    writer.member("reason", member.reason)
                }
            }
        }
        writer.name("roles")
        writer.object { writer in
            for role in ClaimRole.allCases {
                guard let claim = credential.claim(role) else { continue }
                writer.name(role.rawValue)
                writer.copy(claim)
            }
        }
        writer.name("claims")
        writer.copy(credential.claims.root)
    }
}
