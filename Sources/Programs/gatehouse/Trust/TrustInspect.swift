import Appliance
import ArgumentParser
import Envelopes
import JSON
import Trust

struct TrustInspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Show everything that is in a bundle, and who signed it.",
        discussion: "Exit code 1 where --root is given and too few of its signers signed.")

    @Argument(help: "The bundle, signed or not.")
    var file: String

    @Option(help: ArgumentHelp("The root file to check the signatures with.", valueName: "file"))
    var root: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let root = try root.map { try TrustSource.signers($0) }
        let file = try TrustFile(file)
        let seal = try seal(file, root)
        let now = TrustSource.now
        say(json ? Self.json(file.content, seal, now) : (Self.text(file.content, now) + seal.rows).joined(separator: "\n"), to: 1)
        if root != nil, !seal.isMet { throw ExitCode(1) }
    }

    /// What is known of the signatures.
    private struct Seal {
        var isSigned = false
        /// Signer and standing; the standing is nil where nothing was checked.
        var signatures: [(id: String, standing: String?)] = []
        var threshold: Int?
        var isMet = false

        var rows: [String] {
            let rows = signatures.map { "\($0.standing ?? "unchecked") signature by \(printable($0.id))" }
            guard isSigned else { return ["not signed"] }
            guard let threshold else { return rows + ["signatures not checked: name a root file with --root"] }
            let valid = Set(signatures.filter { $0.standing == "valid" }.map { Array($0.id.utf8) }).count
            let answer = isMet ? "the threshold is met" : "the threshold is NOT met"
            return rows + ["\(valid) of the root's signers signed, \(threshold) have to: \(answer)"]
        }
    }

    private func seal(_ file: TrustFile, _ root: TrustRoot?) throws -> Seal {
        var seal = Seal()
        seal.threshold = root?.threshold
        guard case .signed(let signed, _) = file else { return seal }
        seal.isSigned = true
        guard let root else {
            seal.signatures = signed.signerIDs.map { ($0, nil) }
            return seal
        }
        do throws(TrustBundleError) {
            seal.signatures = try signed.signatures(root).map { ($0.id, $0.standing.rawValue) }
        } catch {
            throw TrustCommand.refuse(error)
        }
        seal.isMet = (try? signed.verify(root)) != nil
        return seal
    }

    // MARK: output

    private static func text(_ bundle: TrustBundle, _ now: Seconds) -> [String] {
        let report = BundleReport(bundle)
        var rows = ["bundle \(bundle.sequence)", "payload SHA-256 \(report.digest)"]
        rows.append("created \(report.time(bundle.created))" + (bundle.created > now ? " (in the future by this computer's clock)" : ""))
        rows.append("valid \(report.time(bundle.notBefore)) until \(report.time(bundle.notAfter))" + state(bundle, now))
        rows.append("while the clock is unsure: \(bundle.clock.rawValue)")
        for issuer in bundle.contents.issuers { rows += report.rows(issuer) }
        for context in bundle.contents.contexts { rows.append(report.row(context)) }
        for list in bundle.contents.lists { rows.append(report.row(list) + ", \(span(of: max(0, now - list.fetched))) ago") }
        rows += MdocReport(bundle.contents.mdoc, at: now).rows
        rows += ProofReport(bundle.contents, at: now).rows
        // What cannot be used at all is told with the issuer.
        rows += ((try? SilentLists.found(bundle.contents, at: now)) ?? []).map { "! " + SilentLists.words($0) }
        return rows
    }

    private static func state(_ bundle: TrustBundle, _ now: Seconds) -> String {
        do throws(TrustBundleError) {
            try bundle.check(at: now)
            return ""
        } catch {
            return error == .expired ? " (expired)" : " (not valid yet)"
        }
    }

    private static func json(_ bundle: TrustBundle, _ seal: Seal, _ now: Seconds) -> String {
        let report = BundleReport(bundle)
        var writer = JSONWriter()
        writer.object { writer in
            report.write(to: &writer, now: now)
            writer.member("signed", seal.isSigned)
            writer.member("checked", seal.threshold != nil)
            if let threshold = seal.threshold {
                writer.member("threshold", threshold)
                writer.member("thresholdMet", seal.isMet)
            }
            writer.name("signatures")
            writer.array { writer in
                for signature in seal.signatures {
                    writer.object {
                        $0.member("kid", signature.id)
                        if let standing = signature.standing { $0.member("standing", standing) }
                    }
                }
            }
        }
        return escaped(writer.text)
    }
}
