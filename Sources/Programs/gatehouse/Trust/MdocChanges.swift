import Cryptography
import JSON
import Mdoc
import Trust

/// What a new bundle changes about documents in phones: what a signer has to look at.
struct MdocChanges {
    private let difference: MdocDifference
    private let old: MdocContents
    private let new: MdocContents

    init(_ difference: MdocDifference, from old: TrustBundle, to new: TrustBundle) {
        self.difference = difference
        self.old = old.contents.mdoc
        self.new = new.contents.mdoc
    }

    // MARK: text

    var rows: [String] { roots + vicals + lists + readers }

    private static func has(_ names: [String], _ name: String) -> Bool { names.contains { $0.utf8.elementsEqual(name.utf8) } }

    private var roots: [String] {
        func words(_ root: MdocContents.Root) -> String {
            guard let found = try? IssuerRoot(root.certificate.span, docTypes: root.docTypes) else {
                return printable(MdocDifference.name(of: root))
            }
            return MdocReport.words(found, root)
        }
        func rows(_ contents: MdocContents, _ sign: String, _ names: [String]) -> [String] {
            contents.roots.filter { Self.has(names, MdocDifference.name(of: $0)) }.map { "\(sign) document root \(words($0))" }
        }
        let changed = new.roots.filter { Self.has(difference.roots.changed, MdocDifference.name(of: $0)) }.map { root in
            let name = MdocDifference.name(of: root)
            let was = old.roots.first { MdocDifference.name(of: $0).utf8.elementsEqual(name.utf8) }
            return "~ document root \(words(root)), was for \(was.map { Self.before($0, root) } ?? "")"
        }
        return rows(new, "+", difference.roots.added) + rows(old, "-", difference.roots.removed) + changed
    }

    /// What a root vouched for, and whom it had sign where that is another usage now.
    private static func before(_ was: MdocContents.Root, _ now: MdocContents.Root) -> String {
        let documents = was.docTypes.map(printable).joined(separator: " ")
        let usage = was.signerUsage ?? IssuerRoot.documentSigning
        return usage == now.signerUsage ?? IssuerRoot.documentSigning ? documents : "\(documents), its signers had \(printable(usage))"
    }

    private var vicals: [String] {
        let gone = old.vicals.filter { Self.has(difference.vicals.removed, $0.provider) }
        var rows = gone.map { "- list of document roots of \(printable($0.provider))" }
        for vical in new.vicals {
            if Self.has(difference.vicals.added, vical.provider) { rows.append("+ list of document roots of \(MdocReport.words(vical))") }
            guard Self.has(difference.vicals.changed, vical.provider),
                let was = old.vicals.first(where: { $0.provider.utf8.elementsEqual(vical.provider.utf8) })
            else { continue }
            rows.append("~ list of document roots of \(MdocReport.words(vical)), was \(MdocReport.words(was))")
            guard Self.goesBack(was, vical) else { continue }
            rows.append("! it is older than the one before: a root that was taken off since is believed again")
        }
        return rows
    }

    /// By the numbers where both lists have one, and not the same; by the dates where those say nothing.
    private static func goesBack(_ was: MdocContents.Vical, _ now: MdocContents.Vical) -> Bool {
        guard let before = was.issue, before != now.issue else { return now.date < was.date }
        return now.issue.map { $0 < before } ?? true
    }

    private var lists: [String] {
        var rows: [String] = []
        for (sign, names) in [("+", difference.revocationLists.added), ("-", difference.revocationLists.removed)] {
            rows += names.map { "\(sign) revocation list SHA-256 \($0)" }
        }
        rows += difference.revocationLists.changed.map { "~ revocation list SHA-256 \($0), fetched again" }
        rows += goneRevocations
        let tokens = difference.statusTokens
        for (sign, names) in [("+", tokens.added), ("-", tokens.removed), ("~", tokens.changed)] {
            rows += names.map { "\(sign) document status \(printable($0))" }
        }
        return rows
            + tokens.changed.filter(isEarlier).map {
                "! document status \(printable($0)): made before the one so far: what was withdrawn since is good again"
            }
    }

    /// Lists that go while their root stays, and its authority has no other one that was made as late.
    private var goneRevocations: [String] {
        let gone = old.revocations.filter { Self.has(difference.revocationLists.removed, MdocDifference.digest($0.bytes)) }
        guard !gone.isEmpty else { return [] }
        let roots = new.roots.compactMap { try? Certificate($0.certificate.span) }
        let lists = new.revocations.compactMap { try? RevocationList($0.bytes.span) }
        var rows: [String] = []
        for revocations in gone {
            guard let list = try? RevocationList(revocations.bytes.span), let root = roots.first(where: { list.isIssued(by: $0) }) else {
                continue
            }
            // After a renewal the authority's new root signs for the old one's signers too, as a gate has it.
            let authority = roots.filter { $0.hasSubject(of: root) }
            let isReplaced = lists.contains { other in other.issued >= list.issued && authority.contains { other.isIssued(by: $0) } }
            guard !isReplaced else { continue }
            let digest = MdocDifference.digest(revocations.bytes)
            rows.append("! revocation list SHA-256 \(digest): no later one of its authority is there: whoever it lists is believed again")
        }
        return rows
    }

    /// Whether the token of this address was made before the one that it takes the place of. One that does not say when is the oldest.
    private func isEarlier(_ uri: String) -> Bool {
        func made(_ contents: MdocContents) -> Int64 {
            let token = contents.tokens.first { $0.uri.utf8.elementsEqual(uri.utf8) }
            return token.flatMap { StatusTokenFacts($0.bytes)?.issued } ?? .min
        }
        return made(new) < made(old)
    }

    private var readers: [String] {
        let readers = difference.readers
        return [("+", readers.added), ("-", readers.removed), ("~", readers.changed)].flatMap { sign, names in
            names.map { "\(sign) reader SHA-256 \($0)" }
        }
    }

    // MARK: JSON

    /// The member `mdoc`; none where neither bundle says anything.
    func write(to writer: inout JSONWriter) {
        guard !old.isEmpty || !new.isEmpty else { return }
        writer.name("mdoc")
        writer.object { writer in
            TrustDiff.write("roots", difference.roots, to: &writer)
            TrustDiff.write("vicals", difference.vicals, to: &writer)
            TrustDiff.write("revocationLists", difference.revocationLists, to: &writer)
            TrustDiff.write("statusTokens", difference.statusTokens, to: &writer)
            TrustDiff.write("readers", difference.readers, to: &writer)
        }
    }
}
