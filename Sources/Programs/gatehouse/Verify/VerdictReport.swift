import Credentials
import Envelopes
import JSON
import Trust

/// A verdict as `gatehouse verify` prints it.
struct VerdictReport {
    let examination: Examination
    /// The sequence number of the trust bundle; nil for a folder that nobody signed.
    let bundle: Int64?
    /// Where the credential stood in one.
    var code: Code?

    /// What a code was.
    struct Code {
        enum Kind: String {
            case credential, engagement, refused
        }

        let kind: Kind
        /// Of the text in it.
        let octets: Int

        var row: String { "code \(kind.rawValue), \(octets) octets" }
    }

    var verdict: Verdict { examination.verdict }

    /// The first line is for programs, the rest for people.
    var text: String {
        guard let credential = verdict.credential else {
            let first = verdict.reasons.first
            var lines = ["reject " + (first?.code ?? "unknown") + (first?.detail.map { " " + $0 } ?? "")]
            for reason in verdict.reasons {
                lines.append(reason.sentence)
                lines += examination.particulars(for: reason).map { "  " + Self.row($0) }
            }
            if let issuer = examination.signer ?? examination.statedIssuer {
                lines.append(
                    "issuer \(printable(issuer)), "
                        + (examination.signer == nil ? "as the credential says; no signature of that issuer held" : "whose signature held"))
            }
            if examination.form != .unknown { lines.append("form \(examination.form.rawValue)") }
            if let code { lines.append(code.row) }
            if let bundle { lines.append("trust bundle \(bundle)") }
            return lines.joined(separator: "\n")
        }
        var lines = ["accept", "issuer \(printable(credential.issuer))" + (credential.issuerName.map { " (\(printable($0)))" } ?? "")]
        lines.append("form \(credential.form.rawValue)")
        if let code { lines.append(code.row) }
        lines.append("type \(printable(credential.type))")
        if let proof = credential.proof {
            lines.append("proof \(proof.suite) \(proof.algorithm.rawValue), options under \(proof.options.rawValue)")
        }
        if let expires = credential.validity.expires { lines.append("expires \(Timestamp.text(expires) ?? "\(expires)")") }
        if let status = credential.status.status {
            let age = credential.status.age.map { ", list fetched \(span(of: $0)) ago" } ?? ""
            lines.append("status \(status.rawValue)\(age)" + (credential.status.fault.map { " (\($0.rawValue))" } ?? ""))
        }
        for note in credential.notes.sorted(by: { $0.code < $1.code }) { lines.append("note \(note.code): \(note.sentence)") }
        for member in credential.uncovered { lines.append("not signed \(printable(member.pointer)): \(member.reason)") }
        for role in ClaimRole.allCases {
            if let claim = credential.claim(role) { lines.append("\(role.rawValue): \(printable(Self.shortened(claim)))") }
        }
        if let bundle { lines.append("trust bundle \(bundle)") }
        if let members = credential.claims.root.members {
            let labels = Dictionary(uniqueKeysWithValues: credential.labels ?? [])
            for member in members {
                let label = labels[member.name].map { " (\($0))" } ?? ""
                lines.append("claim \(printable(member.name))\(label): \(printable(Self.shortened(member.value)))")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// What was seen, and what would have been taken instead.
    private static func row(_ particular: Particular) -> String {
        let found = particular.found.isEmpty ? "not there" : particular.found.map(printable).joined(separator: ", ")
        let allowed = particular.allowed.isEmpty ? "" : "; taken here: " + particular.allowed.map(printable).joined(separator: ", ")
        return "\(particular.subject.rawValue): \(found)\(allowed)"
    }

    /// A value's JSON text; a long one, such as a portrait, by its length.
    private static func shortened(_ value: JSONValue) -> String {
        let source = value.source
        return source.count <= 200 ? String(decoding: source, as: UTF8.self) : "(\(source.count) octets)"
    }

    /// One object; docs/reference.md.
    var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("verdict", verdict.isAccept ? "accept" : "reject")
            writer.name("reasons")
            writer.array { writer in
                for reason in verdict.reasons {
                    writer.object { writer in
                        writer.member("code", reason.code)
                        if let detail = reason.detail { writer.member("detail", detail) }
                        writer.member("inji", reason.injiCode(examination.form))
                        writer.member("sentence", reason.sentence)
                        Self.write(examination.particulars(for: reason), to: &writer)
                    }
                }
            }
            if let bundle { writer.member("bundle", bundle) }
            if let code {
                writer.name("code")
                writer.object { writer in
                    writer.member("kind", code.kind.rawValue)
                    writer.member("octets", code.octets)
                }
            }
            if let credential = verdict.credential {
                Self.write(credential, to: &writer)
            } else {
                if let issuer = examination.signer ?? examination.statedIssuer {
                    writer.member("issuer", issuer)
                    writer.member("issuerSigned", examination.signer != nil)
                }
                if examination.form != .unknown { writer.member("form", examination.form.rawValue) }
            }
        }
        return escaped(writer.text)
    }

    private static func write(_ particulars: [Particular], to writer: inout JSONWriter) {
        guard !particulars.isEmpty else { return }
        writer.name("saw")
        writer.array { writer in
            for particular in particulars {
                writer.object { writer in
                    writer.member("subject", particular.subject.rawValue)
                    for (name, texts) in [("found", particular.found), ("allowed", particular.allowed)] where !texts.isEmpty {
                        writer.name(name)
                        writer.array { writer in for text in texts { writer.string(text) } }
                    }
                }
            }
        }
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
                if let languages = proof.languages { writer.member("languageTags", languages.rawValue) }
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
        guard let labels = credential.labels else { return }
        writer.name("labels")
        writer.object { writer in for (label, name) in labels { writer.member(label, name) } }
    }
}
