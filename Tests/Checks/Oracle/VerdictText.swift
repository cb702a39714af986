import Credentials
import JSON
import Trust

/// A verdict as one line: `{"reasons": codes}`, and of an accepted credential what was read from what was signed.
struct VerdictText {
    let verdict: Verdict

    init(_ verdict: Verdict) { self.verdict = verdict }

    var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("reasons")
            writer.array { writer in for reason in verdict.reasons { writer.string(reason.code) } }
            if let credential = verdict.credential { Self.write(credential, to: &writer) }
        }
        return writer.text
    }

    private static func write(_ credential: VerifiedCredential, to writer: inout JSONWriter) {
        writer.member("issuer", credential.issuer)
        writer.member("form", credential.form.rawValue)
        writer.member("type", credential.type)
        if let proof = credential.proof { writer.member("options", proof.options.rawValue) }
        writer.name("notes")
        writer.array { writer in for note in credential.notes.map(\.code).sorted() { writer.string(note) } }
        writer.name("unsigned")
        writer.array { writer in for member in credential.uncovered { writer.string(member.pointer) } }
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
