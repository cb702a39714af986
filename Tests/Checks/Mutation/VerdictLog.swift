import Credentials
import Envelopes
import Foundation
import TestSupport
import Trust

/// Everything that is said of each mutant, one line for each, so that two builds of the gate can be compared octet for octet.
///
/// A line is the sample, the mutant's number, how it was made, its digest, and the verdict. Behind the lines stand the
/// sentences of all reasons and notes that occurred.
final class VerdictLog {
    private let file: UnsafeMutablePointer<FILE>
    private var sentences: Set<String> = []

    init(path: String) throws {
        guard let file = fopen(path, "w") else { throw CheckFailed(reason: "\(path) cannot be written") }
        self.file = file
    }

    deinit { fclose(file) }

    func add(_ sample: Sample, _ number: Int, _ how: String, _ mutant: [UInt8]) throws {
        let examination = sample.examine(mutant)
        sentences.formUnion(examination.sentences)
        write([sample.name, "\(number)", String(how.prefix(240)), try Hex.digest(of: mutant), try examination.line])
    }

    /// Writes the sentences. Nothing is added afterwards.
    func finish() throws {
        for sentence in sentences.sorted() { write(["sentence", sentence]) }
        guard fflush(file) == 0, ferror(file) == 0 else { throw CheckFailed(reason: "the record cannot be written") }
    }

    private func write(_ fields: [String]) {
        let line = fields.map { Self.printable($0) }.joined(separator: "\t") + "\n"
        fputs(line, file)
    }

    /// Control characters by their number: a line stays one line, and its fields stay apart.
    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else { return text }
        return text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "\\u{\($0.value)}" : String($0) }.joined()
    }
}

extension Examination {
    /// The whole verdict in one line: all a person or a program is told of it, long values by their digest.
    fileprivate var line: String {
        get throws {
            guard let credential = verdict.credential else {
                let reasons = verdict.reasons.map { reason in
                    let seen = particulars(for: reason).map { particular in
                        "\(particular.subject.rawValue): \(particular.found.joined(separator: ", ")); \(particular.allowed.joined(separator: ", "))"
                    }
                    return ([reason.code + (reason.detail.map { " \($0)" } ?? "")] + seen).joined(separator: " | ")
                }
                let issuer = "issuer \(signer.map { "signed \($0)" } ?? statedIssuer.map { "stated \($0)" } ?? "none")"
                return (["reject"] + reasons + [issuer, "form \(form.rawValue)"]).joined(separator: " || ")
            }
            let roles = try ClaimRole.allCases.compactMap { role in
                try credential.claim(role).map { "\(role.rawValue) \(try short($0.source))" }
            }
            let status = credential.status
            return [
                "accept", "issuer \(credential.issuer) (\(credential.issuerName ?? ""))", "form \(credential.form.rawValue)",
                "type \(credential.type)", "key \(credential.keyID ?? "none")", "proof \(credential.proof.map(Self.words) ?? "none")",
                "validity \(Self.words(credential.validity.notBefore)) \(Self.words(credential.validity.expires))"
                    + " \(Self.words(credential.validity.issuedAt))",
                "status \(status.status?.rawValue ?? "none") age \(Self.words(status.age)) stale \(status.isStale)"
                    + " fault \(status.fault?.rawValue ?? "none")",
                "notes \(credential.notes.map(\.code).sorted().joined(separator: ","))",
                "unsigned \(credential.uncovered.map { "\($0.pointer) \($0.reason)" }.joined(separator: ","))",
                "roles \(roles.joined(separator: ", "))", "claims \(try Hex.digest(of: Array(credential.claims.root.source)))",
            ].joined(separator: " || ")
        }
    }

    /// What people are told for these reasons and notes, each beside its code.
    fileprivate var sentences: [String] {
        let reasons = verdict.reasons.map { "\($0.code) \($0.detail ?? "-") \(form.rawValue) \($0.injiCode(form)): \($0.sentence)" }
        return reasons + (verdict.credential?.notes.map { "\($0.code): \($0.sentence)" } ?? [])
    }

    private func short(_ source: some Collection<UInt8>) throws -> String {
        source.count <= 200 ? String(decoding: source, as: UTF8.self) : "\(source.count) octets \(try Hex.digest(of: Array(source)))"
    }

    private static func words(_ seconds: Int64?) -> String { seconds.map { "\($0)" } ?? "none" }

    private static func words(_ proof: ProofRecord) -> String {
        "\(proof.suite) \(proof.algorithm.rawValue) \(proof.options.rawValue) \(proof.languages?.rawValue ?? "-") \(words(proof.created))"
    }
}
